import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo, pullsEnabled } from '../../access/repo.requirements.ts'
import { mayEditIssue } from '../../issues/issue.policy.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import { Moved } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { getLostBranches } from '../../pulls/lost-branch.service.ts'
import type { PullPair } from '../../pulls/pull.store.ts'
import { mayResolve } from '../../pulls/reviews/review.policy.ts'
import type { PullReviews, Thread } from '../../pulls/reviews/thread.service.ts'
import { viewPull } from '../../pulls/pull-view.service.ts'
import { pathOf } from '../ui/paths.ts'
import { repositoryOf } from './pull-paths.ts'

/** What every page of a pull request requires, in the order of the API. */
export const readsPull = [inRepo, pullsEnabled, canRead('code'), gitRepo] as const

/** Returns what the head of each page of a pull request shows. A number of an issue redirects there. */
export async function loadPull(ctx: RepoCtx, index: number) {
  const issue = await getReadableIssue(ctx, index)
  if (!issue.is_pull) throw new Moved(303, pathOf(ctx.owner.name, ctx.repo.name, 'issues', index))
  const view = await viewPull(ctx, index)
  const lost = await getLostBranches(ctx, view.pair)
  return {
    view,
    lost,
    repository: repositoryOf(ctx),
    mayEdit: mayHere(ctx).judge((viewer) => mayEditIssue(viewer, ctx.rights, view.pair.issue)).allowed,
  }
}

/** Returns whether the viewer may resolve a conversation on a line. */
export const resolvableBy =
  (ctx: RepoCtx, { issue }: PullPair) =>
  ({ comments: [first] }: Thread): boolean =>
    first !== undefined &&
    !first.isPending &&
    mayHere(ctx).judge((viewer) => mayResolve(viewer, ctx.rights, issue, first.row)).allowed

/** Returns the commit of the viewer's last review, when the head is another one by now. */
export function reviewedBefore(
  { viewer }: Pick<RepoCtx, 'viewer'>,
  { pull }: PullPair,
  { reviews }: Pick<PullReviews, 'reviews'>,
): Oid | undefined {
  const mine = reviews.findLast(
    ({ reviewer_id: id, type, commit_oid: oid }) =>
      viewer !== undefined && id === viewer.id && type !== 'pending' && type !== 'request' && oid !== '',
  )
  return mine && mine.commit_oid !== pull.synced_oid ? (mine.commit_oid as Oid) : undefined
}
