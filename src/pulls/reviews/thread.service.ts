import type { RepoCtx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { AttachmentRow, CommentRow } from '../../db/tables/issues.ts'
import type { ReviewRow } from '../../db/tables/pulls.ts'
import { pluck } from '../../lib/pluck.ts'
import { listFilesOfComments } from '../../issues/attachments/attachment.store.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { PullPair } from '../pull.store.ts'
import { maySeeReview } from './review.service.ts'
import { listLineComments, listReviewIdsAfter, listReviews } from './review.store.ts'

/** A comment on a line. */
export interface LineComment {
  readonly row: CommentRow
  readonly author: UserRow | undefined
  /** Only its author sees it, until the review is submitted. */
  readonly isPending: boolean
  readonly files: readonly AttachmentRow[]
}

/** Comments on the same lines of a file, oldest first. */
export interface Thread {
  readonly path: string
  readonly side: 'old' | 'new'
  /** The last of its lines. */
  readonly line: number
  /** The first of its lines. */
  readonly firstLine: number
  /** The lines have changed since; the numbers are those of before. */
  readonly isOutdated: boolean
  /** Whether somebody has marked all of its comments as resolved. */
  readonly isResolved: boolean
  /** Who has resolved the last comment. */
  readonly resolver: UserRow | undefined
  readonly comments: readonly LineComment[]
}

export interface PullReviews {
  /** What the viewer may see, oldest first. */
  readonly reviews: readonly ReviewRow[]
  readonly threads: readonly Thread[]
  /** The review that the viewer has begun. */
  readonly pending: ReviewRow | undefined
  /** Comments of the begun review. */
  readonly pendingCount: number
  /** Reviewers by id. */
  readonly people: ReadonlyMap<number, UserRow>
}

/** Returns the conversation that a line comment belongs to. */
export const threadOf = ({ threads }: PullReviews, id: number): Thread | undefined =>
  threads.find(({ comments }) => comments.some(({ row }) => row.id === id))

/** Returns entries of a timeline without those of reviews that a later entry shows. */
export async function withoutContinued<Entry extends { readonly row: CommentRow }>(
  ctx: RepoCtx,
  { issue }: PullPair,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const last = entries.findLast(({ row }) => row.type === 'review')
  if (!last) return entries
  const later = new Set<number | null>(await listReviewIdsAfter(ctx.db, issue.id, last.row))
  return entries.filter(({ row }) => row.type !== 'review' || !later.has(row.review_id))
}

/** Most line comments that are loaded. */
const maxComments = 1000

/** Returns the reviews of a pull request with their line comments by line. Four queries. */
export async function getPullReviews(ctx: RepoCtx, { issue }: PullPair): Promise<PullReviews> {
  const [all, rows] = await Promise.all([
    listReviews(ctx.db, issue.id),
    listLineComments(ctx.db, issue.id, maxComments),
  ])
  const reviews = all.filter((review) => maySeeReview(ctx, review))
  const byId = new Map<number, ReviewRow>(reviews.map((review) => [review.id, review]))
  const shown = rows.filter((row) => row.review_id === null || byId.has(row.review_id))
  const [people, files] = await Promise.all([
    loadUsers(ctx.db, [
      ...shown.flatMap((row) => [row.poster_id, row.resolver_id]),
      ...reviews.flatMap((review) => review.reviewer_id ?? []),
    ]),
    listFilesOfComments(ctx.db, pluck(shown, 'id')),
  ])
  const filesOf = Map.groupBy(files, (file) => file.comment_id)
  const pending = reviews.find((each) => each.type === 'pending' && each.reviewer_id === ctx.viewer?.id)
  const groups = Map.groupBy(
    shown,
    (row) => `${row.is_invalidated ? row.line_oid : ''}:${row.line}:${row.first_line}:${row.tree_path}`,
  )
  const threads = [...groups.values()].map((group): Thread => {
    const [first] = group as [CommentRow]
    const resolverId = group.at(-1)?.resolver_id
    return {
      path: first.tree_path,
      side: first.line < 0 ? 'old' : 'new',
      line: Math.abs(first.line),
      firstLine: first.first_line === 0 ? Math.abs(first.line) : first.first_line,
      isOutdated: first.is_invalidated,
      isResolved: group.every((row) => row.resolver_id !== null),
      resolver: resolverId ? people.get(resolverId) : undefined,
      comments: group.map((row) => ({
        row,
        author: people.get(row.poster_id),
        isPending: row.review_id !== null && byId.get(row.review_id)?.type === 'pending',
        files: filesOf.get(row.id) ?? [],
      })),
    }
  })
  return {
    reviews,
    threads,
    pending,
    pendingCount: pending ? shown.filter((row) => row.review_id === pending.id).length : 0,
    people,
  }
}
