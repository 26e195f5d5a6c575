import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { maySeeAccount } from '../../access/rights.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { findEmail, findUserById, findUserByName } from '../../users/user.store.ts'
import { findFederatedAccount } from '../peers/account.store.ts'

/** Longest accepted resource, in characters. */
const maxLength = 2048

const unknownResource = () => new BadRequest('the resource does not belong to this instance', 'resource_unknown')
const noAccount = () => new NotFound('the account does not exist', 'user_not_found')

/** Returns the account of a WebFinger resource. `BadRequest` for a resource of another host, `NotFound` without an account. */
export async function findByResource(ctx: Ctx, resource: string): Promise<UserRow> {
  if (resource.length > maxLength) throw unknownResource()
  const user = await lookUp(ctx, resource)
  // Requests come from servers, so membership in an organization does not count.
  if (!user || !maySeeAccount(ctx.viewer, user, false)) throw noAccount()
  if (await findFederatedAccount(ctx.db, user.id)) throw noAccount()
  return user
}

async function lookUp({ db, config }: Ctx, resource: string): Promise<UserRow | undefined> {
  const root = new URL(config.server.rootUrl)
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(resource) ?? []
  switch (scheme.toLowerCase()) {
    case 'acct': {
      const at = rest.lastIndexOf('@')
      if (at < 0 || rest.slice(at + 1).toLowerCase() !== root.host) throw unknownResource()
      return findUserByName(db, decoded(rest.slice(0, at).replace(/^@/, '')))
    }
    case 'mailto': {
      const email = await findEmail(db, rest)
      const user = email?.is_primary ? await findUserById(db, email.user_id) : undefined
      return user && !user.keep_email_private ? user : undefined
    }
    case 'http':
    case 'https': {
      const url = URL.parse(resource)
      if (url?.origin !== root.origin) throw unknownResource()
      const below = url.pathname.startsWith(root.pathname) ? url.pathname.slice(root.pathname.length) : ''
      const path = below.replace(/\/$/, '')
      return path === '' || path.includes('/') ? undefined : findUserByName(db, decoded(path))
    }
    default:
      throw unknownResource()
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    // No name contains a malformed escape.
    throw unknownResource()
  }
}
