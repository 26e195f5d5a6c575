import type { ActionRunRow } from '../../db/tables/actions.ts'
import { formatUnix } from '../../lib/time.ts'
import type { Repository } from '../../repos/repo.schemas.ts'
import type { User } from '../../users/user.schemas.ts'

/** A run in the payload of a webhook (contract: `ActionRun`). */
export interface ActionRun {
  readonly id: number
  readonly title: string
  readonly repository: Repository
  readonly workflow_id: string
  readonly index_in_repo: number
  readonly trigger_user: User
  readonly ScheduleID: number
  readonly prettyref: string
  readonly is_ref_deleted: boolean
  readonly commit_sha: string
  readonly is_fork_pull_request: boolean
  readonly need_approval: boolean
  readonly approved_by: number
  readonly event: string
  readonly event_payload: string
  readonly trigger_event: string
  readonly status: string
  readonly started: string
  readonly stopped: string
  readonly created: string
  readonly updated: string
  /** The duration of all attempts, in nanoseconds. */
  readonly duration: number
  readonly html_url: string
}

/** Presents a run for a webhook payload, with its repository and its doer, which the caller presented. */
export function presentRunPayload(
  run: ActionRunRow,
  more: {
    readonly payload: string
    readonly repository: Repository
    readonly doer: User
    readonly isRefDeleted: boolean
  },
): ActionRun {
  const { payload, repository, doer, isRefDeleted } = more
  const ownSeconds = run.started_unix > 0 ? Math.max(0, run.stopped_unix - run.started_unix) : 0
  return {
    id: run.id,
    title: run.title,
    repository,
    workflow_id: run.workflow_id,
    index_in_repo: run.number,
    trigger_user: doer,
    // Each push to the default branch replaces the schedules, so their ids identify nothing.
    ScheduleID: 0,
    prettyref: run.head,
    is_ref_deleted: isRefDeleted,
    commit_sha: run.commit_oid,
    is_fork_pull_request: run.is_foreign,
    need_approval: run.needs_approval && run.approver_id === null,
    approved_by: run.approver_id ?? 0,
    event: run.happening,
    event_payload: payload,
    trigger_event: run.event,
    status: run.status,
    started: formatUnix(run.started_unix),
    stopped: formatUnix(run.stopped_unix),
    created: formatUnix(run.created_unix),
    updated: formatUnix(run.updated_unix),
    duration: (ownSeconds + run.previous_seconds) * 1e9,
    html_url: `${repository.html_url}/actions/runs/${run.number}`,
  }
}
