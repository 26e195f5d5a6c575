import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { textList, textListText } from '../../db/id-list.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { ActionJobId, RepoId, RunId } from '../../lib/ids.ts'

/** Locks the concurrency groups of a repository until the transaction ends. Each transaction locks them before runs. */
export const lockGroups = (tx: Tx, repoId: RepoId) =>
  tx
    .updateTable('action_run_counter')
    .set((set) => ({ last_number: set.ref('last_number') }))
    .where('repo_id', '=', repoId)
    .execute()

/** As `lockGroups`, for the repository of a run that may belong to a group. */
export const lockGroupsOfRun = (tx: Tx, id: RunId) =>
  tx
    .updateTable('action_run_counter')
    .set((set) => ({ last_number: set.ref('last_number') }))
    .where('repo_id', 'in', (where) =>
      where
        .selectFrom('action_run')
        .select('repo_id')
        .where('id', '=', id)
        .where(sql<boolean>`has_groups`),
    )
    .execute()

/** What has groups of its own: the trusted runs of a repository, and the untrusted runs of each reference. */
export type GroupScope = Pick<ActionRunRow, 'repo_id' | 'is_foreign' | 'ref'>

/** A run or a job that belongs to a concurrency group. */
export interface GroupMember {
  readonly group: string
  readonly runId: RunId
  /** Null for a run. */
  readonly jobId: ActionJobId | null
  readonly isWaiting: boolean
  /** Empty for a run. */
  readonly job_key: string
  /** JSON. */
  readonly needs: string
  readonly is_call: boolean
}

/** Returns the members of groups, or of all groups, the oldest first. */
export async function listGroupMembers(
  tx: Tx,
  { repo_id: repoId, is_foreign: isForeign, ref }: GroupScope,
  groups: readonly string[] | undefined,
): Promise<readonly GroupMember[]> {
  if (groups?.length === 0) return []
  const names = groups && textList(tx, textListText(groups))
  const runs = await tx
    .selectFrom('action_run')
    .select(['concurrency_group', 'id', 'is_held'])
    .where('repo_id', '=', repoId)
    .$if(names !== undefined, (query) => query.where('concurrency_group', 'in', names!))
    .where(sql<boolean>`in_group`)
    .where('is_foreign', '=', isForeign)
    .$if(isForeign, (query) => query.where('ref', '=', ref))
    .orderBy('id')
    .execute()
  const jobs = await tx
    .selectFrom('action_job')
    .innerJoin('action_run', 'action_run.id', 'action_job.run_id')
    .select(['action_job.concurrency_group', 'action_job.id', 'action_job.run_id', 'action_job.group_state'])
    .select(['action_job.job_key', 'action_job.needs', 'action_job.is_call'])
    .where('action_job.repo_id', '=', repoId)
    .$if(names !== undefined, (query) => query.where('action_job.concurrency_group', 'in', names!))
    .where('action_job.group_state', '<>', sql.lit('outside'))
    .where('action_run.is_foreign', '=', isForeign)
    .$if(isForeign, (query) => query.where('action_run.ref', '=', ref))
    .orderBy('action_job.queued_ms')
    .orderBy('action_job.id')
    .execute()
  return [
    ...runs.map((run) => ({
      group: run.concurrency_group,
      runId: run.id,
      jobId: null,
      isWaiting: run.is_held,
      ...{ job_key: '', needs: '[]', is_call: false },
    })),
    ...jobs.map((job) => ({
      group: job.concurrency_group,
      runId: job.run_id,
      jobId: job.id,
      isWaiting: job.group_state === 'waiting',
      ...{ job_key: job.job_key, needs: job.needs, is_call: job.is_call },
    })),
  ]
}
