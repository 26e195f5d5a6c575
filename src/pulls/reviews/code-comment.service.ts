import type { RepoCtx } from '../../access/context.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { NewTimelineEntry } from '../../issues/timeline-entry.store.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid, ReviewId } from '../../lib/ids.ts'
import { hunkAround, type DiffLine } from './diff-hunk.ts'

/** Where and what somebody says about a line. */
export interface CodeCommentInput {
  readonly path?: string | undefined
  readonly body?: string | undefined
  readonly oldLine: number | undefined
  readonly newLine: number | undefined
}

/** A difference of one file is looked at so far, in bytes; what is beyond has no hunk. */
const maxDiffBytes = 4 << 20

/** In files with more lines it is not looked up who changed a line last. */
const maxBlamedLine = 50_000

async function diffOf(ctx: RepoCtx, pull: PullRow, head: Oid, path: string): Promise<string> {
  const text = await ctx.git.diffText(ctx.repo.git_key, { base: mergeBaseOf(pull), head, paths: [path] })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of text as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxDiffBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The commit that touched a line last; the head itself where that cannot be told. */
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

/**
 * What is written down of a comment on a line: the old side counts when it is named. Paths and lines need not be part of
 * the difference (contract, pulls: position).
 */
export async function codeComment(
  ctx: RepoCtx,
  pull: PullRow,
  head: Oid,
  input: CodeCommentInput,
): Promise<NewTimelineEntry> {
  const path = (input.path ?? '').replace(/^\/+/, '')
  const old = input.oldLine ?? 0
  const target: DiffLine = old > 0 ? { side: 'old', line: old } : { side: 'new', line: Math.max(0, input.newLine ?? 0) }
  const isSomewhere = path !== '' && target.line > 0
  const [patch, commit] = isSomewhere
    ? await Promise.all([
        diffOf(ctx, pull, head, path).then((diff) => hunkAround(diff, target)),
        target.side === 'new' ? lastTouch(ctx, head, path, target.line) : head,
      ])
    : ['', head]
  return {
    type: 'code',
    content: input.body ?? '',
    tree_path: path,
    line: target.side === 'old' ? -target.line : target.line,
    patch,
    commit_sha: commit,
  }
}

/** The same as part of a review. */
export const ofReview = (entry: NewTimelineEntry, reviewId: ReviewId): NewTimelineEntry => ({
  ...entry,
  review_id: reviewId,
})
