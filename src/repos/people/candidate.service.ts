import type { Onlooker } from '../../access/conditions/account-condition.store.ts'
import type { RepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import type { Page } from '../../lib/paging.ts'
import type { PeoplePage } from '../../users/people-count.store.ts'
import { listReviewers, listWriters } from './candidate.store.ts'

/**
 * Returns who looks at the people of a repository. Whoever writes to the repository works with its people and sees all of
 * them; a reader sees the accounts that they may see elsewhere.
 */
export const onlookerAtPeople = ({ rights, viewer }: RepoCtx): Onlooker =>
  rights.rank >= mode.write && !viewer?.limit.publicOnly ? 'seesAll' : viewer

/** People whom an issue or pull request of the repository can be assigned to, by name. */
export const assigneesOf = (ctx: RepoCtx, page: Page): Promise<PeoplePage> =>
  listWriters(ctx.db, ctx, onlookerAtPeople(ctx), page)

/** People who can be asked to review a pull request of the repository, by name. */
export const reviewersOf = (ctx: RepoCtx, page: Page): Promise<PeoplePage> =>
  listReviewers(ctx.db, ctx, onlookerAtPeople(ctx), page)
