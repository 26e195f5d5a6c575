import { Type } from 'typebox'
import { readShownDiff } from '../../code/commits/shown-diff.service.ts'
import { pathNumber } from '../../http/schema.ts'
import type { Oid } from '../../lib/ids.ts'
import { mergeBaseOf } from '../../pulls/pull.rules.ts'
import { getPullReviews } from '../../pulls/reviews/thread.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { highlightSides } from '../ui/diff/highlight-sides.ts'
import { renderTexts } from '../ui/render-texts.ts'
import { loadPull, readsPull } from './pull-page.ts'
import { PullFilesView } from './pull-files.view.tsx'

const maxContext = 100_000

/** The changed files of a pull request, with the comments on their lines. */
export const pullFilesPage = page({
  path: '/{username}/{reponame}/pulls/{index}/files',
  requires: readsPull,
  params: { index: pathNumber },
  query: {
    view: Type.Optional(Type.String()),
    space: Type.Optional(Type.String()),
    only: Type.Optional(Type.String()),
    context: Type.Optional(Type.Integer()),
    line: Type.Optional(Type.String()),
    since: Type.Optional(Type.String()),
    page: Type.Optional(Type.Integer()),
  },
  cost: 'expensive',
  isWide: true,
  frame: inRepositoryFrame('pulls'),
  async load({ ctx, params, query }) {
    const shared = await loadPull(ctx, params.index)
    const { pair } = shared.view
    const reviews = await getPullReviews(ctx, pair)
    const mine = reviews.reviews.findLast(
      (review) =>
        review.reviewer_id === ctx.viewer?.id &&
        review.type !== 'pending' &&
        review.type !== 'request' &&
        review.commit_oid !== '',
    )
    const reviewed = mine && mine.commit_oid !== pair.pull.synced_oid ? (mine.commit_oid as Oid) : undefined
    const since = query.since === 'review' ? reviewed : undefined
    const head = pair.pull.synced_oid
    const base = since ?? mergeBaseOf(pair.pull)
    const diff = await readShownDiff(ctx, {
      base,
      head,
      ignoresSpace: query.space === 'hide',
      only: query.only,
      contextLines: query.context === undefined ? undefined : Math.max(0, Math.min(query.context, maxContext)),
      page: Math.max(1, query.page ?? 1),
    })
    const shown = new Set(diff.files.map((file) => file.change.path))
    const threads = since ? [] : reviews.threads.filter((thread) => shown.has(thread.path))
    const highlighted = await highlightSides(ctx, ctx.repo.git_key, diff)
    const html = await renderTexts<number>(
      ctx,
      threads.flatMap((thread) => thread.comments.map(({ row }) => [row.id as number, row.content] as const)),
    )
    return {
      ...shared,
      diff,
      highlighted,
      threads,
      html,
      reviews,
      query,
      base,
      head,
      since,
      reviewed,
      mayComment: ctx.viewer !== undefined && !ctx.repo.is_archived && since === undefined,
      isPoster: pair.issue.poster_id === ctx.viewer?.id,
      layout: query.view === 'split' ? ('split' as const) : ('unified' as const),
    }
  },
  meta: ({ view }) => ({ title: `Files · ${view.pair.issue.title} · #${view.pair.issue.index}`, withEditor: true }),
  view: PullFilesView,
})
