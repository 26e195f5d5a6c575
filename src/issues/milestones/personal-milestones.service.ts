import type { SignedInCtx } from '../../access/context.ts'
import type { MilestoneRow } from '../../db/tables/issues.ts'
import type { Page } from '../../lib/paging.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { countMilestonesIn, listMilestonesIn } from './milestone.store.ts'

/** Repositories whose milestones are read, the latest updated ones. */
const maxRepos = 200

export interface PersonalMilestones {
  readonly rows: readonly { readonly milestone: MilestoneRow; readonly repo: RepoWithOwner }[]
  readonly open: number
  readonly closed: number
  /** The viewer contributes to more repositories than were read. */
  readonly isBounded: boolean
}

/** Returns one page of the milestones of repositories that the viewer owns or contributes to, by due date. */
export async function getPersonalMilestones(
  ctx: SignedInCtx,
  isClosed: boolean,
  page: Page,
): Promise<PersonalMilestones> {
  const { db, viewer } = ctx
  const first = { number: 1, limit: maxRepos, offset: 0 }
  const { repos, total } = await browseRepos(ctx, { contributedToBy: viewer.id }, { sort: 'recentupdate' }, first)
  const reposById = new Map(repos.map((repo) => [repo.repo.id, repo]))
  const ids = [...reposById.keys()]
  if (ids.length === 0) return { rows: [], open: 0, closed: 0, isBounded: false }
  const [rows, open, closed] = await Promise.all([
    listMilestonesIn(db, viewer, ids, isClosed, page),
    countMilestonesIn(db, viewer, ids, false),
    countMilestonesIn(db, viewer, ids, true),
  ])
  return {
    rows: rows.flatMap((milestone) => {
      const repo = reposById.get(milestone.repo_id)
      return repo ? [{ milestone, repo }] : []
    }),
    open,
    closed,
    isBounded: total > repos.length,
  }
}
