import type { Ctx, SignedInCtx } from '../../access/context.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { pluck } from '../../lib/pluck.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import type { AroundIssues } from '../issue.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'
import { countSubscribedIssues, listSubscribedIssues } from '../social/subscription.store.ts'
import { searchEverywhere } from './list.service.ts'
import { loadShown } from './query-list.service.ts'

/** Why an issue or a pull request concerns a person. */
export type MineView = 'assigned' | 'created' | 'mentioned' | 'review_requested' | 'reviewed'

export interface FoundMine {
  readonly rows: readonly { readonly row: IssueRow; readonly repo: RepoWithOwner }[]
  readonly around: AroundIssues
  readonly page: Page
  readonly total: number
}

/** Returns one page of the issues, or pull requests, of all readable repositories that concern the viewer, newest first. */
export async function findMine(
  ctx: SignedInCtx,
  kind: 'issues' | 'pulls',
  isOwn: {
    readonly view: MineView
    readonly state: 'open' | 'closed'
    readonly words: string
    readonly page: number | undefined
  },
): Promise<FoundMine> {
  const { view, state, words, page: number } = isOwn
  const found = await searchEverywhere(ctx, { type: kind, state, q: words, [view]: true, page: number })
  return { ...(await placed(ctx, found.issues)), page: found.page, total: found.total }
}

/** Returns one page of the readable issues and pull requests that the viewer subscribed to, the latest choice first. */
export async function getSubscribedIssues(ctx: SignedInCtx, page: Page): Promise<FoundMine> {
  const { db, viewer } = ctx
  const [issues, total] = await rowsAndTotal(
    page,
    listSubscribedIssues(db, viewer, page),
    countSubscribedIssues(db, viewer),
  )
  return { ...(await placed(ctx, issues)), page, total }
}

/** Loads issues with their repositories, in the order of their keys. */
export async function placed(
  ctx: Ctx,
  issues: Parameters<typeof loadShown>[1],
): Promise<Pick<FoundMine, 'rows' | 'around'>> {
  const { rows, around } = await loadShown(ctx, issues)
  const repos = await loadReposWithOwners(ctx.db, pluck(rows, 'repo_id'))
  return {
    rows: rows.flatMap((row) => {
      const repo = repos.get(row.repo_id)
      return repo ? [{ row, repo }] : []
    }),
    around,
  }
}
