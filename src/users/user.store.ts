import { sql, type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { peopleShownTo } from '../access/conditions/account-condition.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { contains, lowerContains } from '../db/like.ts'
import { fence } from '../db/portable.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import { countRows } from '../db/rows.ts'
import type { EmailRow, NewUserRow, UserChange, UserRow } from '../db/tables/accounts.ts'
import { actionsUserId, type UserId } from '../lib/ids.ts'
import type { Bound, Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'

export const findUserById = (db: Db, id: UserId): Promise<UserRow | undefined> =>
  db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the row and locks it until the transaction ends; SQLite has a single writer anyway. */
export const findUserForUpdate = (tx: Tx, id: UserId): Promise<UserRow | undefined> =>
  tx
    .updateTable('user')
    .set((set) => ({ name: set.ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Returns an account or organization by name in any letter case. */
export const findUserByName = (db: Db, name: string): Promise<UserRow | undefined> =>
  db.selectFrom('user').selectAll().where('lower_name', '=', name.toLowerCase()).executeTakeFirst()

const usersById = preparedQuery((db: Db, ids: string) =>
  db
    .selectFrom('user')
    .selectAll()
    .where('id', 'in', idList(db, ids) as Expression<UserId>),
)

/** Returns accounts by id in one query. */
export async function loadUsers(db: Db, ids: Iterable<UserId | null>): Promise<ReadonlyMap<UserId, UserRow>> {
  const wanted = [...new Set(ids)].filter((id): id is UserId => id !== null && (id > 0 || id === actionsUserId))
  if (wanted.length === 0) return new Map()
  const rows = await usersById(db, idListText(wanted))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Default values of accounts and organizations. */
export const blankAccount = {
  full_name: '',
  password_hash: null,
  must_change_password: false,
  is_admin: false,
  is_restricted: false,
  prohibit_login: false,
  allow_git_hook: false,
  allow_import_local: false,
  allow_create_organization: false,
  description: '',
  location: '',
  website: '',
  pronouns: '',
  language: '',
  theme: '',
  diff_view_style: '',
  hide_activity: false,
  enable_repo_unit_hints: false,
  avatar_key: '',
  login_name: '',
  repo_admin_change_team_access: false,
} as const satisfies Partial<NewUserRow>

export const insertUser = (tx: Tx, values: NewUserRow): Promise<UserRow> =>
  tx.insertInto('user').values(values).returningAll().executeTakeFirstOrThrow()

export const updateUser = (tx: Tx, id: UserId, change: UserChange): Promise<UserRow> =>
  tx.updateTable('user').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export const insertEmail = (tx: Tx, values: Omit<EmailRow, 'id'>): Promise<EmailRow> =>
  tx.insertInto('email').values(values).returningAll().executeTakeFirstOrThrow()

export const findEmail = (db: Db, email: string): Promise<EmailRow | undefined> =>
  db.selectFrom('email').selectAll().where('lower_email', '=', email.toLowerCase()).executeTakeFirst()

/** Deletes unconfirmed addresses, which do not block other accounts. */
export const deleteUnconfirmed = (tx: Tx, lowerEmails: readonly string[]) =>
  tx.deleteFrom('email').where('lower_email', 'in', lowerEmails).where('is_activated', '=', false).execute()

export const countPeople = (db: Db): Promise<number> =>
  countRows(db.selectFrom('user').where('kind', '=', 'individual'))

/** Ends the redirect of a name that a new account takes. */
export const deleteRedirect = (tx: Tx, lowerName: string) =>
  tx.deleteFrom('user_redirect').where('lower_name', '=', lowerName).execute()

export const findRedirect = (db: Db, lowerName: string) =>
  db.selectFrom('user_redirect').selectAll().where('lower_name', '=', lowerName).executeTakeFirst()

/** Makes a former name redirect to the account. */
export const insertRedirect = (tx: Tx, row: { lower_name: string; user_id: UserId; created_unix: Unix }) =>
  tx
    .insertInto('user_redirect')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('lower_name').doUpdateSet({ user_id: row.user_id, created_unix: row.created_unix }),
    )
    .execute()

/** Keeps only the newest former names of an account. */
export const deleteOldRedirects = (tx: Tx, userId: UserId, keep: number) =>
  tx
    .deleteFrom('user_redirect')
    .where('user_id', '=', userId)
    .where('lower_name', 'not in', (select) =>
      select
        .selectFrom('user_redirect')
        .select('lower_name')
        .where('user_id', '=', userId)
        .orderBy('created_unix', (order) => order.desc())
        .limit(keep),
    )
    .execute()

/** Criteria of a search for people. */
export interface PeopleFilter {
  /** Part of login, full name or a visible address. */
  readonly text: string
  readonly userId?: UserId | undefined
  /** Only people whom this viewer may see; undefined for a guest. */
  readonly shownTo: Viewer | undefined
  /** Whether hidden addresses are searched as well. */
  readonly hiddenEmails?: boolean | undefined
  /** The newest accounts come first; a search by text is always ordered by login. */
  readonly isNewestFirst?: boolean | undefined
}

/** Selects the people that the search may return, before the text is compared. */
function shownPeople(db: Db, { shownTo, userId }: PeopleFilter) {
  const query = db.selectFrom('user').where('kind', '=', 'individual').where(peopleShownTo(shownTo))
  return userId === undefined ? query : query.where('id', '=', userId)
}

/** Condition: login, full name or an address contains the text. */
const isNamed = ({ text, hiddenEmails }: PeopleFilter): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${lowerContains('user.lower_name', text)} or ${contains('user.full_name', text)}
    or (${contains('user.email', text)}${hiddenEmails ? sql`` : sql` and "user".keep_email_private = ${sql.lit(false)}`}))`

/** Largest total of a search by text. */
const countedAtMost = 10_000

/** Returns one page of people by login and their total, which is at most `countedAtMost` for a search by text. */
export async function searchPeople(
  db: Db,
  filter: PeopleFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ readonly users: readonly UserRow[]; readonly total: number; readonly bound?: Bound }> {
  if (filter.text !== '') return searchByWords(db, filter, page)
  const people = shownPeople(db, filter)
  if (filter.isNewestFirst) return pageOfUsers(db, people, { keys: ['id'], direction: 'desc' }, page)
  return pageOfUsers(db, people, { keys: ['lower_name'], direction: 'asc' }, page)
}

/**
 * Returns one page of accounts in an order, and their total. An index finds the page; only its rows are loaded.
 * @param keys columns that identify an account uniquely
 */
export async function pageOfUsers(
  db: Db,
  accounts: SelectQueryBuilder<Schema, 'user', object>,
  { keys, direction }: { readonly keys: readonly (keyof UserRow)[]; readonly direction: 'asc' | 'desc' },
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<{ readonly users: readonly UserRow[]; readonly total: number }> {
  const { count: total } = await accounts
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const inOrder = <DB, TB extends keyof DB, Row>(rows: SelectQueryBuilder<DB, TB, Row>, table: string) =>
    keys.reduce((each, key) => each.orderBy(sql.ref(`${table}.${key}`), direction), rows)
  const columns = [...new Set<keyof UserRow>(['id', ...keys])].map((key) => `user.${key}` as const)
  const window = inOrder(accounts.select(columns), 'user').limit(limit).offset(offset)
  const rows = db.selectFrom(window.as('place')).innerJoin('user', 'user.id', 'place.id').selectAll('user')
  return { users: await inOrder(rows, 'place').execute(), total }
}

/** Reads people in the order of the result until more than the counted maximum match; the page is among them. */
async function searchByWords(db: Db, filter: PeopleFilter, page: Pick<Page, 'limit' | 'offset'>) {
  const people = shownPeople(db, filter)
  // PostgreSQL expects words to match few rows, and would read and sort all people.
  const inOrder = db
    .selectFrom(sql<UserRow>`(${people.selectAll().orderBy('lower_name')} ${fence(db)})`.as('user'))
    .where(isNamed(filter))
    .select(['user.id', 'user.lower_name'])
    .orderBy('user.lower_name')
  const limit = Math.max(0, Math.min(page.limit, countedAtMost - page.offset))
  const { rows } = await sql<{ id: UserId | null; total: number }>`
    with found as materialized ${inOrder.limit(countedAtMost + 1)}
    select page.id, counted.total from (select count(*) as total from found) as counted
      left join (select id, lower_name from found order by lower_name limit ${sql.lit(limit)} offset ${page.offset})
        as page on 1 = 1
    order by page.lower_name`.execute(db)
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]))
  const users = await loadUsers(db, ids)
  const total = rows[0]?.total ?? 0
  return {
    users: ids.flatMap((id) => users.get(id) ?? []),
    total: Math.min(total, countedAtMost),
    ...(total > countedAtMost ? { bound: 'rows' as const } : {}),
  }
}
