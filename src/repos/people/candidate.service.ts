import type { Onlooker } from '../../access/conditions/account-condition.store.ts'
import type { RepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import type { Page } from '../../lib/paging.ts'
import type { PeoplePage } from '../../users/people-count.store.ts'
import { listPeopleWithCode, listReviewers, listWriters } from './candidate.store.ts'

/**
 * Returns who looks at the people of a repository. Whoever writes to the repository works with its people and sees all of
 * them; a reader sees the accounts that they may see elsewhere.
 */
export const onlookerAtPeople = ({ rights, viewer }: RepoCtx): Onlooker =>
  rights.rank >= mode.write && !viewer?.limit.publicOnly ? 'seesAll' : viewer

/** Lists the people who can be assigned to issues and pull requests, by name. */
export const assigneesOf = (ctx: RepoCtx, page: Page): Promise<PeoplePage> =>
  listWriters(ctx.db, ctx, onlookerAtPeople(ctx), page)

/** Lists the people who were given access to the code and whose name or full name contains a word, by name. */
export const peopleWithCode = (
  ctx: RepoCtx,
  { mode: least, word, limit }: { readonly mode: 'read' | 'write'; readonly word: string; readonly limit: number },
): Promise<PeoplePage> =>
  listPeopleWithCode(ctx.db, ctx, onlookerAtPeople(ctx), { mode: least === 'read' ? 1 : 2, word, limit })

/** Lists the people who can review pull requests, by name. */
export const reviewersOf = (ctx: RepoCtx, page: Page): Promise<PeoplePage> =>
  listReviewers(ctx.db, ctx, onlookerAtPeople(ctx), page)
