import { listUnitsOf } from '../../access/access.store.ts'
import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { ActionScheduleRow } from '../../db/tables/actions.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { parseSchedule } from '../../jobs/schedule.ts'
import { actionsUserId, type Oid } from '../../lib/ids.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { listWorkflowFiles } from '../workflows/workflow-files.service.ts'
import {
  deleteSchedule,
  deleteSchedulesOf,
  findDueSchedule,
  insertSchedules,
  listDueSchedules,
  listSchedulesOf,
  moveSchedule,
} from './schedule.store.ts'
import { isDisabled } from '../workflows/workflow-list.store.ts'
import { causeOfSchedule } from '../runs/run-cause.rules.ts'
import { startRun } from '../runs/start-run.service.ts'

/** Most `cron` entries of one repository, and most due entries that one run of the task starts. */
const maxEntries = 100
const duePerRun = 500

/** Returns the next time of a `cron` entry; undefined when it is malformed or never due. */
function nextOf(spec: string, afterUnix: Unix): Unix | undefined {
  try {
    return parseSchedule(spec).next(afterUnix)
  } catch {
    // Authors of workflows write the entry; a malformed one never starts a run.
    return undefined
  }
}

const keyOf = (entry: Pick<ActionScheduleRow, 'workflow_id' | 'spec'>): string => `${entry.workflow_id} ${entry.spec}`

/**
 * Replaces the schedules of a repository by those of the workflows in a commit of the default branch. An entry that stays keeps
 * its due time: it may be due already.
 */
export async function replaceSchedules(ctx: Ctx, repo: RepoRow, commit: Oid): Promise<void> {
  const now = nowUnix(ctx.clock)
  const files = await listWorkflowFiles(ctx, repo.git_key, commit)
  const rows = files
    .flatMap(({ id, parsed }) => (parsed.ok ? parsed.workflow.schedules.map((spec) => ({ id, spec })) : []))
    .slice(0, maxEntries)
    .flatMap(({ id, spec }): Omit<ActionScheduleRow, 'id'>[] => {
      const next = nextOf(spec, now)
      return next === undefined
        ? []
        : [{ repo_id: repo.id, workflow_id: id, spec, commit_oid: commit, next_unix: next }]
    })
  // Most repositories have no schedules; nothing is written for them.
  if (rows.length === 0 && (await listSchedulesOf(ctx.db, repo.id)).length === 0) return
  await transaction(ctx.db, async (tx) => {
    const dueTimes = new Map((await listSchedulesOf(tx, repo.id)).map((entry) => [keyOf(entry), entry.next_unix]))
    await deleteSchedulesOf(tx, repo.id)
    await insertSchedules(
      tx,
      rows.map((row) => ({ ...row, next_unix: dueTimes.get(keyOf(row)) ?? row.next_unix })),
    )
  })
}

/** How long an entry that cannot be started is tried again, in seconds, before it waits for its next time. */
const retrySeconds = 3600

/**
 * Starts the due workflows. Each due entry starts one run, also when several processes run the task: the run is found by its
 * cause. The due time moves when the run exists, so that a process that ends in between loses none.
 */
export async function startDueSchedules(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const now = nowUnix(ctx.clock)
  const failures: unknown[] = []
  for (const { id } of await listDueSchedules(ctx.db, now, duePerRun)) {
    if (signal.aborted) return
    // Another process may have moved it since the list was read.
    const entry = await findDueSchedule(ctx.db, id, now)
    if (!entry) continue
    try {
      await startScheduled(ctx, entry)
    } catch (error) {
      // The other repositories do not wait for this one. The task fails when it has started theirs.
      failures.push(error)
      if (now - entry.next_unix < retrySeconds) continue
    }
    const next = nextOf(entry.spec, now)
    await transaction(ctx.db, (tx): Promise<unknown> =>
      next === undefined ? deleteSchedule(tx, entry.id) : moveSchedule(tx, entry.id, entry.next_unix, next),
    )
  }
  if (failures.length > 0) throw new AggregateError(failures, `cannot start ${failures.length} of the due schedules`)
}

async function startScheduled(ctx: Ctx, entry: ActionScheduleRow): Promise<void> {
  const repo = await findRepoById(ctx.db, entry.repo_id)
  if (!repo || repo.is_archived || repo.is_empty) return
  const units = await listUnitsOf(ctx.db, repo.id)
  if (!units.some(({ unit }) => unit === 'actions')) return
  if (await isDisabled(ctx.db, repo.id, entry.workflow_id)) return
  const file = (await listWorkflowFiles(ctx, repo.git_key, entry.commit_oid)).find(({ id }) => id === entry.workflow_id)
  if (!file) return
  const { message } = await ctx.git.readCommit(repo.git_key, entry.commit_oid)
  await startRun(ctx, {
    repo,
    file,
    event: 'schedule',
    hookEvent: 'schedule',
    title: message.split('\n', 1)[0] ?? '',
    // The bare branch name, without `refs/heads/` (observed).
    ref: repo.default_branch,
    head: repo.default_branch,
    commit: entry.commit_oid,
    doerId: actionsUserId,
    payload: JSON.stringify({ action: 'schedule' }),
    cause: causeOfSchedule(entry.spec, entry.next_unix),
  })
}
