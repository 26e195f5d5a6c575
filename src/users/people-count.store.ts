import type { SelectQueryBuilder } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'
import type { Bound, Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'

/** Largest counted number of accounts of a list; pages continue beyond it. */
const countedAtMost = 10_000

export interface PeopleTotal {
  readonly total: number
  readonly bound?: Bound
}

/** One page of a list of accounts. */
export interface PeoplePage extends PeopleTotal {
  readonly users: readonly UserRow[]
}

/** Returns the number of rows of a query, counted up to `countedAtMost`. */
export async function countPeople(
  db: Db,
  // oxlint-disable-next-line typescript/no-explicit-any -- a query of any tables and columns
  rows: SelectQueryBuilder<Schema, any, any>,
): Promise<PeopleTotal> {
  const { count } = await db
    .selectFrom(rows.limit(countedAtMost + 1).as('counted'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count > countedAtMost ? { total: countedAtMost, bound: 'total' } : { total: count }
}

/**
 * Returns a page of accounts, those first that came first. An index of the query finds the page; only its rows are loaded.
 * @param rows the ids of the accounts as `person_id`, and when each came
 */
export const listPeopleByTime = (
  db: Db,
  // oxlint-disable-next-line typescript/no-explicit-any -- a query of any tables
  rows: SelectQueryBuilder<Schema, any, { person_id: UserId; created_unix: Unix }>,
  { limit, offset }: Page,
): Promise<UserRow[]> =>
  db
    .selectFrom(rows.orderBy('created_unix').orderBy('person_id').limit(limit).offset(offset).as('place'))
    .innerJoin('user', 'user.id', 'place.person_id')
    .selectAll('user')
    .orderBy('place.created_unix')
    .orderBy('place.person_id')
    .execute()
