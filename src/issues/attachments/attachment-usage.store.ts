import type { Db, Tx } from '../../db/database.ts'
import type { RepoId } from '../../lib/ids.ts'

/** Bytes of all files of issues and their comments, by repository. */
export async function sumIssueFiles(
  db: Db | Tx,
  repoIds: readonly RepoId[],
): Promise<{ readonly repoId: RepoId; readonly sizeBytes: number }[]> {
  if (repoIds.length === 0) return []
  const rows = await db
    .selectFrom('attachment')
    .select((select) => ['repo_id', select.fn.sum<number | string>('size_bytes').as('bytes')])
    .where('repo_id', 'in', repoIds)
    .where('release_id', 'is', null)
    .groupBy('repo_id')
    .execute()
  return rows.map((row) => ({ repoId: row.repo_id, sizeBytes: Number(row.bytes) }))
}
