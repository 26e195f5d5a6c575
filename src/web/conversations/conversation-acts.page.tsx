import { Type } from 'typebox'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { gitRepo, inRepo, issuesOrPullsEnabled, notArchived, repoAdmin } from '../../access/repo.requirements.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { pathNumber } from '../../http/schema.ts'
import { deleteAttachment, getAttachment } from '../../issues/attachments/attachment.service.ts'
import { addComment, deleteComment, editComment, getCommentOf } from '../../issues/comments/comment.service.ts'
import { addDependency, removeDependency } from '../../issues/dependencies/dependency.service.ts'
import {
  deleteIssue,
  editIssue,
  getReadableIssue,
  noIssue,
  setDeadline,
  setLock,
  type EditIssueInput,
} from '../../issues/issue.service.ts'
import { replaceIssueLabels } from '../../issues/labels/label.service.ts'
import { addReaction, removeReaction } from '../../issues/social/reaction.service.ts'
import { pin, unpin } from '../../issues/social/pin.service.ts'
import { setSubscription } from '../../issues/social/subscription.service.ts'
import { tickTask } from '../../issues/tasks.rules.ts'
import { cancelWatch, startWatch, stopWatch } from '../../issues/time/stopwatch.service.ts'
import { parseDuration } from '../../issues/time/duration.ts'
import { addTime, mayTrack, refuseNoTracking } from '../../issues/time/time.service.ts'
import { Conflict, Forbidden, Invalid } from '../../lib/errors.ts'
import type { CommentId } from '../../lib/ids.ts'
import { act, type Page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { issuePage } from '../issues/issue.page.tsx'
import { texts as all } from '../issues/texts.tsx'
import { pullPage } from '../pulls/pull.page.tsx'

const texts = all.issue
const index = { index: pathNumber } as const
const indexAndId = { index: pathNumber, id: pathNumber } as const
const text = Type.Optional(Type.String())
const flag = Type.Optional(Type.Boolean())

/** Returns the page that shows a refused form again. Pull requests show code. */
async function conversationPage(input: {
  readonly ctx: RepoCtx
  readonly params: { readonly index: number }
}): Promise<Page | undefined> {
  const issue = await getReadableIssue(input.ctx, input.params.index)
  if (!issue.is_pull) return issuePage
  return input.ctx.rights.canRead('code') ? pullPage : undefined
}

/** What the acts declare. Each is for issues and pull requests. */
const shared = { requires: [inRepo, issuesOrPullsEnabled, notArchived], again: conversationPage } as const

const unchanged: EditIssueInput = { dueDate: undefined, unsetDueDate: undefined, updatedAt: undefined }

/** Returns the address of an issue or pull request, with the anchor of one of its texts. */
const addressOf = (ctx: SignedInRepoCtx, issue: IssueRow, anchor = ''): string =>
  pathOf(ctx.owner.name, ctx.repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index) +
  (anchor === '' ? '' : `#${anchor}`)

const anchorOf = ({ id }: CommentRow): string => `issuecomment-${id}`

/** Refuses an edit of a version that somebody changed meanwhile, or returns. */
function refuseOutOfDate(current: number, edited: number | undefined): void {
  if (edited !== undefined && edited !== current) throw new Conflict(texts.outOfDate, 'text_out_of_date')
}

/** Returns the comment of a path, which belongs to the issue of the path. */
async function commentAt(ctx: SignedInRepoCtx, params: { readonly index: number; readonly id: number }) {
  const found = await getCommentOf(ctx, params.id as CommentId)
  if (found.issue.index !== params.index || found.comment.type !== 'comment') throw noIssue()
  return found
}

/** Changes the title. */
export const retitleIssue = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/title',
  params: index,
  fields: { title: text },
  problemFields: { title: 'title' },
  async run({ ctx, params, body }) {
    const title = body.title?.trim() ?? ''
    if (title === '') throw new Invalid(all.create.emptyTitle, 'title_empty', { field: 'title' })
    const issue = await editIssue(ctx, await getReadableIssue(ctx, params.index), { ...unchanged, title })
    return { to: addressOf(ctx, issue) }
  },
})

const textFields = { content: text, version: Type.Optional(Type.Integer()) } as const

