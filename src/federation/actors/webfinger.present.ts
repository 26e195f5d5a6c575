import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { avatarUrl } from '../../users/user.present.ts'
import { personUrl } from '../address.rules.ts'
import type { WebFingerAnswer } from './actor.schemas.ts'

/** Returns the WebFinger answer for an account. */
export function presentWebFinger(ctx: Pick<Ctx, 'config'>, user: UserRow): WebFingerAnswer {
  const { rootUrl } = ctx.config.server
  const page = `${rootUrl}${encodeURIComponent(user.name)}`
  const actor = personUrl(ctx.config, user.id)
  // Organizations show their address, which may be empty (contract).
  const showsEmail = user.kind === 'organization' || !user.keep_email_private
  return {
    subject: `acct:${user.name}@${new URL(rootUrl).host}`,
    aliases: [page, actor, ...(showsEmail ? [`mailto:${user.email}`] : [])],
    links: [
      { rel: 'http://webfinger.net/rel/profile-page', type: 'text/html', href: page },
      { rel: 'http://webfinger.net/rel/avatar', href: avatarUrl(ctx, user) },
      { rel: 'self', type: 'application/activity+json', href: actor },
      { rel: 'http://openid.net/specs/connect/1.0/issuer', href: rootUrl },
    ],
  }
}
