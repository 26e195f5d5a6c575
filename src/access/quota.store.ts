import type { Db } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'
import type { QuotaUsage } from './quota.rules.ts'

/** What an account uses, as its rows say; everything is charged to the owner of a repository. */
export async function loadUsage(db: Db, ownerId: UserId): Promise<QuotaUsage> {
  const rows = await db
    .selectFrom('repo')
    .select((select) => [
      'is_private',
      select.fn.sum<number | string>('git_size_bytes').as('git'),
      select.fn.sum<number | string>('lfs_size_bytes').as('lfs'),
    ])
    .where('owner_id', '=', ownerId)
    .groupBy('is_private')
    .execute()
  const [attachments] = await db
    .selectFrom('attachment')
    .innerJoin('repo', 'repo.id', 'attachment.repo_id')
    .select((select) => [
      select.fn.sum<number | string | null>('attachment.size_bytes').as('all'),
      select.fn
        .sum<number | string | null>('attachment.size_bytes')
        .filterWhere('attachment.release_id', 'is not', null)
        .as('releases'),
    ])
    .where('repo.owner_id', '=', ownerId)
    .execute()
  const releaseAttachments = Number(attachments?.releases ?? 0)
  const sum = (isPrivate: boolean): number => Number(rows.find((row) => row.is_private === isPrivate)?.git ?? 0)
  return {
    publicRepos: sum(false),
    privateRepos: sum(true),
    lfs: rows.reduce((total, row) => total + Number(row.lfs ?? 0), 0),
    issueAttachments: Number(attachments?.all ?? 0) - releaseAttachments,
    releaseAttachments,
    artifacts: 0,
    packages: 0,
  }
}
