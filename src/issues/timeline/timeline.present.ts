import type { Ctx } from '../../access/context.ts'
import type { CommentRow, IssueRow, LabelRow } from '../../db/tables/issues.ts'
import { pluck } from '../../lib/pluck.ts'
import type { LabelId } from '../../lib/ids.ts'
import { formatUnix } from '../../lib/time.ts'
import { presentTeams } from '../../orgs/team.present.ts'
import { presentAuthor, presentUser } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import { listFilesOfComments } from '../attachments/attachment.store.ts'
import { commentUrls, presentLoadedComment } from '../comments/comment.present.ts'
import type { TimelineComment } from '../comments/comment.schemas.ts'
import { loadComments } from '../timeline-entry.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'
import { presentIssues } from '../issue.present.ts'
import { presentLabel } from '../labels/label.present.ts'
import { presentMilestone } from '../milestones/milestone.present.ts'
import { presentTimes } from '../time/time.present.ts'
import { loadNamedRows } from './named-rows.store.ts'

/** Presents the timeline entries of one issue, with one query for each kind of referenced row. */
export async function presentTimeline(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'> & RepoWithOwner,
  issue: IssueRow,
  rows: readonly CommentRow[],
): Promise<TimelineComment[]> {
  if (rows.length === 0) return []
  const { db } = ctx
  const [{ labels, milestones, times, issues: otherIssues, teams }, otherComments] = await Promise.all([
    loadNamedRows(db, rows),
    loadComments(db, pluck(rows, 'ref_comment_id')),
  ])
  const [users, shownTimes, reposWithOwners, files, shownTeams] = await Promise.all([
    loadUsers(db, [
      ...rows.flatMap((row) => [row.poster_id, row.assignee_id, row.resolver_id]),
      ...[...otherComments.values()].map((row) => row.poster_id),
    ]),
    presentTimes(ctx, [...times.values()], [ctx]),
    loadReposWithOwners(
      db,
      [...otherIssues.values()].map((row) => row.repo_id),
      [ctx],
    ),
    listFilesOfComments(db, [...otherComments.keys()]),
    presentTeams(ctx, teams),
  ])
  const shownIssues = new Map(
    (await presentIssues(ctx, [...otherIssues.values()], [...reposWithOwners.values()])).map((each) => [each.id, each]),
  )
  const timeOf = new Map(shownTimes.map((time) => [time.id, time]))
  const filesOf = Map.groupBy(files, (file) => file.comment_id)
  const teamOf = new Map(shownTeams.map((team) => [team.id, team]))
  // Entries show accounts as a guest sees them, and issues as the viewer sees them (observed).
  const guest = { config: ctx.config, viewer: undefined }
  const labelOf = (id: LabelId | null): LabelRow | undefined => (id === null ? undefined : labels.get(id))

  return rows.map((row) => {
    const label = labelOf(row.label_id)
    const milestone = row.milestone_id === null ? undefined : milestones.get(row.milestone_id)
    const oldMilestone = row.old_milestone_id === null ? undefined : milestones.get(row.old_milestone_id)
    const refComment = row.ref_comment_id === null ? undefined : otherComments.get(row.ref_comment_id)
    const refIssue = row.ref_issue_id === null ? undefined : otherIssues.get(row.ref_issue_id)
    const refRepo = refIssue && reposWithOwners.get(refIssue.repo_id)
    const assignee = row.assignee_id === null ? undefined : users.get(row.assignee_id)
    const resolver = row.resolver_id === null ? undefined : users.get(row.resolver_id)
    return {
      id: row.id,
      type: row.type,
      ...commentUrls(ctx, issue, row.id),
      user: presentAuthor(guest, users.get(row.poster_id)),
      body: row.content,
      created_at: formatUnix(row.created_unix),
      updated_at: formatUnix(row.updated_unix),
      old_project_id: 0,
      project_id: 0,
      old_milestone: oldMilestone ? presentMilestone(oldMilestone) : null,
      milestone: milestone ? presentMilestone(milestone) : null,
      tracked_time: (row.time_id !== null && timeOf.get(row.time_id)) || null,
      old_title: row.old_title,
      new_title: row.new_title,
      old_ref: row.old_ref,
      new_ref: row.new_ref,
      ref_issue: (row.ref_issue_id !== null && shownIssues.get(row.ref_issue_id)) || null,
      ref_comment:
        refComment && refIssue && refRepo
          ? presentLoadedComment({ ...ctx, ...refRepo }, refIssue, refComment, {
              users,
              files: filesOf.get(refComment.id) ?? [],
            })
          : null,
      ref_action: row.ref_action,
      ref_commit_sha: row.commit_sha,
      review_id: row.review_id ?? 0,
      label: label ? presentLabel(ctx, label) : null,
      assignee: assignee ? presentUser(guest, assignee) : null,
      assignee_team: (row.assignee_team_id !== null && teamOf.get(row.assignee_team_id)) || null,
      removed_assignee: row.removed_assignee,
      resolve_doer: resolver ? presentUser(guest, resolver) : null,
      dependent_issue: (row.dependent_issue_id !== null && shownIssues.get(row.dependent_issue_id)) || null,
    }
  })
}
