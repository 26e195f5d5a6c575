import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { avatarUrl } from '../../users/user.present.ts'
import { instanceUrl, keyIdOf, personUrl, repositoryUrl } from '../address.rules.ts'
import type { ActivityStreamsActor } from './actor.schemas.ts'

export const actorContext = ['https://www.w3.org/ns/activitystreams', 'https://w3id.org/security/v1']
export const forgeContext = [...actorContext, 'https://forgefed.org/ns']

type ConfigCtx = Pick<Ctx, 'config'>

const presentKey = (actorUrl: string, publicKeyPem: string) => ({
  id: keyIdOf(actorUrl),
  owner: actorUrl,
  publicKeyPem,
})

/** Returns the actor of the instance. */
export function presentInstance({ config }: ConfigCtx, publicKeyPem: string): ActivityStreamsActor {
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

/** Returns the actor of an account or organization. */
export function presentPerson(ctx: ConfigCtx, user: UserRow, publicKeyPem: string): ActivityStreamsActor {
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

/** Returns the ForgeFed actor of a repository. */
export function presentRepository({ config }: ConfigCtx, repo: RepoRow): ActivityStreamsActor {
  const id = repositoryUrl(config, repo.id)
  return { '@context': forgeContext, id, type: 'Repository', name: repo.name, inbox: `${id}/forgefed/inbox` }
}
