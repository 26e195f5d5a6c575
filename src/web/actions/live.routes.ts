import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { getRunWithJobs } from '../../actions/runs/run-list.service.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { eventStream, type StreamMessage } from '../../http/event-stream.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { pathNumber } from '../../http/schema.ts'
import { runStateOf, type RunState } from './run-state.ts'

/** The interval at which a follower looks for changes, in milliseconds. */
const lookMs = 2000
/** How long a look is shared: shorter than the interval, so that each reader sees a new one every time. */
const sharedMs = 1500

/** Asks the page to load itself again; it keeps what did not change. */
const refresh = '<turbo-stream action="refresh"></turbo-stream>'

/** The looks of the current interval by run. Logs grow without events, so somebody has to look. */
const looksUnderWay = perApplication(() => new Map<string, Promise<RunState>>())

/** Looks at a run, for all readers who ask within the interval. */
function look(ctx: RepoCtx, number: number): Promise<RunState> {
  const looks = looksUnderWay(ctx)
  const key = `${ctx.repo.id}:${number}`
  const state = getRunWithJobs(ctx, number).then((run) => runStateOf(ctx, run))
  looks.set(key, state)
  setTimeout(() => {
    if (looks.get(key) === state) looks.delete(key)
  }, sharedMs).unref()
  return state
}

/** Returns what another reader has just seen, or looks. */
const sharedLook = (ctx: RepoCtx, number: number): Promise<RunState> =>
  looksUnderWay(ctx).get(`${ctx.repo.id}:${number}`) ?? look(ctx, number)

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
  query: {
    /** The mark of the state that the page shows: what changed before the stream began counts too. */
    seen: Type.Optional(Type.String()),
  },
  reply: { 200: bytesOf('text/event-stream') },
  async run({ ctx, params, query, call }) {
    // The page may be newer than what others saw.
    let last = await look(ctx, params.number)
    async function* messages(signal: AbortSignal): AsyncGenerator<StreamMessage> {
      if (query.seen !== undefined && query.seen !== last.mark) yield { html: refresh }
      while (last.isOpen && !signal.aborted) {
        await delay(lookMs, undefined, { signal }).catch(() => {
          // The reader left: the loop ends.
        })
        if (signal.aborted) return
        const now = await sharedLook(ctx, params.number)
        if (now.mark !== last.mark) yield { html: refresh }
        last = now
      }
    }
    return eventStream(messages, call)
  },
})
