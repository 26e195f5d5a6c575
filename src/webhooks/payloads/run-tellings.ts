import type { EventData } from '../../events/catalogue.ts'
import type { PayloadKit } from './payload-kit.present.ts'
import type { Telling, Tellings } from './telling.ts'

type End = EventData<'run.finished'>

function told(
  { repoId, runId, priorStatus = 'unknown' }: End,
  action: 'success' | 'failure' | 'recover',
  isTold: (kit: PayloadKit) => boolean = () => true,
): Telling {
  const name = `action_run_${action}` as const
  return {
    event: name,
    eventType: name,
    to: { repoId },
    needs: { repoIds: [repoId], runIds: [runId] },
    async make(kit) {
      const run = isTold(kit) ? await kit.run(runId) : undefined
      return run && { data: { action, run, last_run: (await kit.runBefore(runId)) ?? null, prior_status: priorStatus } }
    },
  }
}

/**
 * Every end but a success is a failure; a success after an end of the same workflow on the same reference that was none is
 * told once more, as a recovery (contract, actions: cancel, rerun, time limits).
 */
export const runTellings: Tellings = {
  'run.finished': ({ data }) =>
    data.status === 'success'
      ? [told(data, 'success'), told(data, 'recover', (kit) => kit.isRecovered(data.runId))]
      : [told(data, 'failure')],
}
