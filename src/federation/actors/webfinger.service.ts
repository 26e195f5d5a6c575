import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { maySeeAccount } from '../../access/rights.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { findEmail, findUserById, findUserByName } from '../../users/user.store.ts'
import { findFederatedAccount } from '../peers/account.store.ts'

/** Longest resource that is looked at, in characters. */
const maxLength = 2048

const unusable = () => new BadRequest('the resource is none of this instance', 'resource_unknown')
const nobody = () => new NotFound('there is no such account', 'user_not_found')

/** The account that a resource of WebFinger names. BadRequest for what is none of here, NotFound for nobody. */
export async function findByResource(ctx: Ctx, resource: string): Promise<UserRow> {
  if (resource.length > maxLength) throw unusable()
  const user = await lookUp(ctx, resource)
  // Members of an organization are not told apart here: the question comes from programs.
  if (!user || !maySeeAccount(ctx.viewer, user, false)) throw nobody()
  if (await findFederatedAccount(ctx.db, user.id)) throw nobody()
  return user
}

async function lookUp({ db, config }: Ctx, resource: string): Promise<UserRow | undefined> {
  const root = new URL(config.server.rootUrl)
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(resource) ?? []
  switch (scheme.toLowerCase()) {
    case 'acct': {
      const at = rest.lastIndexOf('@')
      if (at < 0 || rest.slice(at + 1).toLowerCase() !== root.host) throw unusable()
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
      if (url?.origin !== root.origin) throw unusable()
      const below = url.pathname.startsWith(root.pathname) ? url.pathname.slice(root.pathname.length) : ''
      const path = below.replace(/\/$/, '')
      return path === '' || path.includes('/') ? undefined : findUserByName(db, decoded(path))
    }
    default:
      throw unusable()
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    // A malformed escape is part of no name.
    throw unusable()
  }
}
