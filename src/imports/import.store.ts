import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { countRows, hasRow } from '../db/rows.ts'
import type { ImportChange, ImportRow, NewImportRow } from '../db/tables/imports.ts'
import type { ImportId, RepoId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'

/** Literals, so that the condition matches that of the partial index. */
const unfinished = [sql.lit('waiting' as const), sql.lit('running' as const)]

export const insertImport = (tx: Tx, values: NewImportRow): Promise<ImportRow> =>
  tx.insertInto('repo_import').values(values).returningAll().executeTakeFirstOrThrow()

export const findImport = (db: Db | Tx, id: ImportId): Promise<ImportRow | undefined> =>
  db.selectFrom('repo_import').selectAll().where('id', '=', id).executeTakeFirst()

export const findImportOf = (db: Db, doerId: UserId, id: ImportId): Promise<ImportRow | undefined> =>
  db.selectFrom('repo_import').selectAll().where('id', '=', id).where('doer_id', '=', doerId).executeTakeFirst()

/** Lists one page of an account's imports, newest first. */
export const listImportsOf = (db: Db, doerId: UserId, page: Page): Promise<ImportRow[]> =>
  db
    .selectFrom('repo_import')
    .selectAll()
    .where('doer_id', '=', doerId)
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

/** Counts the imports of an account, all or only the unfinished ones. */
export const countImportsOf = (db: Db | Tx, doerId: UserId, only?: 'unfinished'): Promise<number> => {
  const imports = db.selectFrom('repo_import').where('doer_id', '=', doerId)
  return countRows(only ? imports.where('state', 'in', unfinished) : imports)
}

/**
 * Updates an unfinished import; returns undefined when it has ended or does not exist.
 * @param at the position that it must have
 */
export const updateUnfinished = (
  tx: Tx,
  id: ImportId,
  change: ImportChange,
  at?: Pick<ImportRow, 'step' | 'cursor' | 'done_count'>,
): Promise<ImportRow | undefined> =>
  tx
    .updateTable('repo_import')
    .set(change)
    .where('id', '=', id)
    .where('state', 'in', unfinished)
    .$if(at !== undefined, (update) =>
      update.where('step', '=', at!.step).where('cursor', '=', at!.cursor).where('done_count', '=', at!.done_count),
    )
    .returningAll()
    .executeTakeFirst()

export const isUnfinished = (db: Db | Tx, id: ImportId): Promise<boolean> =>
  hasRow(db.selectFrom('repo_import').where('id', '=', id).where('state', 'in', unfinished))

export const deleteImport = (tx: Tx, id: ImportId) => tx.deleteFrom('repo_import').where('id', '=', id).execute()

/** Deletes imports that ended before a time. */
export const deleteEndedBefore = (tx: Tx, beforeUnix: Unix) =>
  tx.deleteFrom('repo_import').where('state', 'not in', unfinished).where('updated_unix', '<', beforeUnix).execute()

/** Lists the repositories of an account, oldest first. */
export const listRepoIdsOf = async (db: Db, ownerId: UserId): Promise<RepoId[]> =>
  (await db.selectFrom('repo').select('id').where('owner_id', '=', ownerId).orderBy('id').execute()).map(
    (row) => row.id,
  )

/** Finds the unfinished import of a repository. */
export const findImportOfRepo = (tx: Tx, repoId: RepoId) =>
  tx
    .selectFrom('repo_import')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('state', 'in', unfinished)
    .limit(1)
    .executeTakeFirst()
