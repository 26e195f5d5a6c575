import type { Ctx } from '../access/context.ts'
import type { ActRow } from '../db/tables/activity.ts'
import { pluck } from '../lib/pluck.ts'
import type { UserId } from '../lib/ids.ts'
import { formatUnix } from '../lib/time.ts'
import { presentLoadedComment } from '../issues/comments/comment.present.ts'
import { loadViews, presentViews } from '../repos/repo.present.ts'
import { loadRepos } from '../repos/repo.store.ts'
import { presentUser } from '../users/user.present.ts'
import { issueContent } from './act.rules.ts'
import type { Activity } from './feed.schemas.ts'
import { loadReviewers, loadSubjects } from './feed.store.ts'

/**
 * Presents acts in the given order, in a fixed number of queries.
 * @param receiverId owner of the feed; undefined: the actor of each act
 */
export async function presentActs(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  acts: readonly ActRow[],
  receiverId?: UserId,
): Promise<Activity[]> {
  const { db } = ctx
  const [repos, subjects] = await Promise.all([loadRepos(db, pluck(acts, 'repo_id')), loadSubjects(db, acts)])
  const { users, comments } = subjects
  const [views, reviewers] = await Promise.all([
    loadViews(ctx, [...repos.values()]),
    loadReviewers(
      db,
      [...comments.values()].flatMap((comment) => comment.review_id ?? []),
    ),
  ])
  const presented = await presentViews(ctx, views)
  const presentedRepos = new Map(views.map((view, index) => [view.repo.id, { view, repo: presented[index] ?? null }]))
  return acts.flatMap((act) => {
    const [presentedRepo, named] = [presentedRepos.get(act.repo_id), subjects.of(act)]
    if (!presentedRepo || !named) return []
    const { actor, issue, comment, release } = named
    const reviewer = reviewers.get(comment?.review_id ?? 0) ?? ''
    const facts = { text: comment?.content ?? '', reviewer }
    return [
      {
        id: act.id,
        user_id: receiverId ?? act.actor_id,
        op_type: act.kind,
        act_user_id: act.actor_id,
        act_user: presentUser(ctx, actor),
        repo_id: act.repo_id,
        repo: presentedRepo.repo,
        comment_id: comment?.id ?? 0,
        comment:
          issue && comment
            ? {
                ...presentLoadedComment({ ...ctx, ...presentedRepo.view }, issue, comment, { users, files: [] }),
                // The actor is the author, so the comment omits it (observed).
                user: null,
              }
            : null,
        ref_name: release?.tag_name ?? act.ref_name,
        is_private: presentedRepo.view.repo.is_private,
        content: release?.title ?? (issue ? issueContent(act, issue, facts) : act.content),
        created: formatUnix(act.created_unix),
      },
    ]
  })
}
