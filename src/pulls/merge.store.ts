import type { Db, Tx } from '../db/database.ts'
import type { PullMergeRow, PullRow, ScheduledMergeRow } from '../db/tables/pulls.ts'
import type { CommitStatusRow } from '../db/tables/repositories.ts'
import type { Oid, PullId, RepoId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** Writes down a merge before git moves the base. */
export const insertMerge = (tx: Tx, values: PullMergeRow) =>
  tx
    .insertInto('pull_merge')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Merges of a pull request that somebody is about to make. */
export const listMerges = (tx: Tx, pullId: PullId, sinceUnix: Unix): Promise<PullMergeRow[]> =>
  tx.selectFrom('pull_merge').selectAll().where('pull_id', '=', pullId).where('created_unix', '>', sinceUnix).execute()

export const deleteMerge = (tx: Tx, pullId: PullId, newOid: Oid) =>
  tx.deleteFrom('pull_merge').where('pull_id', '=', pullId).where('new_oid', '=', newOid).execute()

export const deleteMerges = (tx: Tx, pullId: PullId) =>
  tx.deleteFrom('pull_merge').where('pull_id', '=', pullId).execute()

/** What is written down of merges that move branches of a repository to commits. */
export const listMergesTo = async (
  tx: Tx,
  repoId: RepoId,
  oids: readonly Oid[],
): Promise<(PullMergeRow & { readonly base_branch: string })[]> =>
  oids.length === 0
    ? []
    : tx
        .selectFrom('pull_merge')
        .innerJoin('pull', 'pull.id', 'pull_merge.pull_id')
        .selectAll('pull_merge')
        .select('pull.base_branch')
        .where('pull_merge.new_oid', 'in', oids)
        .where('pull.repo_id', '=', repoId)
        .execute()

/** @returns false when one waits already */
export const insertScheduledMerge = async (tx: Tx, values: ScheduledMergeRow): Promise<boolean> =>
  (await tx
    .insertInto('scheduled_merge')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returning('pull_id')
    .executeTakeFirst()) !== undefined

export const findScheduledMerge = (db: Db | Tx, pullId: PullId): Promise<ScheduledMergeRow | undefined> =>
  db.selectFrom('scheduled_merge').selectAll().where('pull_id', '=', pullId).executeTakeFirst()

export const deleteScheduledMerge = async (tx: Tx, pullId: PullId): Promise<boolean> =>
  (await tx.deleteFrom('scheduled_merge').where('pull_id', '=', pullId).executeTakeFirst()).numDeletedRows > 0n

/** Pull requests whose merge waits and whose head is a commit. */
export const listWaitingFor = (db: Db, repoId: RepoId, oid: Oid): Promise<PullRow[]> =>
  db
    .selectFrom('pull')
    .innerJoin('scheduled_merge', 'scheduled_merge.pull_id', 'pull.id')
    .selectAll('pull')
    .where('pull.repo_id', '=', repoId)
    .where('pull.head_oid', '=', oid)
    .orderBy('pull.id')
    .execute()

/** The newest status of each context of a commit. */
export const listNewestStatuses = (db: Db, repoId: RepoId, oid: Oid): Promise<CommitStatusRow[]> =>
  db
    .selectFrom('commit_status')
    .selectAll()
    .where('id', 'in', (select) =>
      select
        .selectFrom('commit_status as newest')
        .select((each) => each.fn.max('newest.id').as('id'))
        .where('newest.repo_id', '=', repoId)
        .where('newest.sha', '=', oid)
        .groupBy('newest.context_hash'),
    )
    .orderBy('id')
    .execute()
