import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { pathNumber } from '../../http/schema.ts'
import { Moved } from '../../lib/errors.ts'
import type { CommentId } from '../../lib/ids.ts'
import { getBlocked, getDependencies } from '../../issues/dependencies/dependency.service.ts'
import { getFilesOfIssue } from '../../issues/attachments/attachment.service.ts'
import { mayComment, mayEditComment, mayEditIssue, mayManage } from '../../issues/issue.policy.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import { getChoices, showIssues } from '../../issues/lists/query-list.service.ts'
import { isSubscribed } from '../../issues/social/subscription.service.ts'
import { getStopwatches, getTimesOfIssue, isTrackingOn, mayTrack } from '../../issues/time/time.service.ts'
import { viewReactions, viewTimeline } from '../../issues/timeline/timeline-view.service.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import type { IssueProps } from './issue-props.ts'
import { IssueView } from './issue.view.tsx'
import { renderTexts } from '../ui/render-texts.ts'

/** Entries of the timeline that one page shows. */
const entriesAtOnce = 60
/** Tracked times that are added up. */
const timesAtMost = 1000

/** The issue itself with its timeline: what every reader sees. */
export async function loadConversation(ctx: RepoCtx, issue: IssueRow, before: number | undefined) {
  const [timeline, files] = await Promise.all([
    viewTimeline(ctx, issue, { before: before as CommentId | undefined, limit: entriesAtOnce }),
    getFilesOfIssue(ctx, issue),
  ])
  const comments = timeline.entries.filter(({ row }) => row.type === 'comment')
  const [reactions, texts] = await Promise.all([
    viewReactions(ctx, issue, [0, ...comments.map(({ row }) => row.id)]),
    renderTexts(ctx, [[0, issue.content], ...comments.map(({ row }) => [row.id, row.content] as const)]),
  ])
  return { timeline, files, reactions, texts }
}

async function sideOf(ctx: RepoCtx, issue: IssueRow): Promise<IssueProps['side']> {
  const { viewer, repo } = ctx
  const mayChange = viewer !== undefined && !repo.is_archived && mayManage(ctx.rights, issue).allowed
  const hasDependencies = unitConfig(ctx.units, 'issues')?.enable_issue_dependencies ?? true
  const page = { number: 1, limit: 1, offset: 0 }
  const signedIn = viewer && { ...ctx, viewer }
  const tracks = signedIn !== undefined && isTrackingOn(ctx)
  const [choices, dependencies, blocked, subscribed, watches, times, mayAddTime] = await Promise.all([
    mayChange ? getChoices(ctx) : undefined,
    hasDependencies ? getDependencies(ctx, issue.index) : [],
    hasDependencies ? getBlocked(ctx, issue.index) : [],
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
    isSubscribed: subscribed,
    time: times && {
      seconds: times.rows.reduce((sum, { seconds }) => sum + seconds, 0),
      isRunning: watches.some((watch) => watch.issue_id === issue.id),
      mayAdd: mayAddTime && !repo.is_archived,
    },
    mayAdmin: viewer !== undefined && ctx.rights.isAdmin,
    mayLock: mayChange,
  }
}

/** What the viewer may do with the texts of an issue. */
export function mayOf(ctx: RepoCtx, viewer: Viewer | undefined, issue: IssueRow): IssueProps['may'] {
  const isOpen = viewer !== undefined && !ctx.repo.is_archived
  return {
    edit: isOpen && mayEditIssue(viewer, ctx.rights, issue).allowed,
    comment: isOpen && mayComment(viewer, ctx.rights, issue, new Set()).allowed,
    attach: isOpen && ctx.config.attachment.enabled && mayEditIssue(viewer, ctx.rights, issue).allowed,
    editComment: (comment) => isOpen && mayEditComment(viewer, ctx.rights, issue, comment).allowed,
  }
}

/** An issue with its conversation. A pull request of this number redirects to its page. */
export const issuePage = page({
  path: '/{username}/{reponame}/issues/{index}',
  params: { index: pathNumber },
  requires: [inRepo, issuesOrPullsEnabled],
  query: { before: Type.Optional(Type.Integer()), edit: Type.Optional(Type.String()) },
  frame: inRepositoryFrame('issues'),
  async load({ ctx, params, query }): Promise<IssueProps> {
    const issue = await getReadableIssue(ctx, params.index)
    if (issue.is_pull) throw new Moved(303, pathOf(ctx.owner.name, ctx.repo.name, 'pulls', issue.index))
    const [conversation, side, { around }] = await Promise.all([
      loadConversation(ctx, issue, query.before),
      sideOf(ctx, issue),
      showIssues(ctx, [issue]),
    ])
    return {
      place: { repo: ctx.repo, owner: ctx.owner },
      issue,
      ...conversation,
      around,
      side,
      may: mayOf(ctx, ctx.viewer, issue),
      editing: query.edit,
      isEarlier: query.before !== undefined,
    }
  },
  meta: ({ issue, place }) => ({
    title: `${issue.title} · #${issue.index} · ${place.owner.name}/${place.repo.name}`,
    description: issue.content,
    canonical: pathOf(place.owner.name, place.repo.name, 'issues', issue.index),
  }),
  view: IssueView,
})
