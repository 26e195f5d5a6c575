import type { RepoCtx } from '../../access/context.ts'
import { notArchived } from '../../access/repo.requirements.ts'
import { pathNumber } from '../../http/schema.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { applySuggestions } from '../../pulls/suggestion.service.ts'
import { getPull, getStoredPull } from '../../pulls/pull.service.ts'
import { codeCommentInRepo } from '../../pulls/reviews/review.requirements.ts'
import { createReview, deleteReview, getReview, submitReview } from '../../pulls/reviews/review.service.ts'
import { setResolved } from '../../pulls/reviews/review-text.service.ts'
import { setViewed } from '../../pulls/reviews/viewed.service.ts'
import { getPullReviews, threadOf } from '../../pulls/reviews/thread.service.ts'
import { act } from '../shell/page.tsx'
import { withQuery } from '../ui/paths.ts'
import { repositoryOf, pullPath } from './pull-paths.ts'
import { pullFilesPage } from './pull-files.page.tsx'
import { pullPage } from './pull.page.tsx'
import { readsPull } from './pull-page.ts'
import { Progress, progressId, ViewedButton, viewedId } from './viewed.view.tsx'
import { pullTexts as texts } from '../languages/texts.ts'
import { integer, text, textList, tick } from '../ui/fields.ts'
import { pathOfField } from '../ui/path-field.ts'
import { wordTable } from '../../lib/word-table.ts'

const params = { index: pathNumber }

const filesPath = (
  ctx: RepoCtx,
  index: number,
  query: {
    readonly file: string | undefined
    readonly style?: string | undefined
    readonly whitespace?: string | undefined
  },
): string => withQuery(pullPath(repositoryOf(ctx), index, 'files'), query)

/** Comments on a line: at once, or as a part of the review that the person has begun. */
export const commentOnLine = act({
  path: '/{username}/{reponame}/pulls/{index}/files/reviews/comments',
  twin: 'repoCreatePullReview',
  requires: [...readsPull, notArchived],
  params,
  cost: 'expensive',
  fields: {
    path: text,
    side: text,
    line: integer,
    first: integer,
    content: text,
    mode: text,
    from: text,
    reply: integer,
    open: text,
    style: text,
    whitespace: text,
  },
  again: async ({ body }) => (body['from'] === 'conversation' ? pullPage : pullFilesPage),
  // The form appears at its line, whatever lines were typed.
  againQuery: ({ from, path, open, style, whitespace }) =>
    from === 'conversation' ? {} : { file: path && pathOfField(path), line: open, style, whitespace },
  async run({ ctx, params: { index }, body }) {
    const content = body.content ?? ''
    if (content.trim() === '') throw new Invalid('[content]: a comment needs a text', 'invalid', { field: 'content' })
    const path = body.path === undefined ? undefined : pathOfField(body.path)
    const pair = await getStoredPull(ctx, index)
    const reviews = await getPullReviews(ctx, pair)
    const { pending } = reviews
    const replyTo = body.reply === undefined ? undefined : threadOf(reviews, body.reply)?.comments[0]?.row
    if (body.reply !== undefined && !replyTo) throw new NotFound('the comment does not exist', 'comment_not_found')
    const isOld = body.side === 'old'
    await createReview(ctx, pair, {
      // A comment beside a pending review would submit that review.
      event: body.mode === 'single' && pending === undefined ? 'COMMENT' : undefined,
      commitId: undefined,
      body: pending?.content,
      comments: [
        {
          path,
          body: content,
          oldLine: isOld ? body.line : undefined,
          newLine: isOld ? undefined : body.line,
          firstLine: body.first,
          replyTo,
        },
      ],
    })
    const { style, whitespace } = body
    return {
      to:
        body.from === 'conversation'
          ? pullPath(repositoryOf(ctx), index)
          : filesPath(ctx, index, { file: path, style, whitespace }),
    }
  },
})

const events = wordTable<string>({ comment: 'COMMENT', approve: 'APPROVED', reject: 'REQUEST_CHANGES' })

/** Submits a review with the comments that wait for it. */
export const submitTheReview = act({
  path: '/{username}/{reponame}/pulls/{index}/files/reviews/submit',
  twin: 'repoSubmitPullReview',
  cost: 'expensive',
  requires: [...readsPull, notArchived],
  params,
  again: pullFilesPage,
  problemFields: { review_body_required: 'content' },
  fields: { type: text, content: text },
  async run({ ctx, params: { index }, body }) {
    const pair = await getStoredPull(ctx, index)
    const event = events[body.type ?? ''] ?? 'COMMENT'
    const { pending } = await getPullReviews(ctx, pair)
    if (pending) await submitReview(ctx, pair, await getReview(ctx, pair, pending.id), { event, body: body.content })
    else await createReview(ctx, pair, { event, body: body.content, commitId: undefined })
    return { to: pullPath(repositoryOf(ctx), index), notice: texts.reviewSubmitted }
  },
})

