import type { Ctx } from '../../access/context.ts'
import { grants, parseScopes } from '../../auth/token-scopes.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { presentUser } from '../../users/user.present.ts'
import { findEmail } from '../../users/user.store.ts'
import { listMemberships } from './membership.store.ts'
import { hasScope, tokenScopesOf } from '../scope.rules.ts'

type PresentCtx = Pick<Ctx, 'config' | 'db'>

/** Returns the issuer of tokens: the root address without the trailing slash. */
export const issuerOf = ({ config }: Pick<Ctx, 'config'>): string => config.server.rootUrl.replace(/\/$/, '')

/** Returns organizations as `org` and teams as `org:team`, when the scope contains `groups`. */
async function groupsOf({ db }: PresentCtx, user: UserRow, scope: string): Promise<string[] | undefined> {
  if (!hasScope(scope, 'groups')) return undefined
  const rows = await listMemberships(db, user.id, parseScopes(tokenScopesOf(scope)).publicOnly)
  return [...new Set(rows.flatMap(({ org, team }) => (team === null ? [org] : [org, `${org}:${team}`])))]
}

const withoutEmpty = <Claims extends object>(claims: Claims): Partial<Claims> =>
  Object.fromEntries(
    Object.entries(claims).filter(([, value]) => value !== undefined && value !== ''),
  ) as Partial<Claims>

/** Returns the claims of an identity token for the words of the scope, without empty ones. */
export async function presentClaims(ctx: PresentCtx, user: UserRow, scope: string): Promise<Record<string, unknown>> {
  const { avatar_url, html_url } = presentUser({ config: ctx.config, viewer: undefined }, user)
  const address = hasScope(scope, 'email') ? await findEmail(ctx.db, user.email) : undefined
  return {
    ...(hasScope(scope, 'profile')
      ? withoutEmpty({
          name: user.full_name || user.name,
          preferred_username: user.name,
          profile: html_url,
          picture: avatar_url,
          website: user.website,
          locale: user.language,
          updated_at: user.updated_unix,
        })
      : {}),
    ...(hasScope(scope, 'email')
      ? withoutEmpty({ email: user.email, email_verified: address?.is_activated === true })
      : {}),
    ...withoutEmpty({ groups: await groupsOf(ctx, user, scope) }),
  }
}

/** Presents the user info of a token: the claims of its scope, or all for a token that can read the account anyway. */
export async function presentUserInfo(ctx: PresentCtx, user: UserRow, scope: string) {
  const { avatar_url } = presentUser({ config: ctx.config, viewer: undefined }, user)
  const readsAccount = grants(parseScopes(tokenScopesOf(scope)), 'user', 'read')
  return {
    ...(await presentClaims(ctx, user, scope)),
    sub: String(user.id),
    name: readsAccount || hasScope(scope, 'profile') ? user.full_name || user.name : user.name,
    preferred_username: user.name,
    ...(readsAccount || hasScope(scope, 'email') ? { email: user.email } : {}),
    picture: avatar_url,
  }
}