/** Changes the text of an issue. */
export const rewriteIssue = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/content',
  params: index,
  fields: textFields,
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    refuseOutOfDate(issue.content_version, body.version)
    await editIssue(ctx, issue, { ...unchanged, body: body.content ?? '' })
    return { to: addressOf(ctx, issue) }
  },
})

/** Changes the text of a comment. */
export const rewriteComment = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/content',
  params: indexAndId,
  fields: textFields,
  async run({ ctx, params, body }) {
    const { comment, issue } = await commentAt(ctx, params)
    refuseOutOfDate(comment.content_version, body.version)
    await editComment(ctx, issue, comment, { body: body.content ?? '', updatedAt: undefined })
    return { to: addressOf(ctx, issue, anchorOf(comment)) }
  },
})

const taskFields = { position: Type.Optional(Type.Integer()), checked: flag, version: Type.Optional(Type.Integer()) }

/** Ticks a task in the text of an issue. */
export const tickIssueTask = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/tasks',
  params: index,
  fields: taskFields,
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    refuseOutOfDate(issue.content_version, body.version)
    const content = tickTask(issue.content, body.position ?? -1, body.checked ?? false)
    await editIssue(ctx, issue, { ...unchanged, body: content })
    return { to: addressOf(ctx, issue) }
  },
})

/** Ticks a task in a comment. */
export const tickCommentTask = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/tasks',
  params: indexAndId,
  fields: taskFields,
  async run({ ctx, params, body }) {
    const { comment, issue } = await commentAt(ctx, params)
    refuseOutOfDate(comment.content_version, body.version)
    const content = tickTask(comment.content, body.position ?? -1, body.checked ?? false)
    await editComment(ctx, issue, comment, { body: content, updatedAt: undefined })
    return { to: addressOf(ctx, issue) }
  },
})

/** Adds a comment, and closes or reopens the issue when the button says so. */
export const commentOnIssue = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/comments',
  params: index,
  fields: { content: text, state: text },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    const content = body.content?.trim() ?? ''
    const { state } = body
    if (content === '' && state === undefined) {
      throw new Invalid(texts.emptyComment, 'comment_empty', { field: 'content' })
    }
    const comment =
      content === '' ? undefined : await addComment(ctx, issue, { body: body.content ?? '', updatedAt: undefined })
    if (state === 'open' || state === 'closed') await editIssue(ctx, issue, { ...unchanged, state })
    return { to: addressOf(ctx, issue, comment ? anchorOf(comment) : '') }
  },
})

/** Deletes a comment. */
export const removeCommentOfIssue = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/delete',
  params: indexAndId,
  async run({ ctx, params }) {
    const { comment, issue } = await commentAt(ctx, params)
    await deleteComment(ctx, issue, comment)
    return { to: addressOf(ctx, issue) }
  },
})

const reactionFields = { content: text, remove: flag } as const

async function react(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  comment: CommentRow | undefined,
  body: { readonly content?: string; readonly remove?: boolean },
) {
  await (body.remove ? removeReaction : addReaction)(ctx, issue, comment, body.content ?? '')
  return { to: addressOf(ctx, issue, comment ? anchorOf(comment) : '') }
}

/** Adds a reaction to an issue, or takes it back. */
export const reactToIssue = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/reactions',
  params: index,
  fields: reactionFields,
  run: async ({ ctx, params, body }) => react(ctx, await getReadableIssue(ctx, params.index), undefined, body),
})

/** Adds a reaction to a comment, or takes it back. */
export const reactToComment = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/reactions',
  params: indexAndId,
  fields: reactionFields,
  async run({ ctx, params, body }) {
    const { comment, issue } = await commentAt(ctx, params)
    return react(ctx, issue, comment, body)
  },
})

const textList = Type.Optional(Type.Array(Type.String()))

/** Sets the labels of an issue. */
export const labelIssue = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/labels',
  params: index,
  fields: { label: textList },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    const labels = (body.label ?? []).map(Number).filter((id) => Number.isSafeInteger(id))
    await replaceIssueLabels(ctx, issue, { labels, updatedAt: undefined })
    return { to: addressOf(ctx, issue) }
  },
})

/** Sets the assignees of an issue. */
export const assignIssue = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/assignees',
  params: index,
  fields: { assignee: textList },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await editIssue(ctx, issue, { ...unchanged, assignees: body.assignee ?? [] })
    return { to: addressOf(ctx, issue) }
  },
})

