import { cancelledDescription } from '../../code/statuses/shown-state.ts'
import type { ActionStatus } from '../../db/tables/actions.ts'

/** The webhook events whose runs write commit statuses (contract, actions: commit statuses). */
const reportedEvents = new Set([
  'push',
  'pull_request',
  'pull_request_sync',
  'pull_request_label',
  'pull_request_assign',
  'pull_request_milestone',
  'release',
])

export const reportsStatus = (hookEvent: string): boolean => reportedEvents.has(hookEvent)

/** Returns the context of a job's commit status. */
export function contextOf(run: { readonly workflow_name: string; readonly event: string }, jobName: string): string {
  return `${run.workflow_name} / ${jobName} (${run.event})`.trim()
}

const states: Readonly<Record<ActionStatus, string>> = {
  unknown: 'pending',
  waiting: 'pending',
  blocked: 'pending',
  running: 'pending',
  success: 'success',
  skipped: 'success',
  failure: 'failure',
  cancelled: 'failure',
}

export const stateOf = (status: ActionStatus): string => states[status]

/** Returns the description of a job's commit status, with the duration of a job that has ended. */
export function descriptionOf(status: ActionStatus, seconds: number): string {
  switch (status) {
    case 'success':
      return `Successful in ${durationText(seconds)}`
    case 'failure':
      return `Failing after ${durationText(seconds)}`
    case 'cancelled':
      return cancelledDescription
    case 'skipped':
      return 'Has been skipped'
    case 'running':
      return 'Has started running'
    case 'blocked':
      return 'Blocked by required conditions'
    case 'waiting':
    case 'unknown':
      return 'Waiting to run'
  }
}

/** Formats seconds as `1h2m3s`, without leading zero units. */
function durationText(seconds: number): string {
  const rest = Math.max(0, Math.round(seconds))
  const hours = Math.floor(rest / 3600)
  const minutes = Math.floor(rest / 60) % 60
  const end = `${rest % 60}s`
  if (hours > 0) return `${hours}h${minutes}m${end}`
  return minutes > 0 ? `${minutes}m${end}` : end
}
