import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import type { CommentId, IssueId, ReleaseId, RepoId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** An account and the repository that it uploads to. */
export interface Uploader {
  readonly repoId: RepoId
  readonly uploaderId: UserId
}

/** Returns how many files of an account wait in a repository for a text that shows them. */
export const countPendingFiles = async (db: Db | Tx, { repoId, uploaderId }: Uploader): Promise<number> =>
  (
    await db
      .selectFrom('attachment')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('repo_id', '=', repoId)
      .where('uploader_id', '=', uploaderId)
      .where('issue_id', 'is', null)
      .where('release_id', 'is', null)
      .executeTakeFirstOrThrow()
  ).count

/** Who shows a file: an issue, a comment of it, or a release. */
type Holder = { readonly issue_id: IssueId; readonly comment_id: CommentId | null } | { readonly release_id: ReleaseId }

/** Those of some files that wait for their uploader, to be changed. */
const waiting = (tx: Tx, { repoId, uploaderId }: Uploader, uuids: readonly string[]) =>
  tx
    .updateTable('attachment')
    .where('uuid', 'in', uuids)
    .where('repo_id', '=', repoId)
    .where('uploader_id', '=', uploaderId)
    .where('issue_id', 'is', null)
    .where('release_id', 'is', null)

/** Gives waiting files of an account to an issue, a comment or a release. Returns their sizes. */
export const claimPendingFiles = (tx: Tx, uploader: Uploader, uuids: readonly string[], holder: Holder) =>
  waiting(tx, uploader, uuids).set(holder).returning('size_bytes').execute()

/** Gives waiting files of an account to comments of an issue. @param shown the comment of each file, by the file's id */
export const claimPendingFilesOfComments = (
  tx: Tx,
  uploader: Uploader,
  issueId: IssueId,
  shown: ReadonlyMap<string, CommentId>,
) => {
  const cases = [...shown].map(([uuid, id]) => sql`when ${uuid} then ${sql.lit(id)}`)
  return waiting(tx, uploader, [...shown.keys()])
    .set({ issue_id: issueId, comment_id: sql<CommentId>`case uuid ${sql.join(cases, sql` `)} end` })
    .execute()
}

/** Returns the accounts, with repositories, that have files waiting since before a time. */
export const listUploadersOfPending = async (db: Db, beforeUnix: Unix): Promise<Uploader[]> =>
  (
    await db
      .selectFrom('attachment')
      .select(['repo_id', 'uploader_id'])
      .distinct()
      .where('issue_id', 'is', null)
      .where('release_id', 'is', null)
      .where('created_unix', '<', beforeUnix)
      .execute()
  ).map((row) => ({ repoId: row.repo_id, uploaderId: row.uploader_id }))

/** Deletes the files of an account that wait since before a time, and returns them. */
export const deletePendingFiles = (
  tx: Tx,
  { repoId, uploaderId }: Uploader,
  beforeUnix: Unix,
): Promise<AttachmentRow[]> =>
  tx
    .deleteFrom('attachment')
    .where('repo_id', '=', repoId)
    .where('uploader_id', '=', uploaderId)
    .where('issue_id', 'is', null)
    .where('release_id', 'is', null)
    .where('created_unix', '<', beforeUnix)
    .returningAll()
    .execute()
