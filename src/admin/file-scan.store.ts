import type { Db } from '../db/database.ts'
import type { GitKey } from '../lib/ids.ts'

/** Where rows name a blob: the store it lies in, and whose it is. */
export const blobColumns = [
  { store: 'attachments', table: 'attachment', column: 'blob_key' },
  { store: 'avatars', table: 'user', column: 'avatar_key' },
  { store: 'repoAvatars', table: 'repo', column: 'avatar_key' },
] as const
export type BlobColumn = (typeof blobColumns)[number]

/** Blobs that rows name, in the order of the rows' ids, after `after`. */
export async function listNamedBlobs(
  db: Db,
  { table, column }: BlobColumn,
  after: number,
  limit: number,
): Promise<{ id: number; key: string }[]> {
  const key = `${table}.${column}` as 'attachment.blob_key'
  return db
    .selectFrom(table as 'attachment')
    .select(['id', `${key} as key`])
    .where('id', '>', after as never)
    .where(key, '<>', '')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Those of the keys that a repository or a wiki has. */
export async function listKnownGitKeys(db: Db, keys: readonly GitKey[]): Promise<ReadonlySet<GitKey>> {
  const rows = await db
    .selectFrom('repo')
    .select(['git_key', 'wiki_git_key'])
    .where((row) => row.or([row('git_key', 'in', keys), row('wiki_git_key', 'in', keys)]))
    .execute()
  return new Set(rows.flatMap((row) => (row.wiki_git_key === null ? [row.git_key] : [row.git_key, row.wiki_git_key])))
}

/** Most jobs that are looked at for what they have still to do. */
const maxPendingJobs = 1000

/** What jobs that are not done yet work on, as JSON: their inputs and the events that they follow. */
export async function listPendingWork(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('job')
    .leftJoin('event', 'event.id', 'job.event_id')
    .select(['job.input', 'event.data'])
    .orderBy('job.id', 'desc')
    .limit(maxPendingJobs)
    .execute()
  return rows.map((row) => row.data ?? row.input)
}
