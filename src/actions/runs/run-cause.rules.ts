import type { EventId } from '../../lib/ids.ts'

declare const isCause: unique symbol

/** What starts runs, in the words of `action_run.cause`. A cause starts one run of each workflow file and entry of `on`. */
export type RunCause = string & { readonly [isCause]: true }

/**
 * Returns the cause of the runs that an event starts.
 * @param trigger the position of the trigger event in the event: one for each label and each reference
 */
export const causeOfEvent = (id: EventId, trigger: number): RunCause => `event ${id}.${trigger}` as RunCause
