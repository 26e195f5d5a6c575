import type { Ctx } from '../../access/context.ts'
import type { Page } from '../../lib/paging.ts'
import { pluck } from '../../lib/pluck.ts'
import type { QueueScope } from '../queue-scope.ts'
import { knownStatuses } from '../runs/run.service.ts'
import { withSteps } from '../runs/run-control.service.ts'
import { listBusyRunners } from '../runners/runner.store.ts'
import { pageOfRunners } from '../runners/runner-control.service.ts'
import { pageOfOwnedJobs, pageOfOwnedRuns } from './owned-list.store.ts'

/** The filters of a list as the client sent them. */
interface OwnedQuery {
  readonly status?: readonly string[] | undefined
  readonly event?: readonly string[] | undefined
}

/** Returns the filter of a query. Throws `BadRequest` for an unknown status. */
const filterOf = ({ ownerId }: QueueScope, { status = [], event = [] }: OwnedQuery) => ({
  ownerId,
  statuses: knownStatuses(status),
  events: event,
})

/** Returns one page of the runs of the repositories of an account or of the instance, the newest first. */
export const ownedRuns = ({ db }: Pick<Ctx, 'db'>, scope: QueueScope, query: OwnedQuery, page: Page) =>
  pageOfOwnedRuns(db, filterOf(scope, query), page)

/** Returns one page of the jobs of the repositories of an account or of the instance, the newest first. */
export async function ownedJobs({ db }: Pick<Ctx, 'db'>, scope: QueueScope, query: OwnedQuery, page: Page) {
  const { rows, ...counts } = await pageOfOwnedJobs(db, filterOf(scope, query), page)
  return { rows: await withSteps(db, rows), ...counts }
}

/** Returns one page of the runners of a scope, the newest first, and the ids of those that have a task. */
export async function ownedRunners(ctx: Ctx, scope: QueueScope, page: Page) {
  const { runners, total } = await pageOfRunners(ctx, { scope, name: '' }, page)
  return { runners, total, busy: await listBusyRunners(ctx.db, pluck(runners, 'id')) }
}
