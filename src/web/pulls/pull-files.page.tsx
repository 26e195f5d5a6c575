import { readShownDiff, type ShownDiff } from '../../code/commits/shown-diff.service.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import { readIssueThread } from '../../notifications/issue-reading.service.ts'
import { pathNumber } from '../../http/schema.ts'
import { mergeBaseOf } from '../../pulls/pull.rules.ts'
import { getRewrite } from '../../pulls/reviews/rewrite.service.ts'
import { getViewed, progressOf } from '../../pulls/reviews/viewed.service.ts'
import { listApplicable } from '../../pulls/suggestion.service.ts'
import { getPullReviews, type Thread } from '../../pulls/reviews/thread.service.ts'
import { annotationsIn } from '../actions/line-annotations.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { loadTexts, mayOf } from '../issues/conversation.ts'
import { page } from '../shell/page.tsx'
import { diffChoice, diffQuery } from '../ui/diff/diff-request.ts'
import { highlightSides } from '../ui/diff/highlight-sides.ts'
import { loadPull, readsPull, resolvableBy, reviewedBefore } from './pull-page.ts'
import { PullFilesView } from './pull-files.view.tsx'
import { text } from '../ui/fields.ts'

/** Returns the conversations about files of a difference. One about an old line may name the file as it was called then. */
function threadsIn(threads: readonly Thread[], { files }: ShownDiff): readonly Thread[] {
  const shown = new Set(files.map(({ change }) => change.path))
  const renamed = new Map(files.flatMap(({ change: { oldPath, path } }) => (oldPath ? [[oldPath, path] as const] : [])))
  return threads.flatMap((thread) => {
    const path = thread.side === 'old' && !shown.has(thread.path) ? renamed.get(thread.path) : thread.path
    return path !== undefined && shown.has(path) ? [{ ...thread, path }] : []
  })
}

/** The changed files of a pull request, with the comments on their lines. */
export const pullFilesPage = page({
  path: '/{username}/{reponame}/pulls/{index}/files',
  twin: 'repoGetPullRequestFiles',
  requires: readsPull,
  params: { index: pathNumber },
  query: {
    ...diffQuery,
    line: text,
    since: text,
    edit: text,
  },
  cost: 'expensive',
  isWide: true,
  frame: inRepositoryFrame('pulls'),
  async load({ ctx, params, query }) {
    // A notification of new commits leads here.
    if (ctx.viewer && query.since === 'review') {
      const { id } = await getReadableIssue(ctx, params.index)
      await readIssueThread({ ...ctx, viewer: ctx.viewer }, id)
    }
    const shared = await loadPull(ctx, params.index)
    const { pair } = shared.view
    const reviews = await getPullReviews(ctx, pair)
    const reviewed = reviewedBefore(ctx, pair, reviews)
    const since = query.since === 'review' ? reviewed : undefined
    const head = pair.pull.synced_oid
    const mergeBase = mergeBaseOf(pair.pull)
    const base = since ?? mergeBase
    const choice = diffChoice(query)
    const diff = await readShownDiff(ctx, { base, head, ...choice })
    const threads = since ? [] : threadsIn(reviews.threads, diff)
    const highlighted = await highlightSides(ctx, ctx.repo.git_key, diff)
    const annotations = await annotationsIn(ctx, head, diff)
    const commented = threads.flatMap(({ comments }) => comments.map(({ row }) => row))
    const may = await mayOf(ctx, pair.issue)
    const { texts, reactions } = await loadTexts(ctx, pair.issue, commented)
    const viewed = await getViewed(ctx, pair)
    return {
      ...shared,
      diff,
      highlighted,
      annotations,
      threads,
      texts,
      reactions,
      may,
      mayResolve: resolvableBy(ctx, pair),
      reviews,
      applicable: since ? new Set<number>() : await listApplicable(ctx, pair, reviews.threads),
      choice,
      viewed,
      progress: progressOf(diff.contents, viewed),
      line: query.line,
      editing: query.edit,
      base,
      head,
      since,
      rewrite: since && mergeBase ? await getRewrite(ctx, mergeBase, since, head) : undefined,
      reviewed,
      mayReview: may.comment,
      mayComment: may.comment && since === undefined,
      isPoster: pair.issue.poster_id === ctx.viewer?.id,
    }
  },
  meta: ({ view }) => ({
    title: `Files · ${view.pair.issue.title} · #${view.pair.issue.index}`,
    withFurtherStyles: true,
  }),
  view: PullFilesView,
})
