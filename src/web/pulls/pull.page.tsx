import { Type } from 'typebox'
import { pathNumber } from '../../http/schema.ts'
import { viewTimeline } from '../../issues/timeline/timeline-view.service.ts'
import type { CommentId } from '../../lib/ids.ts'
import { mergeStateOf } from '../../pulls/merge/merge-state.service.ts'
import { getPullReviews } from '../../pulls/reviews/thread.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { renderTexts } from '../ui/render-texts.ts'
import { loadPull, readsPull } from './pull-page.ts'
import { PullPageView } from './pull.view.tsx'

/** Entries of the timeline that are shown at once. */
const shownEntries = 100

/** The conversation of a pull request, and its merge. */
export const pullPage = page({
  path: '/{username}/{reponame}/pulls/{index}',
  requires: readsPull,
  params: { index: pathNumber },
  query: { before: Type.Optional(Type.Integer()) },
  cost: 'expensive',
  frame: inRepositoryFrame('pulls'),
  async load({ ctx, params, query }) {
    const shared = await loadPull(ctx, params.index)
    const { pair } = shared.view
    const [timeline, reviews, state] = await Promise.all([
      viewTimeline(ctx, pair.issue, { before: query.before as CommentId | undefined, limit: shownEntries }),
      getPullReviews(ctx, pair),
      pair.issue.is_closed ? undefined : mergeStateOf(ctx, pair),
    ])
    const shownReviews = new Set(timeline.entries.flatMap(({ row }) => row.review_id ?? []))
    const html = await renderTexts<number>(ctx, [
      [0, pair.issue.content],
      ...timeline.entries
        .filter(({ row }) => row.type === 'comment' || row.type === 'review')
        .map(({ row }) => [row.id as number, row.content] as const),
      ...reviews.threads
        .flatMap((thread) => thread.comments)
        .filter(({ row }) => row.review_id !== null && shownReviews.has(row.review_id))
        .map(({ row }) => [row.id as number, row.content] as const),
    ])
    const viewer = ctx.viewer
    return {
      ...shared,
      timeline,
      reviews,
      state,
      html,
      hasLater: query.before !== undefined,
      isSignedIn: viewer !== undefined && !ctx.repo.is_archived,
      mayCancel: viewer !== undefined && (ctx.rights.isAdmin || state?.scheduled?.doer_id === viewer.id),
    }
  },
  meta: ({ view }) => ({ title: `${view.pair.issue.title} · #${view.pair.issue.index}`, withEditor: true }),
  view: PullPageView,
})
