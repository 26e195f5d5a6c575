import type { RepoUsage } from '../access/quota/usage.store.ts'
import type { Db, Tx } from '../db/database.ts'
import type { RepoId } from '../lib/ids.ts'

/** Returns the bytes of attachments by repository: those of releases, and all others. */
export async function sumFiles(db: Db | Tx, repoIds: readonly RepoId[]): Promise<RepoUsage[]> {
  if (repoIds.length === 0) return []
  const sums = (isOfRelease: boolean) =>
    db
      .selectFrom('attachment')
      .select((select) => ['repo_id', select.fn.sum<number | string>('size_bytes').as('bytes')])
      .where('repo_id', 'in', repoIds)
      .where('release_id', isOfRelease ? 'is not' : 'is', null)
      .groupBy('repo_id')
      .execute()
  const [ofReleases, ofIssues] = [await sums(true), await sums(false)]
  const usage = (kind: RepoUsage['kind'], rows: typeof ofIssues): RepoUsage[] =>
    rows.map((row) => ({ repoId: row.repo_id, kind, sizeBytes: Number(row.bytes) }))
  return [...usage('attachments:releases', ofReleases), ...usage('attachments:issues', ofIssues)]
}
