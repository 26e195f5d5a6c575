import { setTimeout as delay } from 'node:timers/promises'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { runChannel } from '../../actions/runs/run-change.service.ts'
import { getRunWithJobs } from '../../actions/runs/run-list.service.ts'
import { openInbox } from '../../db/notify.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { eventStream, type StreamMessage } from '../../http/event-stream.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { pathNumber } from '../../http/schema.ts'
import { refresh } from '../shell/refresh.ts'
import { runStateOf } from './run-state.ts'
import { text } from '../ui/fields.ts'

/** The interval at which a reader looks without a message, in milliseconds: a message may be lost. */
const pollMs = 15_000
/** The least interval between two looks, in milliseconds: logs grow several times in a second. */
const restMs = 1000

async function* refreshes(
  ctx: RepoCtx,
  { id, number }: ActionRunRow,
  seen: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  // It opens before the first look, so that no change between the two is missed.
  using inbox = openInbox(ctx.db, runChannel, String(id))
  for (let last = seen; !signal.aborted;) {
    const { mark, isOpen } = await runStateOf(ctx, await getRunWithJobs(ctx, number))
    if (last !== undefined && last !== mark) yield refresh
    if (!isOpen) return
    last = mark
    await delay(restMs, undefined, { signal }).catch(() => {
      // The reader left: the loop ends.
    })
    await inbox.next(pollMs, signal)
  }
}

/** Tells the pages of a run about changes of its jobs and logs, until the run has ended. */
export const followRun = operation({
  method: 'GET',
  path: '/{username}/{reponame}/actions/runs/{number}/live',
  cost: 'usual',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inRepo, canRead('actions'), gitRepo],
  params: { number: pathNumber },
  query: {
    /** The mark of the state that the page shows: what changed before the stream began counts too. */
    seen: text,
  },
  reply: { 200: bytesOf('text/event-stream') },
  async run({ ctx, params, query, call }) {
    const { run } = await getRunWithJobs(ctx, params.number)
    return eventStream((signal) => refreshes(ctx, run, query.seen, signal), call)
  },
})
