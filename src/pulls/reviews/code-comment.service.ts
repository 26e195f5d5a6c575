import type { RepoCtx } from '../../access/context.ts'
import { readDiffText } from '../../code/commits/diff-text.service.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import type { CommentRow } from '../../db/tables/issues.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { NewTimelineEntry } from '../../issues/timeline-entry.store.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { Oid, ReviewId } from '../../lib/ids.ts'
import { hunkAround, type DiffLine } from './diff-hunk.ts'

/** The input of a line comment. */
export interface CodeCommentInput {
  readonly path?: string | undefined
  readonly body?: string | undefined
  readonly oldLine: number | undefined
  readonly newLine: number | undefined
  /** The first of several lines that end with the given line. */
  readonly firstLine?: number | undefined
  /** A comment on the same lines, whose place the new one gets instead. */
  readonly replyTo?: CommentRow | undefined
}

/** What is read of the diff of one file; lines beyond it have no hunk. */
const diffLimits = { maxBytes: 4 << 20, maxLines: 50_000 }

/** Microseconds to read the diff of a file: for itself, and each character (measured: 8,000 for 280,000). */
const diffPriceUs = { each: 300, character: 0.03 } as const

/** Most lines of one comment. */
const maxRange = 100

/** Lines above this number are not blamed. */
const maxBlamedLine = 50_000

/** What comments on lines are about. */
export interface CommentedDiff {
  readonly pull: PullRow
  readonly head: Oid
  /** The diffs that were read, by path: many comments of a review are about one file. */
  readonly read: Map<string, string>
}

/** Returns the diff of a file; the empty text when the budget is used up, because a review may be about many files. */
async function diffOf(ctx: RepoCtx, { pull, head, read }: CommentedDiff, path: string): Promise<string> {
  const known = read.get(path)
  if (known !== undefined) return known
  if (!ctx.budget.tryTake('processorUs', diffPriceUs.each)) return ''
  const query = { base: mergeBaseOf(pull), head, paths: [path] }
  const text = (await readDiffText(ctx, ctx.repo.git_key, query, diffLimits)).bytes.toString('utf8')
  ctx.budget.spend('processorUs', text.length * diffPriceUs.character)
  read.set(path, text)
  return text
}

/** Returns the commit that last changed a line; the head when blame finds none. */
async function lastTouch(ctx: RepoCtx, head: Oid, path: string, line: number): Promise<Oid> {
  if (line > maxBlamedLine) return head
  try {
    const parts = await ctx.git.blame(ctx.repo.git_key, head, path, { maxLines: line })
    return parts.find((part) => part.line <= line && line < part.line + part.count)?.commit ?? head
  } catch (error) {
    if (error instanceof NotFound) return head
    throw error
  }
}

/** Returns the number of lines that a comment is about. @throws Invalid for more than 100 and for a first after the last */
function rangeOf(last: number, first: number | undefined): number {
  if (first === undefined || first === 0 || first === last) return 1
  const count = last - first + 1
  if (!Number.isSafeInteger(first) || first < 1 || count < 1) {
    throw new Invalid('[first]: is not before the last line', 'line_range_invalid', { field: 'first' })
  }
  if (count > maxRange) {
    throw new Invalid(`[first]: a comment is about at most ${maxRange} lines`, 'line_range_invalid', { field: 'first' })
  }
  return count
}

/**
 * Returns the timeline entry of a line comment. A line of the old side takes precedence over one of the new side. Path and
 * line may lie outside of the diff. Source: contract (pulls: position).
 */
export async function codeComment(
  ctx: RepoCtx,
  diff: CommentedDiff,
  input: CodeCommentInput,
): Promise<NewTimelineEntry> {
  const { pull, head } = diff
  if (input.replyTo) return replyTo(input.replyTo, input.body ?? '')
  const path = (input.path ?? '').replace(/^\/+/, '')
  const old = input.oldLine ?? 0
  const target: DiffLine = old > 0 ? { side: 'old', line: old } : { side: 'new', line: Math.max(0, input.newLine ?? 0) }
  const isSomewhere = path !== '' && target.line > 0
  const count = rangeOf(target.line, input.firstLine)
  const [patch, commit] = isSomewhere
    ? await Promise.all([
        diffOf(ctx, diff, path).then((text) => hunkAround(text, target, count)),
        target.side === 'new' ? lastTouch(ctx, head, path, target.line) : head,
      ])
    : ['', head]
  return {
    type: 'code',
    content: input.body ?? '',
    tree_path: path,
    line: target.side === 'old' ? -target.line : target.line,
    first_line: count > 1 ? target.line - count + 1 : 0,
    patch,
    commit_sha: commit,
    line_oid: isSomewhere ? (target.side === 'old' ? (mergeBaseOf(pull) ?? '') : head) : '',
  }
}

/** Returns a further comment of the conversation on the lines of another one. */
const replyTo = (before: CommentRow, content: string): NewTimelineEntry => ({
  type: 'code',
  content,
  tree_path: before.tree_path,
  line: before.line,
  first_line: before.first_line,
  patch: before.patch,
  commit_sha: before.commit_sha,
  line_oid: before.line_oid,
  is_invalidated: before.is_invalidated,
})

/** Returns the entry as part of a review. */
export const ofReview = (entry: NewTimelineEntry, reviewId: ReviewId): NewTimelineEntry => ({
  ...entry,
  review_id: reviewId,
})
