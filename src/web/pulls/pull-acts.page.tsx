import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { notArchived } from '../../access/repo.requirements.ts'
import { Type } from 'typebox'
import { enumeration, pathNumber } from '../../http/schema.ts'
import { Invalid } from '../../lib/errors.ts'
import { restoreBranch } from '../../pulls/lost-branch.service.ts'
import { deleteMergedHead } from '../../pulls/merge/head-deletion.service.ts'
import { cancelScheduledMerge, mergePull } from '../../pulls/merge/merge.service.ts'
import { mergeStyles } from '../../pulls/merge/merge-style.ts'
import { editPull, type EditPullInput } from '../../pulls/pull-edit.service.ts'
import { getStoredPull } from '../../pulls/pull.service.ts'
import { updateHead } from '../../pulls/pull-update.service.ts'
import { titleAsDraft } from '../../pulls/pull-view.service.ts'
import { setRequests } from '../../pulls/reviews/review-choice.service.ts'
import { askForReviews, withdrawRequests } from '../../pulls/reviews/review-request.service.ts'
import { commentFields, commentFromForm } from '../issues/comment-form.ts'
import { act } from '../shell/page.tsx'
import { repositoryOf, pullPath } from './pull-paths.ts'
import { pullPage } from './pull.page.tsx'
import { readsPull } from './pull-page.ts'
import { pullTexts as texts } from '../languages/texts.ts'
import { text, textList, tick } from '../ui/fields.ts'

const params = { index: pathNumber }

/** Merges a pull request, or schedules the merge. */
export const mergeThePull = act({
  path: '/{username}/{reponame}/pulls/{index}/merge',
  twin: 'repoMergePullRequest',
  requires: [...readsPull, notArchived, repoUnderQuota('size:git:all')],
  params,
  cost: 'expensive',
  again: pullPage,
  fields: {
    style: text,
    title: text,
    message: text,
    commit: text,
    head_commit_id: text,
    delete_branch: text,
    force: text,
    when: text,
  },
  async run({ ctx, params: { index }, body }) {
    const style = mergeStyles.find((each) => each === body.style)
    if (style === undefined) throw new Invalid('[style]: is not a way to merge', 'invalid', { field: 'style' })
    const outcome = await mergePull(ctx, await getStoredPull(ctx, index), {
      style,
      title: body.title ?? '',
      message: body.message ?? '',
      mergeCommit: body.commit?.trim() ?? '',
      expectedHead: body.head_commit_id ?? '',
      isForced: body.force === 'true',
      whenChecksSucceed: body.when === 'checks',
      deletesBranch: body.delete_branch === 'true',
    })
    return {
      to: pullPath(repositoryOf(ctx), index),
      notice: outcome === 'scheduled' ? texts.scheduledNotice : texts.mergedNotice,
    }
  },
})

export const cancelTheMerge = act({
  path: '/{username}/{reponame}/pulls/{index}/merge/cancel',
  twin: 'repoCancelScheduledAutoMerge',
  cost: 'expensive',
  requires: [...readsPull, notArchived],
  params,
  again: pullPage,
  async run({ ctx, params: { index } }) {
    await cancelScheduledMerge(ctx, await getStoredPull(ctx, index))
    return { to: pullPath(repositoryOf(ctx), index), notice: texts.waitingCancelled }
  },
})

/** Deletes the branch of a merged pull request. Its repository, which may be a fork, decides who may. */
export const deleteTheHead = act({
  path: '/{username}/{reponame}/pulls/{index}/branch/delete',
  twin: null,
  cost: 'expensive',
  requires: readsPull,
  params,
  again: pullPage,
  async run({ ctx, params: { index } }) {
    const { pull } = await getStoredPull(ctx, index)
    await deleteMergedHead(ctx, pull)
    return { to: pullPath(repositoryOf(ctx), index), notice: texts.branchDeleted }
  },
})

/** Creates a branch of the pull request again that was deleted. The repository of the branch decides who may. */
export const restoreTheBranch = act({
  path: '/{username}/{reponame}/pulls/{index}/branch/restore',
  twin: null,
  cost: 'expensive',
  requires: readsPull,
  params,
  again: pullPage,
  fields: { side: Type.Optional(enumeration('base', 'head')) },
  async run({ ctx, params: { index }, body }) {
    const pair = await getStoredPull(ctx, index)
    const side = body.side ?? 'head'
    await restoreBranch(ctx, pair, side)
    return {
      to: pullPath(repositoryOf(ctx), index),
      notice: texts.lost.restored(side === 'head' ? pair.pull.head_branch : pair.pull.base_branch),
    }
  },
})

