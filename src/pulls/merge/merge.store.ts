import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { PullRow, ScheduledMergeRow } from '../../db/tables/pulls.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import type { Oid, PullId, RepoId } from '../../lib/ids.ts'

/** Inserts a scheduled merge; false when the pull request already has one. */
export const insertScheduledMerge = (tx: Tx, values: ScheduledMergeRow): Promise<boolean> =>
  changesRow(
    tx
      .insertInto('scheduled_merge')
      .values(values)
      .onConflict((conflict) => conflict.doNothing()),
  )

export const findScheduledMerge = (db: Db | Tx, pullId: PullId): Promise<ScheduledMergeRow | undefined> =>
  db.selectFrom('scheduled_merge').selectAll().where('pull_id', '=', pullId).executeTakeFirst()

export const deleteScheduledMerge = (tx: Tx, pullId: PullId): Promise<boolean> =>
  changesRow(tx.deleteFrom('scheduled_merge').where('pull_id', '=', pullId))

/** Returns the pull requests with a scheduled merge whose head is the commit. */
export const listWaitingFor = (db: Db, repoId: RepoId, oid: Oid): Promise<PullRow[]> =>
  db
    .selectFrom('pull')
    .innerJoin('scheduled_merge', 'scheduled_merge.pull_id', 'pull.id')
    .selectAll('pull')
    .where('pull.repo_id', '=', repoId)
    .where('pull.head_oid', '=', oid)
    .orderBy('pull.id')
    .execute()

/** Returns the newest status of each context of a commit. */
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
