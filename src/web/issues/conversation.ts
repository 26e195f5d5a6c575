import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { CommentId } from '../../lib/ids.ts'
import { getFilesOfIssue } from '../../issues/attachments/attachment.service.ts'
import { getBlocked, getDependencies } from '../../issues/dependencies/dependency.service.ts'
import { mayComment, mayEditComment, mayEditIssue, mayManage } from '../../issues/issue.policy.ts'
import { isBlockedFrom } from '../../issues/issue.service.ts'
import { getChoices, showIssues } from '../../issues/lists/query-list.service.ts'
import { getRelations } from '../../issues/relations/relation.service.ts'
import { isSubscribed } from '../../issues/social/subscription.service.ts'
import { getStopwatches, getTimesOfIssue, isTrackingOn, mayTrack } from '../../issues/time/time.service.ts'
import { viewReactions, viewTimeline, type TimelinePart } from '../../issues/timeline/timeline-view.service.ts'
import { suggestionOf } from '../../pulls/reviews/suggestion.rules.ts'
import { readIssueThread } from '../../notifications/issue-reading.service.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import { renderTexts } from '../ui/render-texts.ts'
import type { ConversationProps } from './issue-props.ts'

/** Entries of the timeline that one page shows. */
const entriesAtOnce = 60
/** Tracked times that are added up. */
const timesAtMost = 1000

/** Returns the rendered texts of an issue and of comments, and the reactions to them. */
export async function loadTexts(ctx: RepoCtx, issue: IssueRow, comments: readonly CommentRow[]) {
  const [reactions, texts] = await Promise.all([
    viewReactions(ctx, issue, [0, ...comments.map(({ id }) => id)]),
    renderTexts<number>(ctx, [
      [0, issue.content],
      ...comments.map((row) => [row.id, row.content, `comment-${row.id}`, suggestionOf(row)] as const),
    ]),
  ])
  return { reactions, texts }
}

/** What the query of the page of an issue or pull request asks for. */
interface ConversationQuery {
  readonly before?: number | undefined
  readonly edit?: string | undefined
}

/**
 * Returns what the page of an issue or pull request shows: the texts with reactions, what happened, and what belongs to it.
 * @param lineComments returns the comments on lines that belong to the shown entries
 */
export async function loadConversation(
  ctx: RepoCtx,
  issue: IssueRow,
  query: ConversationQuery,
  lineComments: (timeline: TimelinePart) => readonly CommentRow[] = () => [],
): Promise<ConversationProps> {
  // Earlier entries are no news.
  if (ctx.viewer && query.before === undefined) await readIssueThread({ ...ctx, viewer: ctx.viewer }, issue.id)
  const [timeline, files, side, { around }, may] = await Promise.all([
    viewTimeline(ctx, issue, { before: query.before as CommentId | undefined, limit: entriesAtOnce }),
    getFilesOfIssue(ctx, issue),
    sideOf(ctx, issue),
    showIssues(ctx, [issue]),
    mayOf(ctx, issue),
  ])
  const comments = timeline.entries.map(({ row }) => row).filter(({ type }) => type === 'comment' || type === 'review')
  return {
    repository: { repo: ctx.repo, owner: ctx.owner },
    issue,
    timeline,
    files,
    around,
    side,
    ...(await loadTexts(ctx, issue, [...comments, ...lineComments(timeline)])),
    may,
    editing: query.edit,
    isEarlier: query.before !== undefined,
  }
}

async function sideOf(ctx: RepoCtx, issue: IssueRow): Promise<ConversationProps['side']> {
  const { viewer } = ctx
  const here = mayHere(ctx)
  const mayChange = here.judge(() => mayManage(ctx.rights, issue)).allowed
  const hasDependencies = unitConfig(ctx.units, 'issues')?.enable_issue_dependencies ?? true
  const page = { number: 1, limit: 1, offset: 0 }
  const signedIn = viewer && { ...ctx, viewer }
  const tracks = signedIn !== undefined && isTrackingOn(ctx)
  const [choices, dependencies, blocked, relations, subscribed, watches, times, mayAddTime] = await Promise.all([
    mayChange ? getChoices(ctx) : undefined,
    hasDependencies ? getDependencies(ctx, issue.index) : [],
    hasDependencies ? getBlocked(ctx, issue.index) : [],
    getRelations(ctx, issue.index),
    viewer ? isSubscribed(ctx, issue, viewer.id) : undefined,
    tracks ? getStopwatches(signedIn, page) : [],
    tracks ? getTimesOfIssue(signedIn, issue, {}, { ...page, limit: timesAtMost }) : undefined,
    tracks ? mayTrack(signedIn, issue) : false,
  ])
  return {
    choices,
    hasDependencies,
    dependencies: dependencies.filter(({ sight }) => sight === 'whole').map(({ row }) => row),
    blocked,
    relations,
    isSubscribed: subscribed,
    time: times && {
      seconds: times.rows.reduce((sum, { seconds }) => sum + seconds, 0),
      isRunning: watches.some((watch) => watch.issue_id === issue.id),
      mayAdd: mayAddTime && here.change.allowed,
    },
    mayAdmin: viewer !== undefined && ctx.rights.isAdmin,
    mayLock: mayChange,
  }
}

/** What the viewer may do with the texts of an issue. */
export async function mayOf(ctx: RepoCtx, issue: IssueRow): Promise<ConversationProps['may']> {
  const { viewer, rights } = ctx
  const here = mayHere(ctx)
  const isBlocked = viewer !== undefined && here.change.allowed && (await isBlockedFrom({ ...ctx, viewer }, issue))
  const edit = here.judge((by) => mayEditIssue(by, rights, issue)).allowed
  const comment = here.judge((by) => mayComment(by, rights, issue, isBlocked))
  return {
    edit,
    comment: comment.allowed,
    refusal: comment.allowed ? undefined : comment.code,
    attach: edit || comment.allowed,
    editComment: (row) => here.judge((by) => mayEditComment(by, rights, issue, row)).allowed,
  }
}
