import type { Ctx, RepoCtx } from '../../access/context.ts'
import type { TeamRow } from '../../db/tables/accounts.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { AttachmentRow, CommentRow, IssueRow, LabelRow, MilestoneRow } from '../../db/tables/issues.ts'
import type { ReactionRow, TrackedTimeRow } from '../../db/tables/issue-details.ts'
import { pluck } from '../../lib/pluck.ts'
import type { CommentId, UserId } from '../../lib/ids.ts'
import { loadUsers } from '../../users/user.store.ts'
import { listFilesOfComments } from '../attachments/attachment.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'
import { listReactionsToTexts } from '../social/reaction.store.ts'
import { countEntriesBefore, findComment, listLastEntries, type EntryKey } from '../timeline-entry.store.ts'
import { loadNamedRows } from './named-rows.store.ts'
import { readableEntries } from './timeline.service.ts'

/** An issue or pull request that an entry names, and where it is. */
export interface NamedIssue {
  readonly issue: IssueRow
  readonly repo: RepoWithOwner
}

/** An entry of a timeline with the rows that it names. A row is undefined when it does not exist any more. */
export interface TimelineEntry {
  readonly row: CommentRow
  readonly poster: UserRow | undefined
  readonly label: LabelRow | undefined
  readonly milestone: MilestoneRow | undefined
  readonly oldMilestone: MilestoneRow | undefined
  readonly assignee: UserRow | undefined
  readonly team: TeamRow | undefined
  readonly time: TrackedTimeRow | undefined
  readonly other: NamedIssue | undefined
  readonly dependency: NamedIssue | undefined
  readonly files: readonly AttachmentRow[]
}

/** A part of a timeline. */
export interface TimelinePart {
  readonly entries: readonly TimelineEntry[]
  /** The number of entries before this part. */
  readonly earlier: number
  /** The entry that the earlier ones precede. */
  readonly first: CommentId | undefined
}

/**
 * Returns the last entries of a timeline that the viewer may read, or those before an entry. The number of queries does
 * not depend on the number of entries.
 * @param before id of an entry of this issue; another id counts as none
 */
export async function viewTimeline(
  ctx: RepoCtx,
  issue: IssueRow,
  { before, limit }: { readonly before?: CommentId | undefined; readonly limit: number },
): Promise<TimelinePart> {
  const named = before === undefined ? undefined : await findComment(ctx.db, before)
  const end: EntryKey | undefined = named?.issue_id === issue.id ? named : undefined
  const found = await listLastEntries(ctx.db, issue.id, end, limit)
  const [first] = found
  const [earlier, entries] = await Promise.all([
    first && found.length === limit ? countEntriesBefore(ctx.db, issue.id, first) : 0,
    viewEntries(ctx, await readableEntries(ctx, found)),
  ])
  return { entries, earlier, first: first?.id }
}

/** Returns entries with the rows that they name. The caller has checked that the viewer may read them. */
export async function viewEntries(
  ctx: Ctx & RepoWithOwner,
  rows: readonly CommentRow[],
): Promise<readonly TimelineEntry[]> {
  if (rows.length === 0) return []
  const { db } = ctx
  const [{ labels, milestones, times, issues, teams }, users, files] = await Promise.all([
    loadNamedRows(db, rows),
    loadUsers(
      db,
      rows.flatMap((row) => [row.poster_id, row.assignee_id]),
    ),
    listFilesOfComments(
      db,
      pluck(
        rows.filter((row) => row.type === 'comment' || row.type === 'review'),
        'id',
      ),
    ),
  ])
  const repos = await loadReposWithOwners(
    db,
    [...issues.values()].map((issue) => issue.repo_id),
    [ctx],
  )
  const named = (id: CommentRow['ref_issue_id']): NamedIssue | undefined => {
    const issue = id === null ? undefined : issues.get(id)
    const repo = issue && repos.get(issue.repo_id)
    return issue && repo && { issue, repo }
  }
  const of = <Id, Row>(map: ReadonlyMap<Id, Row>, id: Id | null): Row | undefined =>
    id === null ? undefined : map.get(id)
  const teamById = new Map(teams.map((team) => [team.id, team]))
  const filesOf = Map.groupBy(files, (file) => file.comment_id)
  return rows.map((row) => ({
    row,
    poster: users.get(row.poster_id),
    label: of(labels, row.label_id),
    milestone: of(milestones, row.milestone_id),
    oldMilestone: of(milestones, row.old_milestone_id),
    assignee: of(users, row.assignee_id),
    team: of(teamById, row.assignee_team_id),
    time: of(times, row.time_id),
    other: named(row.ref_issue_id),
    dependency: named(row.dependent_issue_id),
    files: filesOf.get(row.id) ?? [],
  }))
}

/** The reactions to a text, by word. */
export interface ReactionCount {
  readonly content: string
  /** Names of the people, oldest first. */
  readonly names: readonly string[]
  readonly isOwn: boolean
}

/** Returns the reactions to texts of an issue; key 0 is the text of the issue. */
export async function viewReactions(
  ctx: Ctx,
  issue: IssueRow,
  commentIds: readonly (CommentId | 0)[],
): Promise<ReadonlyMap<CommentId | 0, readonly ReactionCount[]>> {
  const rows = await listReactionsToTexts(ctx.db, issue.id, commentIds)
  const users = await loadUsers(ctx.db, pluck(rows, 'user_id'))
  const nameOf = (row: ReactionRow): string => row.original_author || (users.get(row.user_id)?.name ?? 'Ghost')
  const own: UserId | undefined = ctx.viewer?.id
  return new Map(
    [...Map.groupBy(rows, (row) => row.comment_id)].map(([id, reactions]) => [
      id,
      [...Map.groupBy(reactions, (row) => row.content)].map(([content, same]) => ({
        content,
        names: same.map(nameOf),
        isOwn: same.some((row) => row.user_id === own && row.original_author === ''),
      })),
    ]),
  )
}
