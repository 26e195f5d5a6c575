import { createHash } from 'node:crypto'
import type { EventId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

declare const isCause: unique symbol

/** What starts runs, in the words of `action_run.cause`. A cause starts one run of each workflow file and entry of `on`. */
export type RunCause = string & { readonly [isCause]: true }

/**
 * Returns the cause of the runs that an event starts.
 * @param trigger the position of the trigger event in the event: one for each label and each reference
 */
export const causeOfEvent = (id: EventId, trigger: number): RunCause => `event ${id}.${trigger}` as RunCause

/**
 * Returns the cause of the run that a `cron` entry starts at a due time. It names the entry by its text, because each push
 * replaces the rows, and by a digest of it, because the text may be longer than a key of an index.
 */
export const causeOfSchedule = (spec: string, dueUnix: Unix): RunCause =>
  `schedule ${createHash('sha256').update(spec).digest('hex').slice(0, 16)} ${dueUnix}` as RunCause
