import type { Ctx, SignedInCtx } from '../../../access/context.ts'
import { presentRegistration, presentRunners } from '../../../actions/runners/runner.present.ts'
import {
  getRegistration,
  pageOfRunners,
  rotateRegistrationToken,
  type RunnerOwner,
} from '../../../actions/runners/runner-control.service.ts'
import type { Call } from '../../../http/operation.ts'
import { pageOf, type PageQuery } from '../../../lib/paging.ts'
import type { BrowserCtx } from '../../shell/browser-context.ts'
import { onceShown, takeShownOnce } from '../../shell/shown-once.ts'

/**
 * What the pages of runners do, for the settings of accounts, organizations and repositories and for the
 * administration. Each place declares its own addresses and requirements, and shows `RunnerSection`.
 */

type PersonCtx = BrowserCtx & SignedInCtx

/** Returns one page of the runners of an owner, and a new registration token to show, for `RunnerSection`. */
export async function loadRunners(ctx: PersonCtx, owner: RunnerOwner, query: PageQuery, call: Call) {
  const page = pageOf(query, ctx.config.api)
  const [{ runners, total }, registration] = await Promise.all([
    pageOfRunners(ctx, owner, page),
    getRegistration(ctx, owner),
  ])
  const shown = takeShownOnce(ctx, call, ['runner'])
  return {
    runners: presentRunners(runners, ctx.clock.nowMs()),
    runnerTotal: total,
    runnerPage: page.number,
    runnerPageSize: page.limit,
    registration: presentRegistration(registration),
    // The token of another owner stays hidden.
    newRunnerToken: shown?.name === owner.name ? shown.secret : undefined,
  }
}

/** Makes a registration token, and returns the cookie by which the page shows it once. */
export const makeRunnerToken = async (ctx: Ctx & PersonCtx, owner: RunnerOwner): Promise<readonly string[]> => [
  onceShown(ctx, { kind: 'runner', name: owner.name, secret: await rotateRegistrationToken(ctx, owner) }),
]
