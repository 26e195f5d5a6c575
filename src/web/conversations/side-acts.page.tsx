import type { SignedInRepoCtx } from '../../access/context.ts'
import { gitRepo, inRepo, issuesOrPullsEnabled, notArchived, repoAdmin } from '../../access/repo.requirements.ts'
import { attachmentsEnabled } from '../../access/requirements.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { deleteAttachment, getAttachment } from '../../issues/attachments/attachment.service.ts'
import { addDependency, removeDependency, type OtherIssue } from '../../issues/dependencies/dependency.service.ts'
import { deleteIssue, editIssue, getReadableIssue, setDeadline, setLock } from '../../issues/issue.service.ts'
import { relationWords } from '../../issues/relations/relation-word.ts'
import { addRelation, removeRelation } from '../../issues/relations/relation.service.ts'
import { closingChoice } from '../issues/relations.view.tsx'
import { replaceIssueLabels } from '../../issues/labels/label.service.ts'
import { pin, unpin } from '../../issues/social/pin.service.ts'
import { setSubscription } from '../../issues/social/subscription.service.ts'
import { cancelWatch, startWatch, stopWatch } from '../../issues/time/stopwatch.service.ts'
import { parseDuration } from '../../issues/time/duration.ts'
import { addTime, mayTrack, refuseNoTracking } from '../../issues/time/time.service.ts'
import { Forbidden, Invalid } from '../../lib/errors.ts'
import { act } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { issueTexts } from '../languages/texts.ts'

import { addressOf, indexParameter, indexAndId, conversationAct, unchangedIssue } from './conversation.page.ts'
import { integer, text, textList, tick } from '../ui/fields.ts'

const texts = issueTexts.issue

/** Sets the labels of an issue. */
export const labelIssue = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/labels',
  edits: true,
  twin: 'issueReplaceLabels',
  cost: 'usual',
  params: indexParameter,
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
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/assignees',
  edits: true,
  twin: 'issueEditIssue',
  cost: 'usual',
  params: indexParameter,
  fields: { assignee: textList },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await editIssue(ctx, issue, { ...unchangedIssue, assignees: body.assignee ?? [] })
    return { to: addressOf(ctx, issue) }
  },
})

/** Sets the milestone of an issue; 0 removes it. */
export const setIssueMilestone = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/milestone',
  twin: 'issueEditIssue',
  cost: 'usual',
  params: indexParameter,
  fields: { milestone: integer },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await editIssue(ctx, issue, { ...unchangedIssue, milestone: body.milestone ?? 0 })
    return { to: addressOf(ctx, issue) }
  },
})

/** Sets the due date of an issue, or removes it. */
export const setIssueDueDate = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/deadline',
  edits: true,
  twin: 'issueEditIssueDeadline',
  cost: 'usual',
  params: indexParameter,
  fields: { due: text, remove: tick },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    const day = body.remove || !body.due ? undefined : `${body.due}T12:00:00Z`
    await setDeadline(ctx, issue, day)
    return { to: addressOf(ctx, issue) }
  },
})

/** Makes an issue depend on another one of the repository, or ends it. */
export const changeIssueDependency = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/dependencies',
  twin: 'issueCreateIssueDependencies',
  cost: 'usual',
  params: indexParameter,
  fields: { other: text, remove: tick },
  async run({ ctx, params, body }) {
    const number = /^#?(\d{1,9})$/.exec(body.other?.trim() ?? '')?.[1]
    const other = { owner: ctx.owner.name, repo: ctx.repo.name, index: Number(number ?? 0) }
    const issue = await (body.remove ? removeDependency : addDependency)(ctx, params.index, other, 'dependencies')
    return { to: addressOf(ctx, issue) }
  },
})

/** Relates an issue to another one, closes it as a duplicate of it, or ends a relation. */
export const changeIssueRelation = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/relations',
  twin: 'issueCreateRelation',
  cost: 'usual',
  params: indexParameter,
  fields: { relation: text, other: text, remove: tick },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    const closes = body.relation === closingChoice
    const word = closes ? 'duplicate_of' : relationWords.find((each) => each === body.relation)
    if (word === undefined) throw new Invalid('relation: must be a kind of relation', 'relation_invalid')
    const other = otherIssueOf(ctx, body.other ?? '')
    if (body.remove) await removeRelation(ctx, issue.index, other, word)
    else await addRelation(ctx, issue.index, other, word, { closes })
    return { to: addressOf(ctx, issue) }
  },
})

/** Reads `12`, `#12` or `owner/repository#12`; anything else names no issue. */
function otherIssueOf(ctx: SignedInRepoCtx, typed: string): OtherIssue {
  const [, owner, repo, index] = /^(?:([\w.-]+)\/([\w.-]+))?#?(\d{1,9})$/.exec(typed.trim()) ?? []
  return { owner: owner ?? ctx.owner.name, repo: repo ?? ctx.repo.name, index: Number(index ?? 0) }
}

async function getTracked(ctx: SignedInRepoCtx, at: number): Promise<IssueRow> {
  refuseNoTracking(ctx)
  const issue = await getReadableIssue(ctx, at)
  if (!(await mayTrack(ctx, issue))) throw new Forbidden('you may not track time here', 'tracking_forbidden')
  return issue
}

/** Starts, stops or discards the stopwatch of the person. */
export const runIssueStopwatch = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/stopwatch',
  twin: 'issueStartStopWatch',
  cost: 'usual',
  params: indexParameter,
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
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/time',
  twin: 'issueAddTime',
  cost: 'usual',
  params: indexParameter,
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
  twin: 'issueAddSubscription',
  cost: 'usual',
  requires: [inRepo, issuesOrPullsEnabled],
  params: indexParameter,
  fields: { on: tick },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await setSubscription(ctx, issue, ctx.viewer.user, body.on ?? false)
    return { to: addressOf(ctx, issue) }
  },
})

/** Pins an issue, or unpins it. */
export const pinIssueOfPage = act({
  path: '/{username}/{reponame}/issues/{index}/pin',
  twin: 'pinIssue',
  cost: 'usual',
  requires: [inRepo, issuesOrPullsEnabled, repoAdmin],
  params: indexParameter,
  fields: { on: tick },
  again: conversationAct.again,
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await (body.on ? pin : unpin)(ctx, issue)
    return { to: addressOf(ctx, issue) }
  },
})

/** Locks the conversation, or unlocks it. */
export const lockIssue = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/lock',
  twin: null,
  cost: 'usual',
  params: indexParameter,
  fields: { on: tick },
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await setLock(ctx, issue, body.on ?? false)
    return { to: addressOf(ctx, issue) }
  },
})

/** Deletes an issue. */
export const removeIssueOfPage = act({
  path: '/{username}/{reponame}/issues/{index}/delete',
  twin: 'issueDelete',
  cost: 'usual',
  requires: [inRepo, issuesOrPullsEnabled, repoAdmin, gitRepo],
  params: indexParameter,
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
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/attachments/{id}/delete',
  twin: 'issueDeleteIssueAttachment',
  cost: 'usual',
  requires: [inRepo, issuesOrPullsEnabled, attachmentsEnabled, notArchived],
  params: indexAndId,
  async run({ ctx, params }) {
    const parent = { issue: await getReadableIssue(ctx, params.index), comment: undefined }
    await deleteAttachment(ctx, parent, await getAttachment(ctx, parent, params.id))
    return { to: addressOf(ctx, parent.issue) }
  },
})