/** Sets the milestone of an issue; 0 removes it. */
export const setIssueMilestone = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/milestone',
  params: index,
  fields: { milestone: Type.Optional(Type.Integer()) },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await editIssue(ctx, issue, { ...unchanged, milestone: body.milestone ?? 0 })
    return { to: addressOf(ctx, issue) }
  },
})

/** Sets the due date of an issue, or removes it. */
export const setIssueDueDate = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/deadline',
  params: index,
  fields: { due: text, remove: flag },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    const day = body.remove || !body.due ? undefined : `${body.due}T12:00:00Z`
    await setDeadline(ctx, issue, day)
    return { to: addressOf(ctx, issue) }
  },
})

/** Makes an issue depend on another one of the repository, or ends it. */
export const changeIssueDependency = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/dependencies',
  params: index,
  fields: { other: text, remove: flag },
  async run({ ctx, params, body }) {
    const number = /^#?(\d{1,9})$/.exec(body.other?.trim() ?? '')?.[1]
    const other = { owner: ctx.owner.name, repo: ctx.repo.name, index: Number(number ?? 0) }
    const issue = await (body.remove ? removeDependency : addDependency)(ctx, params.index, other, 'dependencies')
    return { to: addressOf(ctx, issue) }
  },
})

async function getTracked(ctx: SignedInRepoCtx, at: number): Promise<IssueRow> {
  refuseNoTracking(ctx)
  const issue = await getReadableIssue(ctx, at)
  if (!(await mayTrack(ctx, issue))) throw new Forbidden('you may not track time here', 'tracking_forbidden')
  return issue
}

/** Starts, stops or discards the stopwatch of the person. */
export const runIssueStopwatch = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/stopwatch',
  params: index,
  fields: { act: text },
  async run({ ctx, params, body }) {
    const issue = await getTracked(ctx, params.index)
    const run = body.act === 'stop' ? stopWatch : body.act === 'discard' ? cancelWatch : startWatch
    await run(ctx, issue)
    return { to: addressOf(ctx, issue) }
  },
})

/** Adds time of work. */
export const addIssueTime = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/time',
  params: index,
  fields: { time: text },
  async run({ ctx, params, body }) {
    const issue = await getTracked(ctx, params.index)
    await addTime(ctx, issue, { time: parseDuration(body.time ?? '') })
    return { to: addressOf(ctx, issue) }
  },
})

/** Subscribes the person to an issue, or unsubscribes them. */
export const subscribeToIssue = act({
  path: '/{username}/{reponame}/issues/{index}/subscription',
  requires: [inRepo, issuesOrPullsEnabled],
  params: index,
  fields: { on: flag },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await setSubscription(ctx, issue, ctx.viewer.user, body.on ?? false)
    return { to: addressOf(ctx, issue) }
  },
})

/** Pins an issue, or unpins it. */
export const pinIssueOfPage = act({
  path: '/{username}/{reponame}/issues/{index}/pin',
  requires: [inRepo, issuesOrPullsEnabled, repoAdmin],
  params: index,
  fields: { on: flag },
  again: conversationPage,
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await (body.on ? pin : unpin)(ctx, issue)
    return { to: addressOf(ctx, issue) }
  },
})

/** Locks the conversation, or unlocks it. */
export const lockIssue = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/lock',
  params: index,
  fields: { on: flag },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await setLock(ctx, issue, body.on ?? false)
    return { to: addressOf(ctx, issue) }
  },
})

/** Deletes an issue. */
export const removeIssueOfPage = act({
  path: '/{username}/{reponame}/issues/{index}/delete',
  requires: [inRepo, issuesOrPullsEnabled, repoAdmin, gitRepo],
  params: index,
  async run({ ctx, params }) {
    const issue = await getReadableIssue(ctx, params.index)
    await deleteIssue(ctx, issue)
    return {
      to: pathOf(ctx.owner.name, ctx.repo.name, issue.is_pull ? 'pulls' : 'issues'),
      notice: texts.deleted(issue.index, issue.is_pull),
    }
  },
})

/** Deletes a file of an issue. */
export const removeIssueFile = act({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/attachments/{id}/delete',
  params: indexAndId,
  async run({ ctx, params }) {
    const parent = { issue: await getReadableIssue(ctx, params.index), comment: undefined }
    await deleteAttachment(ctx, parent, await getAttachment(ctx, parent, params.id))
    return { to: addressOf(ctx, parent.issue) }
  },
})
