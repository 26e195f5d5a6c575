import type { ActionStatus, ActionTaskRow } from '../../db/tables/actions.ts'
import type { Attempt } from '../../actions/logs/attempt.service.ts'
import type { StepOfTask } from '../../actions/runs/task.store.ts'

/** Most lines of a section on a page; links lead to others. */
export const maxLines = 1000

/** A part of the log of a job: a step, or what the runner wrote around the steps. */
export interface LogSection {
  /** Its number in addresses, which it keeps while the log grows: 0 is the setup, 1 the first step. */
  readonly number: number
  readonly kind: 'setUp' | 'step' | 'complete' | 'whole'
  /** The name of a step; empty without one. */
  readonly name: string
  readonly status: ActionStatus
  /** The first line, and the line after the last one. */
  readonly from: number
  readonly to: number
  readonly started_unix: number
  readonly stopped_unix: number
}

const untimed = { started_unix: 0, stopped_unix: 0 } as const

/**
 * Divides the log of an attempt. Lines before the first step and after the last one have sections of their own. A runner
 * that reports no lines of steps has one log.
 */
export function sectionsOf(
  task: Pick<ActionTaskRow, 'log_lines' | 'status' | 'step_names'>,
  steps: readonly StepOfTask[],
): readonly LogSection[] {
  const names = JSON.parse(task.step_names) as readonly string[]
  const lines = task.log_lines
  const begun = steps.filter((step) => step.log_length > 0 || step.status === 'running')
  const first = Math.min(lines, ...begun.map((step) => step.log_index))
  const current = steps.findLast((step) => step.status === 'running')
  const endOf = (step: StepOfTask): number =>
    Math.min(lines, step === current ? lines : step.log_index + step.log_length)
  const last = Math.max(first, ...begun.map(endOf))
  const edge = task.status === 'running' ? 'success' : task.status
  const after = steps.length + 1
  return [
    ...(begun.length > 0 && first > 0
      ? [{ number: 0, kind: 'setUp' as const, name: '', status: 'success' as const, from: 0, to: first, ...untimed }]
      : []),
    ...steps.map((step, index) => ({
      number: index + 1,
      kind: 'step' as const,
      name: step.name || names[step.position] || '',
      status: step.status,
      from: Math.min(step.log_index, lines),
      to: Math.max(Math.min(step.log_index, lines), endOf(step)),
      started_unix: step.started_unix,
      stopped_unix: step.stopped_unix,
    })),
    ...(begun.length === 0
      ? [{ number: after, kind: 'whole' as const, name: '', status: task.status, from: 0, to: lines, ...untimed }]
      : last < lines
        ? [{ number: after, kind: 'complete' as const, name: '', status: edge, from: last, to: lines, ...untimed }]
        : []),
  ]
}

/** Returns the sections of a failed attempt in which it failed: its failed steps, or else the last part of its log. */
export function failedSections({ task, steps }: Attempt): readonly LogSection[] {
  const sections = sectionsOf(task, steps)
  const failed = sections.filter(({ kind, status }) => kind === 'step' && status === 'failure')
  return failed.length > 0 ? failed : sections.filter(hasLines).slice(-1)
}

const hasLines = ({ from, to }: LogSection): boolean => to > from

/** Returns the line at which a section failed, from 0: its last error, or else its last line. Undefined without lines. */
export function lineToShow(section: LogSection, { steps, errorLines }: Attempt): number | undefined {
  const step = section.kind === 'step' ? steps[section.number - 1] : undefined
  return (step && errorLines.get(step.position)) ?? (hasLines(section) ? section.to - 1 : undefined)
}

/** Returns the section that is open at first: the failed or running one, or the only step. */
export function sectionToOpen(sections: readonly LogSection[]): LogSection | undefined {
  const withLines = sections.filter((section) => hasLines(section) || section.status === 'running')
  const steps = withLines.filter(({ kind }) => kind === 'step')
  return (
    withLines.find(({ status, kind }) => status === 'failure' && kind === 'step') ??
    withLines.find(({ status }) => status === 'running') ??
    (steps.length === 1 ? steps[0] : withLines.length === 1 ? withLines[0] : undefined)
  )
}
