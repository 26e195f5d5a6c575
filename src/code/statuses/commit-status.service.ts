import { createHash } from 'node:crypto'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { isKnownState } from './commit-status.rules.ts'
import {
  countStatuses,
  insertStatus,
  listLatestStatuses,
  listRecentContexts,
  listStatuses,
  statusSorts,
  type StatusSort,
} from './commit-status.store.ts'
import { findNamedCommit } from '../commits/named-commit.service.ts'

export interface StatusInput {
  readonly state: string
  readonly targetUrl: string
  readonly description: string
  readonly context: string
}

const maxFieldLength = 16_384
/** Attempts when concurrent requests take the same number. */
const maxAttempts = 10

/** Statuses whose contexts count as recent: those of some dozen commits with many checks. */
const recentStatuses = 2000

/** Returns the contexts that were reported for commits of the repository, the last reported first. */
export const recentContexts = (ctx: RepoCtx): Promise<string[]> =>
  listRecentContexts(ctx.db, ctx.repo.id, recentStatuses)

/** Adds a status to the commit of a branch, tag or id. Throws `NotFound` for an unknown commit. */
export async function createStatus(
  ctx: SignedInRepoCtx,
  revision: string,
  input: StatusInput,
): Promise<CommitStatusRow> {
  const found = await findNamedCommit(ctx.git, ctx.repo.git_key, revision)
  if (!found) throw new NotFound(`there is no commit ${revision}`, 'commit_not_found')
  const tooLong = Object.entries(input).find(([, value]) => value.length > maxFieldLength)
  if (tooLong) {
    throw new Invalid(`[${tooLong[0]}]: a status has at most ${maxFieldLength} characters there`, 'status_too_long')
  }
  const status = {
    repoId: ctx.repo.id,
    sha: found.commit,
    ...input,
    contextHash: createHash('sha1').update(input.context).digest('hex'),
    creatorId: ctx.viewer.id,
    createdUnix: nowUnix(ctx.clock),
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(ctx.db, async (tx) => {
        const row = await insertStatus(tx, status)
        await publish(tx, 'status.created', {
          repoId: ctx.repo.id,
          doerId: ctx.viewer.id,
          statusId: row.id,
          sha: row.sha,
        })
        return row
      })
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === maxAttempts) throw error
    }
  }
}

/** A page of the statuses of a revision, and their number; an unknown revision has none (observed). */
export async function getStatusPage(
  ctx: RepoCtx,
  revision: string,
  options: { readonly sort?: string | undefined; readonly state?: string | undefined },
  page: Page,
): Promise<{ rows: readonly CommitStatusRow[]; total: number }> {
  const found = await findNamedCommit(ctx.git, ctx.repo.git_key, revision)
  if (!found) return { rows: [], total: 0 }
  const state = options.state !== undefined && isKnownState(options.state) ? options.state : undefined
  const filter = { repoId: ctx.repo.id, sha: found.commit, state }
  const sort: StatusSort = statusSorts.find((each) => each === options.sort) ?? 'newest'
  const [rows, total] = await rowsAndTotal(
    page,
    listStatuses(ctx.db, filter, sort, page),
    countStatuses(ctx.db, filter),
  )
  return { rows, total }
}

/** The latest status of each context of a revision, by number; none for an unknown revision. */
export async function getLatestStatuses(ctx: RepoCtx, revision: string): Promise<CommitStatusRow[]> {
  const found = await findNamedCommit(ctx.git, ctx.repo.git_key, revision)
  return found ? listLatestStatuses(ctx.db, ctx.repo.id, [found.commit]) : []
}
