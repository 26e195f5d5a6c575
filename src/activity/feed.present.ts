import type { Ctx } from '../access/context.ts'
import type { ActRow } from '../db/tables/activity.ts'
import type { UserId } from '../lib/ids.ts'
import { formatUnix } from '../lib/time.ts'
import { presentLoadedComment } from '../issues/comments/comment.present.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { loadComments } from '../issues/timeline-entry.store.ts'
import { loadViews, presentViews } from '../repos/repo.present.ts'
import { loadRepos } from '../repos/repo.store.ts'
import { presentUser } from '../users/user.present.ts'
import { loadUsers } from '../users/user.store.ts'
import { issueContent } from './act.rules.ts'
import type { Activity } from './feed.schemas.ts'
import { loadReleases, loadReviewers } from './feed.store.ts'

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
  const [repos, users, issues, comments, releases] = await Promise.all([
    loadRepos(
      db,
      acts.map((act) => act.repo_id),
    ),
    loadUsers(
      db,
      acts.map((act) => act.actor_id),
    ),
    loadIssues(
      db,
      acts.map((act) => act.issue_id),
    ),
    loadComments(
      db,
      acts.map((act) => act.comment_id),
    ),
    loadReleases(
      db,
      acts.flatMap((act) => act.release_id ?? []),
    ),
  ])
  const [views, reviewers] = await Promise.all([
    loadViews(ctx, [...repos.values()]),
    loadReviewers(
      db,
      [...comments.values()].flatMap((comment) => comment.review_id ?? []),
    ),
  ])
  const presented = await presentViews(ctx, views)
  const places = new Map(views.map((view, index) => [view.repo.id, { view, repo: presented[index] ?? null }]))
  return acts.flatMap((act) => {
    const [place, actor] = [places.get(act.repo_id), users.get(act.actor_id)]
    const issue = act.issue_id === null ? undefined : issues.get(act.issue_id)
    const comment = act.comment_id === null ? undefined : comments.get(act.comment_id)
    const release = act.release_id === null ? undefined : releases.get(act.release_id)
    // The subject was deleted after the act was read.
    if (!place || !actor || (act.issue_id !== null && !issue) || (act.release_id !== null && !release)) return []
    const reviewer = reviewers.get(comment?.review_id ?? 0) ?? ''
    const said = { text: comment?.content ?? '', reviewer }
    return [
      {
        id: act.id,
        user_id: receiverId ?? act.actor_id,
        op_type: act.kind,
        act_user_id: act.actor_id,
        act_user: presentUser(ctx, actor),
        repo_id: act.repo_id,
        repo: place.repo,
        comment_id: comment?.id ?? 0,
        comment:
          issue && comment
            ? {
                ...presentLoadedComment({ ...ctx, ...place.view }, issue, comment, { users, files: [] }),
                // The actor is the author, so the comment omits it (observed).
                user: null,
              }
            : null,
        ref_name: release?.tag_name ?? act.ref_name,
        is_private: place.view.repo.is_private,
        content: release?.title ?? (issue ? issueContent(act, issue, said) : act.content),
        created: formatUnix(act.created_unix),
      },
    ]
  })
}
