import type { UserRow } from '../db/tables/accounts.ts'
import { movedUrl } from '../http/moved-url.ts'
import type { Call } from '../http/operation.ts'
import { Moved, type Refusal } from '../lib/errors.ts'
import { findAccountByFormerName, findAccountByName, isOrgMember } from './access.store.ts'
import type { Ctx } from './context.ts'
import { refuseWithheld } from './requirements.ts'
import { isAccountShown, maySeeAccount } from './rights.ts'

/** A path parameter that names an account, and the response when the account does not exist. */
export interface AccountParameter {
  readonly parameter: string
  readonly name: string
  readonly missing: () => Refusal
  /** Only accounts of this kind exist at the address; unless set, accounts of every kind. */
  readonly kind?: 'organization'
}

/** Returns whether the viewer's membership in the organization decides that they may see it, and they are a member. */
const countsAsMember = async ({ db, viewer }: Ctx, account: UserRow): Promise<boolean> =>
  viewer !== undefined &&
  account.kind === 'organization' &&
  (account.visibility !== 'public' || viewer.isRestricted) &&
  (await isOrgMember(db, account.id, viewer.id))

/** What the viewer sees of an account: it, nothing because of the limit of the credential alone, or nothing. */
export type AccountSight = 'visible' | 'withheld' | 'hidden'

/** Returns whether the viewer may see the account, by its visibility (contract R4) and by the limit of the credential. */
export async function sightOf(ctx: Ctx, account: UserRow): Promise<AccountSight> {
  const isMember = await countsAsMember(ctx, account)
  if (maySeeAccount(ctx.viewer, account, isMember)) return 'visible'
  return isAccountShown(ctx.viewer, account, isMember) ? 'withheld' : 'hidden'
}

/**
 * Returns the account that a path parameter names. A former name throws `Moved` with the address under the current name. The
 * redirect is 307, so a client repeats the request with its method and body.
 *
 * A former name of an account that the viewer may not see does not redirect: the current name would leak.
 */
export async function resolveAccount(ctx: Ctx, call: Call, wanted: AccountParameter): Promise<UserRow> {
  const { parameter, name, missing, kind } = wanted
  const isOfKind = (account: UserRow): boolean => kind === undefined || account.kind === kind
  const account = await findAccountByName(ctx.db, name.toLowerCase())
  if (account) {
    if (isOfKind(account)) return account
    throw missing()
  }
  const renamed = await findAccountByFormerName(ctx.db, name.toLowerCase())
  if (!renamed || !isOfKind(renamed) || (await sightOf(ctx, renamed)) === 'hidden') throw missing()
  throw new Moved(307, movedUrl(call, { [parameter]: renamed.name }))
}

/** Returns the account that a path parameter names; an account that the viewer may not see is answered like a missing one. */
export async function resolveVisibleAccount(ctx: Ctx, call: Call, wanted: AccountParameter): Promise<UserRow> {
  const account = await resolveAccount(ctx, call, wanted)
  if ((await sightOf(ctx, account)) !== 'visible') throw wanted.missing()
  return account
}

/**
 * Returns the account in the path. An account that the viewer cannot see is reported as missing. An account that only
 * the credential's limit hides is refused with 403 (contract A2).
 * @param what the limit of the credential, as the refusal names it
 */
export async function resolveSubject(
  ctx: Ctx,
  call: Call,
  wanted: AccountParameter,
  what: 'orgs' | 'users',
): Promise<UserRow> {
  const account = await resolveAccount(ctx, call, wanted)
  if ((await sightOf(ctx, account)) === 'hidden') throw wanted.missing()
  refuseWithheld(ctx.viewer, account, what)
  return account
}