export const updateTheHead = act({
  path: '/{username}/{reponame}/pulls/{index}/update',
  twin: 'repoUpdatePullRequest',
  requires: [...readsPull, repoUnderQuota('size:git:all')],
  params,
  cost: 'expensive',
  again: pullPage,
  fields: { style: text },
  async run({ ctx, params: { index }, body }) {
    await updateHead(ctx, await getStoredPull(ctx, index), body.style === 'rebase' ? 'rebase' : 'merge')
    return { to: pullPath(repositoryOf(ctx), index), notice: texts.updated }
  },
})

/** What an edit leaves as it is. */
const unchanged: EditPullInput = { dueDate: undefined, unsetDueDate: undefined, allowsMaintainerEdit: undefined }

/** Changes title and base. */
export const retitlePull = act({
  path: '/{username}/{reponame}/pulls/{index}/title',
  edits: true,
  twin: 'repoEditPullRequest',
  cost: 'expensive',
  requires: readsPull,
  params,
  again: pullPage,
  fields: { title: text, base: text },
  async run({ ctx, params: { index }, body }) {
    const { title, base } = body
    await editPull(ctx, await getStoredPull(ctx, index), { ...unchanged, title, base: base?.trim() })
    return { to: pullPath(repositoryOf(ctx), index) }
  },
})

/** Marks as a draft, or as ready for review. */
export const changeDraft = act({
  path: '/{username}/{reponame}/pulls/{index}/draft',
  twin: 'repoEditPullRequest',
  cost: 'expensive',
  requires: readsPull,
  params,
  again: pullPage,
  fields: { draft: text },
  async run({ ctx, params: { index }, body }) {
    const pair = await getStoredPull(ctx, index)
    const prefixes = ctx.config.repositoryPullRequest.workInProgressPrefixes
    await editPull(ctx, pair, { ...unchanged, title: titleAsDraft(pair.issue.title, prefixes, body.draft === 'true') })
    return { to: pullPath(repositoryOf(ctx), index) }
  },
})

/** Asks for reviews, or takes requests back: of everybody (`set`), or of one person. */
export const changeReviewers = act({
  path: '/{username}/{reponame}/pulls/{index}/reviewers',
  twin: 'repoCreatePullReviewRequests',
  cost: 'expensive',
  requires: readsPull,
  params,
  again: pullPage,
  problemFields: { user_not_found: 'reviewer', reviewer: 'reviewer', review_request: 'reviewer' },
  fields: { reviewer: textList, team: textList, set: tick, remove: text, remove_team: text },
  async run({ ctx, params: { index }, body }) {
    const pair = await getStoredPull(ctx, index)
    const reviewers = (body.reviewer ?? []).map((name) => name.trim())
    const teams = body.team ?? []
    if (body.remove !== undefined) await withdrawRequests(ctx, pair, { reviewers: [body.remove], teams: [] })
    else if (body.remove_team !== undefined) await withdrawRequests(ctx, pair, { teams: [body.remove_team] })
    else if (body.set) await setRequests(ctx, pair, { reviewers: reviewers.filter((name) => name !== ''), teams })
    else await askForReviews(ctx, pair, { reviewers, teams })
    return { to: pullPath(repositoryOf(ctx), index) }
  },
})

/** Adds a comment to the conversation, and closes or reopens when the button says so. */
export const commentOnPull = act({
  path: '/{username}/{reponame}/pulls/{index}/comments',
  twin: 'issueCreateComment',
  cost: 'expensive',
  requires: [...readsPull, notArchived],
  params,
  again: pullPage,
  fields: commentFields,
  async run({ ctx, params: { index }, body }) {
    const { issue } = await getStoredPull(ctx, index)
    const comment = await commentFromForm(ctx, issue, body)
    return { to: `${pullPath(repositoryOf(ctx), index)}${comment ? `#issuecomment-${comment.id}` : ''}` }
  },
})