/** Discards the review that the person has begun. */
export const discardTheReview = act({
  path: '/{username}/{reponame}/pulls/{index}/files/reviews/discard',
  twin: 'repoDeletePullReview',
  cost: 'expensive',
  requires: [...readsPull, notArchived],
  params,
  again: pullFilesPage,
  async run({ ctx, params: { index } }) {
    const pair = await getStoredPull(ctx, index)
    const { pending } = await getPullReviews(ctx, pair)
    if (!pending) throw new NotFound('there is no review to discard', 'review_not_found')
    await deleteReview(ctx, pair, pending)
    return { to: pullPath(repositoryOf(ctx), index, 'files'), notice: texts.reviewDiscarded }
  },
})

/** Marks a conversation on a line as resolved, or opens it again. */
export const resolveTheConversation = act({
  path: '/{username}/{reponame}/pulls/{index}/conversations/{comment}',
  twin: null,
  cost: 'expensive',
  requires: [...readsPull, codeCommentInRepo, notArchived],
  params,
  again: pullPage,
  fields: { resolved: tick, from: text },
  async run({ ctx, params: { index }, body }) {
    const pair = await getStoredPull(ctx, index)
    const thread = threadOf(await getPullReviews(ctx, pair), ctx.comment.id)
    if (!thread) throw new NotFound('the comment does not exist', 'comment_not_found')
    await setResolved(ctx, pair, thread, body.resolved ?? false)
    const anchor = `#issuecomment-${ctx.comment.id}`
    const page =
      body.from === 'files' ? filesPath(ctx, index, { file: thread.path }) : pullPath(repositoryOf(ctx), index)
    return { to: `${page}${anchor}` }
  },
})

/** Marks a changed file as viewed by the person, or takes the mark back. */
export const markFileViewed = act({
  path: '/{username}/{reponame}/pulls/{index}/files/viewed',
  twin: null,
  cost: 'expensive',
  requires: readsPull,
  params,
  again: pullFilesPage,
  answersParts: true,
  fields: { path: text, content: text, viewed: tick, style: text, whitespace: text, at: text },
  async run({ ctx, params: { index }, body }) {
    const { content = '', style, whitespace, viewed: isViewed = false } = body
    const path = pathOfField(body.path ?? '')
    const progress = await setViewed(ctx, await getStoredPull(ctx, index), { path, content }, isViewed)
    const files = pullPath(repositoryOf(ctx), index, 'files')
    const page = withQuery(files, { style, whitespace })
    const at = /^\d{1,6}$/.test(body.at ?? '') ? body.at : undefined
    if (at === undefined) return { to: page }
    const file = { path, content, at, style, whitespace, isViewed }
    return {
      to: `${page}#diff-${at}`,
      parts: {
        [viewedId(at)]: <ViewedButton {...file} to={`${files}/viewed`} />,
        [progressId]: <Progress {...progress} />,
      },
    }
  },
})

/** The page with the form of suggestions: the changed files (`from` is `files`), or the conversation. */
const pageSentFrom = async ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  body['from'] === 'files' ? pullFilesPage : pullPage

const pathSentFrom = (ctx: RepoCtx, index: number, { from }: { readonly from?: string }): string =>
  pullPath(repositoryOf(ctx), index, ...(from === 'files' ? ['files'] : []))

/** Commits a suggestion to the head branch. */
export const applyTheSuggestion = act({
  path: '/{username}/{reponame}/pulls/{index}/suggestions/{comment}',
  twin: null,
  requires: [...readsPull, codeCommentInRepo, notArchived],
  params,
  cost: 'expensive',
  fields: { from: text },
  again: pageSentFrom,
  async run({ ctx, params: { index }, body }) {
    const pair = await getPull(ctx, index)
    // Comments of other pull requests, and of pending reviews of others, are not among them.
    const thread = threadOf(await getPullReviews(ctx, pair), ctx.comment.id)
    if (!thread) throw new NotFound('the comment does not exist', 'comment_not_found')
    await applySuggestions(ctx, pair, [{ comment: ctx.comment, thread }])
    return { to: pathSentFrom(ctx, index, body), notice: texts.suggestionApplied }
  },
})

/** Commits chosen suggestions to the head branch, all in one commit. */
export const applyTheSuggestions = act({
  path: '/{username}/{reponame}/pulls/{index}/suggestions',
  twin: null,
  requires: [...readsPull, notArchived],
  params,
  cost: 'expensive',
  again: pageSentFrom,
  fields: { comment: textList, message: text, from: text },
  async run({ ctx, params: { index }, body }) {
    const pair = await getPull(ctx, index)
    const reviews = await getPullReviews(ctx, pair)
    const chosen = [...new Set(body.comment)].map((id) => {
      const thread = threadOf(reviews, Number(id))
      const comment = thread?.comments.find(({ row }) => row.id === Number(id))?.row
      if (!thread || !comment) throw new NotFound('the comment does not exist', 'comment_not_found')
      return { comment, thread }
    })
    await applySuggestions(ctx, pair, chosen, body.message)
    return { to: pathSentFrom(ctx, index, body), notice: texts.suggestionsApplied(chosen.length) }
  },
})
