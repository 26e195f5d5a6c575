import type { EventData } from '../events/catalogue.ts'
import type { PayloadPresenter } from './payload.present.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'

type FinishedRun = EventData<'run.finished'>

function runPayload(
  { repoId, runId, priorStatus = 'unknown' }: FinishedRun,
  action: 'success' | 'failure' | 'recover',
  applies: (presenter: PayloadPresenter) => boolean = () => true,
): EventPayload {
  const name = `action_run_${action}` as const
  return {
    event: name,
    eventType: name,
    to: { repoId },
    needs: { repoIds: [repoId], runIds: [runId] },
    async build(presenter) {
      const run = applies(presenter) ? await presenter.run(runId) : undefined
      return (
        run && {
          data: { action, run, last_run: (await presenter.runBefore(runId)) ?? null, prior_status: priorStatus },
        }
      )
    },
  }
}

/**
 * Each end other than a success is a failure. A success that follows a failure of the same workflow on the same reference is
 * also a recovery (contract, actions: cancel, rerun, time limits).
 */
export const runPayloads: EventPayloads = {
  'run.finished': ({ data }) =>
    data.status === 'success'
      ? [runPayload(data, 'success'), runPayload(data, 'recover', (presenter) => presenter.isRecovered(data.runId))]
      : [runPayload(data, 'failure')],
}
