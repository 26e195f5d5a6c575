import { createHash } from 'node:crypto'
import { insertStatuses, listLatestStatuses } from '../../code/statuses/commit-status.store.ts'
import { clockOf } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { actionsUserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { contextOf, descriptionOf, reportsStatus, stateOf } from './commit-status.rules.ts'
import { listTrustedJobs, type JobState } from './run.store.ts'

/** The owner and the repository in the address of a run. */
export interface RunRepo {
  readonly ownerName: string
  readonly repoName: string
}

/**
 * Returns the contexts that an untrusted run must not write: those of trusted runs for the same commit, and those whose
 * latest status a person or another service wrote. Anyone can open a pull request whose head is another person's commit;
 * its run must not replace the result that a required check relies on.
 */
async function reservedContexts(
  tx: Tx,
  run: ActionRunRow,
  latest: readonly Pick<CommitStatusRow, 'context' | 'creator_id'>[],
): Promise<ReadonlySet<string>> {
  if (!run.is_foreign) return new Set()
  const trusted = await listTrustedJobs(tx, run)
  return new Set([
    ...trusted.map((job) => contextOf(job, job.name)),
    ...latest.filter(({ creator_id }) => creator_id !== actionsUserId).map(({ context }) => context),
  ])
}

/** Writes a commit status for each job whose state (pending, success, failure) changed (observed). */
export async function reportJobStatuses(
  tx: Tx,
  repo: RunRepo,
  run: ActionRunRow,
  jobs: readonly JobState[],
): Promise<void> {
  if (!reportsStatus(run.happening) || jobs.length === 0) return
  const latest = await listLatestStatuses(tx, run.repo_id, [run.commit_oid])
  const stateAt = new Map(latest.map(({ context, state }) => [context, state]))
  const reserved = await reservedContexts(tx, run, latest)
  const createdUnix = nowUnix(clockOf(tx))
  const statuses = jobs.flatMap((job) => {
    const context = contextOf(run, job.name)
    const state = stateOf(job.status)
    const targetUrl = `/${repo.ownerName}/${repo.repoName}/actions/runs/${run.number}/jobs/${job.position}`
    if (stateAt.get(context) === state || reserved.has(context)) return []
    stateAt.set(context, state)
    return [
      {
        repoId: run.repo_id,
        sha: run.commit_oid,
        state,
        targetUrl,
        description: descriptionOf(job.status, job.stopped_unix - job.started_unix),
        context,
        contextHash: createHash('sha1').update(context).digest('hex'),
        creatorId: actionsUserId,
        createdUnix,
      },
    ]
  })
  for (const row of await insertStatuses(tx, statuses)) {
    await publish(tx, 'status.created', { repoId: row.repo_id, doerId: actionsUserId, statusId: row.id, sha: row.sha })
  }
}
