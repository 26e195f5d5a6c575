import type { RepoCtx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { listReviewers, listWriters } from './candidate.store.ts'

/** People whom an issue or pull request of the repository can be assigned to, by name, a thousand at most. */
export const assigneesOf = (ctx: RepoCtx): Promise<UserRow[]> => listWriters(ctx.db, ctx)

/** People who can be asked to review a pull request of the repository, by name, a thousand at most. */
export const reviewersOf = (ctx: RepoCtx): Promise<UserRow[]> => listReviewers(ctx.db, ctx)
