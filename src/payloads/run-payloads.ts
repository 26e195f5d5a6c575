import type { EventData } from '../events/catalogue.ts'
import type { PayloadPresenter } from './payload.present.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type End = EventData<'run.finished'>

function runPayload(
  { repoId, runId, priorStatus = 'unknown' }: End,
  action: 'success' | 'failure' | 'recover',
  applies: (kit: PayloadPresenter) => boolean = () => true,
): EventPayload {
  const name = `action_run_${action}` as const
  return {
    event: name,
    eventType: name,
    to: { repoId },
    needs: { repoIds: [repoId], runIds: [runId] },
    async build(kit) {
      const run = applies(kit) ? await kit.run(runId) : undefined
      return run && { data: { action, run, last_run: (await kit.runBefore(runId)) ?? null, prior_status: priorStatus } }
    },
  }
}

/**
 * Every end but a success is a failure; a success after an end of the same workflow on the same reference that was none is
 * told once more, as a recovery (contract, actions: cancel, rerun, time limits).
 */
export const runPayloads: EventPayloads = {
  'run.finished': ({ data }) =>
    data.status === 'success'
      ? [runPayload(data, 'success'), runPayload(data, 'recover', (kit) => kit.isRecovered(data.runId))]
      : [runPayload(data, 'failure')],
}
