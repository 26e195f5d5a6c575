import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { avatarUrl } from '../../users/user.present.ts'
import { instanceUrl, keyIdOf, personUrl, repositoryUrl } from '../address.rules.ts'
import type { ActivityStreamsActor } from './actor.schemas.ts'

export const actorContext = ['https://www.w3.org/ns/activitystreams', 'https://w3id.org/security/v1']
export const forgeContext = [...actorContext, 'https://forgefed.org/ns']

type Has = Pick<Ctx, 'config'>

const presentKey = (actorUrl: string, publicKeyPem: string) => ({
  id: keyIdOf(actorUrl),
  owner: actorUrl,
  publicKeyPem,
})

/** The actor that stands for the instance. */
export function presentInstance({ config }: Has, publicKeyPem: string): ActivityStreamsActor {
  const id = instanceUrl(config)
  return {
    '@context': actorContext,
    id,
    type: 'Application',
    url: config.server.rootUrl,
    inbox: `${id}/inbox`,
    outbox: `${id}/outbox`,
    preferredUsername: config.server.domain,
    publicKey: presentKey(id, publicKeyPem),
  }
}

/** A person or organization, as others may know them. */
export function presentPerson(ctx: Has, user: UserRow, publicKeyPem: string): ActivityStreamsActor {
  const id = personUrl(ctx.config, user.id)
  return {
    '@context': actorContext,
    id,
    type: 'Person',
    ...(user.full_name === '' ? {} : { name: user.full_name }),
    icon: { type: 'Image', mediaType: 'image/png', url: avatarUrl(ctx, user) },
    url: `${ctx.config.server.rootUrl}${encodeURIComponent(user.name)}`,
    inbox: `${id}/inbox`,
    outbox: `${id}/outbox`,
    followers: `${id}/followers`,
    following: `${id}/following`,
    preferredUsername: user.name,
    publicKey: presentKey(id, publicKeyPem),
  }
}

/** A repository, as ForgeFed has them. */
export function presentRepository({ config }: Has, repo: RepoRow): ActivityStreamsActor {
  const id = repositoryUrl(config, repo.id)
  return { '@context': forgeContext, id, type: 'Repository', name: repo.name, inbox: `${id}/inbox` }
}
