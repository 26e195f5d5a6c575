import { textList, textListText } from '../db/id-list.ts'
import type { Db, Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { Oid, RepoId } from '../lib/ids.ts'

/** The history of a file. */
export interface FileHistory {
  readonly lastOid: Oid
  readonly commitCount: number
}

/** Returns the commit up to which a wiki is indexed. */
export const findIndexedHead = async (db: Db, repoId: RepoId): Promise<Oid | undefined> =>
  (await db.selectFrom('wiki_index').select('head_oid').where('repo_id', '=', repoId).executeTakeFirst())?.head_oid

/** Returns the histories of files and the indexed commit in one statement, which is consistent; undefined without an index. */
export async function loadHistories(
  db: Db,
  repoId: RepoId,
  files: readonly string[],
): Promise<{ readonly head: Oid; readonly histories: ReadonlyMap<string, FileHistory> } | undefined> {
  const rows = await db
    .selectFrom('wiki_index')
    .leftJoin('wiki_page', (join) =>
      join
        .onRef('wiki_page.repo_id', '=', 'wiki_index.repo_id')
        .on('wiki_page.file', 'in', textList(db, textListText(files))),
    )
    .select(['head_oid', 'file', 'last_oid', 'commit_count'])
    .where('wiki_index.repo_id', '=', repoId)
    .execute()
  const [first] = rows
  if (!first) return undefined
  const histories = new Map<string, FileHistory>()
  for (const { file, last_oid: lastOid, commit_count: commitCount } of rows) {
    if (file !== null && lastOid !== null && commitCount !== null) histories.set(file, { lastOid, commitCount })
  }
  return { head: first.head_oid, histories }
}

/** Returns all indexed histories, for the doctor. */
export async function listHistories(db: Db, repoId: RepoId): Promise<Map<string, FileHistory>> {
  const rows = await db
    .selectFrom('wiki_page')
    .select(['file', 'last_oid', 'commit_count'])
    .where('repo_id', '=', repoId)
    .execute()
  return new Map(rows.map((row) => [row.file, { lastOid: row.last_oid, commitCount: row.commit_count }]))
}

/**
 * Sets the indexed commit.
 * @param known the previous one; undefined without an index
 * @returns false when another process changed it
 */
export async function moveIndexedHead(tx: Tx, repoId: RepoId, known: Oid | undefined, head: Oid): Promise<boolean> {
  if (known === undefined) {
    return changesRow(
      tx
        .insertInto('wiki_index')
        .values({ repo_id: repoId, head_oid: head })
        .onConflict((conflict) => conflict.column('repo_id').doNothing()),
    )
  }
  return changesRow(
    tx.updateTable('wiki_index').set({ head_oid: head }).where('repo_id', '=', repoId).where('head_oid', '=', known),
  )
}

const rowsPerInsert = 1000

/** Adds commits to the index. */
export async function addToHistories(tx: Tx, repoId: RepoId, added: ReadonlyMap<string, FileHistory>): Promise<void> {
  const rows = [...added].map(([file, { lastOid, commitCount }]) => ({
    repo_id: repoId,
    file,
    last_oid: lastOid,
    commit_count: commitCount,
  }))
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await tx
      .insertInto('wiki_page')
      .values(rows.slice(start, start + rowsPerInsert))
      .onConflict((conflict) =>
        conflict.columns(['repo_id', 'file']).doUpdateSet((set) => ({
          last_oid: set.ref('excluded.last_oid'),
          commit_count: set('wiki_page.commit_count', '+', set.ref('excluded.commit_count')),
        })),
      )
      .execute()
  }
}

export async function deleteHistories(tx: Tx, repoId: RepoId): Promise<void> {
  await tx.deleteFrom('wiki_page').where('repo_id', '=', repoId).execute()
}

export async function deleteIndex(tx: Tx, repoId: RepoId): Promise<void> {
  await deleteHistories(tx, repoId)
  await tx.deleteFrom('wiki_index').where('repo_id', '=', repoId).execute()
}
