import type { SignedInCtx } from '../../access/context.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { Page } from '../../lib/paging.ts'
import type { AroundIssues } from '../issue.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'
import { searchEverywhere } from './list.service.ts'
import { loadShown } from './query-list.service.ts'

/** Why an issue or a pull request concerns a person. */
export type MineView = 'assigned' | 'created' | 'mentioned' | 'review_requested' | 'reviewed'

export interface FoundMine {
  readonly rows: readonly { readonly row: IssueRow; readonly place: RepoWithOwner }[]
  readonly around: AroundIssues
  readonly page: Page
  readonly total: number
}

/** Returns one page of the issues, or pull requests, of all readable repositories that concern the viewer, newest first. */
export async function findMine(
  ctx: SignedInCtx,
  kind: 'issues' | 'pulls',
  asked: {
    readonly view: MineView
    readonly state: 'open' | 'closed'
    readonly words: string
    readonly page: number | undefined
  },
): Promise<FoundMine> {
  const { view, state, words, page: number } = asked
  const found = await searchEverywhere(ctx, { type: kind, state, q: words, [view]: true, page: number })
  const { rows, around } = await loadShown(ctx, found.issues)
  const places = await loadReposWithOwners(
    ctx.db,
    rows.map((row) => row.repo_id),
  )
  return {
    rows: rows.flatMap((row) => {
      const place = places.get(row.repo_id)
      return place ? [{ row, place }] : []
    }),
    around,
    page: found.page,
    total: found.total,
  }
}
