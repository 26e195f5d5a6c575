import type { ActionRunRow, ActionJobRow, ActionStatus } from '../../db/tables/actions.ts'
import type { Unix } from '../../lib/time.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import type { Tone } from '../ui/parts.tsx'
import { actionsTexts as texts } from '../languages/texts.ts'

const looks: Readonly<Record<ActionStatus, { readonly icon: IconName; readonly tone: Tone }>> = {
  success: { icon: 'check-circle-fill', tone: 'good' },
  failure: { icon: 'x-circle-fill', tone: 'danger' },
  cancelled: { icon: 'stop', tone: 'neutral' },
  skipped: { icon: 'skip', tone: 'neutral' },
  running: { icon: 'sync', tone: 'warning' },
  waiting: { icon: 'dot-fill', tone: 'warning' },
  blocked: { icon: 'clock', tone: 'neutral' },
  unknown: { icon: 'question', tone: 'neutral' },
}

/** Returns the icon and colour of a status. */
export const lookOf = (status: ActionStatus) => looks[status]

/** The icon of a status with its name for screen readers. */
export const StatusIcon = ({ status }: { readonly status: ActionStatus }) => (
  <span
    class={`run-status ${lookOf(status).tone}${status === 'running' ? ' is-running' : ''}`}
    title={texts.status(status)}
  >
    <Icon name={lookOf(status).icon} label={texts.status(status)} />
  </span>
)

/** Returns the duration of something that started, in seconds; undefined before. */
export const secondsOf = (
  { started_unix, stopped_unix }: { readonly started_unix: Unix; readonly stopped_unix: Unix },
  nowUnix: Unix,
): number | undefined =>
  started_unix === 0 ? undefined : Math.max(0, (stopped_unix === 0 ? nowUnix : stopped_unix) - started_unix)

/** Returns the name of a run's workflow. */
export const workflowNameOf = (run: Pick<ActionRunRow, 'workflow_id' | 'workflow_name'>): string =>
  run.workflow_name || run.workflow_id

/** Returns the names of the jobs that a job needs. */
export const needsOf = (job: Pick<ActionJobRow, 'needs'>): readonly string[] => JSON.parse(job.needs) as string[]
