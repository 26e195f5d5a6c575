import { sql } from 'kysely'
import { peopleShownTo } from '../../access/conditions/account-condition.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, hasRow } from '../../db/rows.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { pageOfUsers } from '../../users/user.store.ts'

export interface AccountFilter {
  readonly shownTo: Viewer
  readonly loginName?: string | undefined
  readonly sourceId?: number | undefined
}

export type AccountOrder =
  | 'alphabetically'
  | 'reversealphabetically'
  | 'oldest'
  | 'newest'
  | 'recentupdate'
  | 'leastupdate'
  | 'lastlogin'
  | 'reverselastlogin'

function filtered(db: Db, { shownTo, loginName, sourceId }: AccountFilter) {
  let query = db.selectFrom('user').where('kind', '=', 'individual').where(peopleShownTo(shownTo))
  // The partial index contains only accounts with a login name.
  if (loginName) query = query.where('login_name', '=', loginName).where('login_name', '<>', sql.lit(''))
  if (sourceId !== undefined) query = query.where('login_source_id', '=', sourceId)
  return query
}

const orders = {
  alphabetically: ['lower_name', 'asc'],
  reversealphabetically: ['lower_name', 'desc'],
  oldest: ['created_unix', 'asc'],
  newest: ['created_unix', 'desc'],
  recentupdate: ['updated_unix', 'desc'],
  leastupdate: ['updated_unix', 'asc'],
  lastlogin: ['last_login_unix', 'asc'],
  reverselastlogin: ['last_login_unix', 'desc'],
} as const satisfies Record<AccountOrder, readonly [string, 'asc' | 'desc']>

export const isAccountOrder = (text: string): text is AccountOrder => Object.hasOwn(orders, text)

/** Returns a page of people's accounts and their total. */
export function listAccounts(
  db: Db,
  filter: AccountFilter,
  order: AccountOrder,
  page: Page,
): Promise<{ readonly users: readonly UserRow[]; readonly total: number }> {
  const [column, direction] = orders[order]
  return pageOfUsers(db, filtered(db, filter), { keys: [column, 'id'], direction }, page)
}

/** Selects inactive accounts of people that were created before a time and never used. */
const unusedAccounts = (db: Db, beforeUnix: Unix) =>
  db
    .selectFrom('user')
    .selectAll()
    .where('kind', '=', 'individual')
    .where('is_active', '=', false)
    .where('is_admin', '=', false)
    .where('last_login_unix', '=', 0)
    .where('created_unix', '<', beforeUnix)
    // Accounts of other servers have no sign-in.
    .where((row) =>
      row.not(
        row.exists(
          row.selectFrom('federated_account').select('user_id').whereRef('federated_account.user_id', '=', 'user.id'),
        ),
      ),
    )
    .where((row) =>
      row.not(row.exists(row.selectFrom('access_token').select('id').whereRef('access_token.user_id', '=', 'user.id'))),
    )
    .where((row) =>
      row.not(row.exists(row.selectFrom('public_key').select('id').whereRef('public_key.owner_id', '=', 'user.id'))),
    )

export const listUnusedAccounts = (
  db: Db,
  { beforeUnix, afterId, limit }: { readonly beforeUnix: Unix; readonly afterId: number; readonly limit: number },
): Promise<UserRow[]> =>
  unusedAccounts(db, beforeUnix)
    .where('id', '>', afterId as UserId)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Returns whether an account is still unused. */
export const isUnused = (tx: Tx, id: UserId, beforeUnix: Unix): Promise<boolean> =>
  hasRow(unusedAccounts(tx, beforeUnix).where('id', '=', id))

/** Returns whether the instance has an administrator. */
export const hasAdministrator = (tx: Tx): Promise<boolean> => hasRow(tx.selectFrom('user').where('is_admin', '=', true))

/** Blocks other changes of administrators until the transaction ends. */
export const lockAdministrators = (tx: Tx) =>
  tx
    .updateTable('user')
    .set((set) => ({ is_admin: set.ref('is_admin') }))
    .where('is_admin', '=', true)
    .execute()

/** Deletes the row of an account; returns false when it does not exist. */
export const deleteAccountRow = (tx: Tx, id: UserId): Promise<boolean> =>
  changesRow(tx.deleteFrom('user').where('id', '=', id))

/** Sets whether people must change their password; returns the names of changed accounts. */
export async function updateMustChange(
  tx: Tx,
  people: { readonly ids: readonly UserId[]; readonly isAllBut: boolean },
  mustChange: boolean,
): Promise<string[]> {
  const { ids, isAllBut } = people
  if (!isAllBut && ids.length === 0) return []
  const rows = await tx
    .updateTable('user')
    .set({ must_change_password: mustChange })
    .where('kind', '=', 'individual')
    .where('must_change_password', '<>', mustChange)
    // Accounts of other sources have no local password.
    .where('login_source_id', '=', 0)
    .$if(ids.length > 0, (query) => query.where('id', isAllBut ? 'not in' : 'in', ids))
    .returning('name')
    .execute()
  return rows.map(({ name }) => name)
}
