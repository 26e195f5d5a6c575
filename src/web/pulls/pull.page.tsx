import { mayHere } from '../../access/may-here.ts'
import { pathNumber } from '../../http/schema.ts'
import type { TimelinePart } from '../../issues/timeline/timeline-view.service.ts'
import { mayDeleteMergedHead } from '../../pulls/merge/head-deletion.service.ts'
import { wholeMergeCommit } from '../../pulls/merge/merge-commit.service.ts'
import { mergeStateOf } from '../../pulls/merge/merge-state.service.ts'
import { getReviewChoices } from '../../pulls/reviews/review-choice.service.ts'
import { getPullReviews, withoutContinued } from '../../pulls/reviews/thread.service.ts'
import { listApplicable } from '../../pulls/suggestion.service.ts'
import { plainSummary } from '../../markup/plain-summary.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { loadConversation } from '../issues/conversation.ts'
import { page } from '../shell/page.tsx'
import { failedLines } from './failed-lines.ts'
import { loadPull, readsPull, resolvableBy, reviewedBefore } from './pull-page.ts'
import { PullPageView } from './pull.view.tsx'
import { integer, text } from '../ui/fields.ts'

/** The conversation of a pull request, and its merge. */
export const pullPage = page({
  path: '/{username}/{reponame}/pulls/{index}',
  twin: 'repoGetPullRequest',
  requires: readsPull,
  params: { index: pathNumber },
  query: { before: integer, edit: text },
  cost: 'expensive',
  frame: inRepositoryFrame('pulls'),
  async load({ ctx, params, query }) {
    const shared = await loadPull(ctx, params.index)
    const { pair } = shared.view
    const { viewer } = ctx
    const here = mayHere(ctx)
    const reviews = await getPullReviews(ctx, pair)
    const ofShownReviews = ({ entries }: TimelinePart) => {
      const shown = new Set(entries.flatMap(({ row }) => row.review_id ?? []))
      return reviews.threads
        .filter(({ comments: [first] }) => first && first.row.review_id !== null && shown.has(first.row.review_id))
        .flatMap(({ comments }) => comments.map(({ row }) => row))
    }
    const [conversation, state, choices, mayDeleteBranch, revertible, applicable] = await Promise.all([
      loadConversation(ctx, pair.issue, query, ofShownReviews),
      pair.issue.is_closed ? undefined : mergeStateOf(ctx, pair),
      viewer && here.change.allowed ? getReviewChoices({ ...ctx, viewer }, pair) : undefined,
      viewer ? mayDeleteMergedHead({ ...ctx, viewer }, pair.pull) : false,
      here.write('code').allowed ? wholeMergeCommit(ctx, pair.pull) : undefined,
      listApplicable(ctx, pair, reviews.threads),
    ])
    const { timeline } = conversation
    const { entries } = timeline
    return {
      ...shared,
      conversation: {
        ...conversation,
        // A review that was continued later is shown there.
        timeline:
          query.before === undefined ? timeline : { ...timeline, entries: await withoutContinued(ctx, pair, entries) },
      },
      reviews,
      applicable,
      state,
      choices,
      mayResolve: resolvableBy(ctx, pair),
      isSignedIn: here.change.allowed,
      mayDeleteBranch,
      revertible,
      reviewed: reviewedBefore(ctx, pair, reviews),
      failedAt: await failedLines(ctx, state?.statuses ?? []),
      mayCancel: viewer !== undefined && (ctx.rights.isAdmin || state?.scheduled?.doer_id === viewer.id),
    }
  },
  meta: ({ view, conversation: { issue } }) => ({
    title: `${view.pair.issue.title} · #${view.pair.issue.index}`,
    description: plainSummary(issue.content),
    withFurtherStyles: true,
  }),
  view: PullPageView,
})
