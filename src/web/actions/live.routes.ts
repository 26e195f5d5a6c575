import { setTimeout as delay } from 'node:timers/promises'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { getRunWithJobs, lengthsOfLogs } from '../../actions/runs/run-list.service.ts'
import { isFinal } from '../../actions/status.rules.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { eventStream, type StreamMessage } from '../../http/event-stream.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { pathNumber } from '../../http/schema.ts'

/** The interval at which a follower looks for changes, in milliseconds. */
const lookMs = 2000

/** Asks the page to load itself again; it keeps what did not change. */
const refresh = '<turbo-stream action="refresh"></turbo-stream>'

/** Returns what a reader of the pages of a run sees change, and whether anything can still change. */
async function stateOf(ctx: RepoCtx, number: number): Promise<{ readonly state: string; readonly isOpen: boolean }> {
  const { run, jobs } = await getRunWithJobs(ctx, number)
  const lengths = await lengthsOfLogs(ctx, jobs)
  const shown = jobs.map((job) => [job.status, job.attempt, lengths.get(job.id) ?? 0])
  return { state: JSON.stringify([run.status, run.is_held, shown]), isOpen: jobs.some((job) => !isFinal(job.status)) }
}

/** Tells the pages of a run about changes of its jobs and logs, until the run has ended. */
export const followRun = operation({
  method: 'GET',
  path: '/{username}/{reponame}/actions/runs/{number}/live',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inRepo, canRead('actions'), gitRepo],
  params: { number: pathNumber },
  reply: { 200: bytesOf('text/event-stream') },
  async run({ ctx, params, call }) {
    let last = await stateOf(ctx, params.number)
    async function* messages(signal: AbortSignal): AsyncGenerator<StreamMessage> {
      while (last.isOpen && !signal.aborted) {
        await delay(lookMs, undefined, { signal }).catch(() => {
          // The reader left: the loop ends.
        })
        if (signal.aborted) return
        const now = await stateOf(ctx, params.number)
        if (now.state !== last.state) yield { html: refresh }
        last = now
      }
    }
    return eventStream(messages, call)
  },
})
