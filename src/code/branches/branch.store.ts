import { bytewise } from '../../db/bytewise.ts'
import { contains } from '../../db/like.ts'
import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { BranchRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/** @param words a part of the names; '' for all */
function branchesOf(db: Db, repoId: RepoId, words = '') {
  const query = db.selectFrom('branch').where('repo_id', '=', repoId).where('is_deleted', '=', false)
  return words === '' ? query : query.where(contains('name', words))
}

/** Branches by commit time, newest first, then by name bytewise. */
export const listBranches = (
  db: Db,
  repoId: RepoId,
  page: Pick<Page, 'limit' | 'offset'>,
  words?: string,
): Promise<BranchRow[]> =>
  branchesOf(db, repoId, words)
    .selectAll()
    .orderBy('commit_unix', 'desc')
    .orderBy(bytewise(db, 'name'))
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countBranches = (db: Db, repoId: RepoId, words?: string): Promise<number> =>
  countRows(branchesOf(db, repoId, words))

/** Returns which of the names branches of the repositories have. */
export async function listTakenBranchNames(
  db: Db,
  repoIds: readonly RepoId[],
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('branch')
    .select('name')
    .where('repo_id', 'in', repoIds)
    .where('name', 'in', names)
    .where('is_deleted', '=', false)
    .execute()
  return new Set(pluck(rows, 'name'))
}

export const findBranch = (db: Db, repoId: RepoId, name: string): Promise<BranchRow | undefined> =>
  branchesOf(db, repoId).selectAll().where('name', '=', name).executeTakeFirst()

/** Records a rename; earlier names lead to the new one. */
export async function insertBranchRename(
  tx: Tx,
  repoId: RepoId,
  names: { oldName: string; newName: string },
  createdUnix: Unix,
): Promise<void> {
  const { oldName, newName } = names
  await tx.deleteFrom('branch_rename').where('repo_id', '=', repoId).where('old_name', '=', newName).execute()
  await tx
    .updateTable('branch_rename')
    .set({ new_name: newName })
    .where('repo_id', '=', repoId)
    .where('new_name', '=', oldName)
    .execute()
  await tx
    .insertInto('branch_rename')
    .values({ repo_id: repoId, old_name: oldName, new_name: newName, created_unix: createdUnix })
    .onConflict((conflict) =>
      conflict.columns(['repo_id', 'old_name']).doUpdateSet({ new_name: newName, created_unix: createdUnix }),
    )
    .execute()
}

/** The present names of renamed branches. */
export const listBranchRenames = (db: Db, repoId: RepoId, oldNames: readonly string[]) =>
  db
    .selectFrom('branch_rename')
    .select(['old_name', 'new_name'])
    .where('repo_id', '=', repoId)
    .where('old_name', 'in', oldNames)
    .execute()
