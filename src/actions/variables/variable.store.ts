import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { ActionVariableRow } from '../../db/tables/actions.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import type { ValueOwner } from '../value-owner.ts'

/** Returns an owner's variables, the oldest first. Without `withData` the values are empty. */
export const listVariables = (db: Db, owner: ValueOwner, page: Page, withData: boolean): Promise<ActionVariableRow[]> =>
  db
    .selectFrom('action_variable')
    .select(['id', 'owner_id', 'repo_id', 'name', 'created_unix', 'updated_unix'])
    .select((select) => (withData ? select.ref('data').as('data') : select.val('').as('data')))
    .where((where) => where.and(ownedBy(owner)))
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countVariables = (db: Db | Tx, owner: ValueOwner): Promise<number> =>
  countRows(db.selectFrom('action_variable').where((where) => where.and(ownedBy(owner))))

export const findVariable = (db: Db, owner: ValueOwner, name: string): Promise<ActionVariableRow | undefined> =>
  db
    .selectFrom('action_variable')
    .selectAll()
    .where((where) => where.and(ownedBy(owner)))
    .where('name', '=', name)
    .executeTakeFirst()

export const insertVariable = (tx: Tx, owner: ValueOwner, name: string, data: string, createdUnix: Unix) =>
  tx
    .insertInto('action_variable')
    .values({ ...owner, name, data, created_unix: createdUnix, updated_unix: createdUnix })
    .execute()

/** Returns false when the variable does not exist. */
export const updateVariable = (
  tx: Tx,
  owner: ValueOwner,
  name: string,
  change: { readonly name: string; readonly data: string; readonly updated_unix: Unix },
): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('action_variable')
      .set(change)
      .where((where) => where.and(ownedBy(owner)))
      .where('name', '=', name),
  )

/** Returns false when the variable does not exist. */
export const deleteVariable = (tx: Tx, owner: ValueOwner, name: string): Promise<boolean> =>
  changesRow(
    tx
      .deleteFrom('action_variable')
      .where((where) => where.and(ownedBy(owner)))
      .where('name', '=', name),
  )

const ownedBy = ({ owner_id, repo_id }: ValueOwner) => (owner_id === null ? { repo_id } : { owner_id })

/** Returns the variables for jobs of a repository, by name. A variable of the repository precedes one of its owner. */
export async function loadVariablesFor(
  db: Db,
  repo: { readonly id: RepoId; readonly owner_id: UserId },
): Promise<Readonly<Record<string, string>>> {
  const rows = await db
    .selectFrom('action_variable')
    .select(['name', 'data', 'repo_id'])
    .where((where) => where.or([where('owner_id', '=', repo.owner_id), where('repo_id', '=', repo.id)]))
    .execute()
  const own = rows.filter((row) => row.repo_id !== null)
  return Object.fromEntries(
    [...rows.filter((row) => row.repo_id === null), ...own].map(({ name, data }) => [name, data]),
  )
}
