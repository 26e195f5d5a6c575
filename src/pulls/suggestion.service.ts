import type { RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { mayHere } from '../access/may-here.ts'
import { transaction } from '../db/database.ts'
import type { CommentRow } from '../db/tables/issues.ts'
import { changeFiles } from '../code/contents/file-change.service.ts'
import type { FileEdit } from '../git/git.ts'
import { Conflict, Forbidden, Invalid } from '../lib/errors.ts'
import { openHeadRepo } from './head-repo.service.ts'
import type { PullPair } from './pull.store.ts'
import { updateLines } from './reviews/line.store.ts'
import { lastLinesOf, rangeOf, suggestedLines, withLinesReplaced, type LineRange } from './reviews/suggestion.rules.ts'
import type { Thread } from './reviews/thread.service.ts'

/** Larger files do not take suggestions, and one commit takes no more of all its files. */
const maxBytes = 2 << 20
/** Most suggestions of one commit. */
export const maxSuggestions = 50

/** A comment that suggests other lines, and the conversation that it belongs to. */
export interface ChosenSuggestion {
  readonly comment: CommentRow
  readonly thread: Thread
}

/** What a suggestion does to its file. */
interface Replacement {
  readonly path: string
  readonly range: LineRange
  readonly lines: readonly string[]
  /** What the lines were when the comment was written; undefined for lines outside of the difference. */
  readonly before: readonly string[] | undefined
}

const outdated = () => new Conflict('the line has changed since the suggestion', 'suggestion_outdated')

/**
 * Returns the comments whose suggestions the viewer may commit to the head branch, by id. One query for a head in a fork, if
 * anything is suggested.
 */
export async function listApplicable(
  ctx: RepoCtx,
  { issue, pull }: PullPair,
  threads: readonly Thread[],
): Promise<ReadonlySet<number>> {
  const { viewer } = ctx
  if (!viewer || issue.is_closed || !mayHere(ctx).change.allowed) return new Set()
  const suggesting = threads.flatMap(({ side, isOutdated, comments }) =>
    side === 'old' || isOutdated
      ? []
      : comments.filter(({ row, isPending }) => !isPending && suggestedLines(row.content) !== undefined),
  )
  if (suggesting.length === 0 || !(await openPushableHead({ ...ctx, viewer }, pull))) return new Set()
  return new Set(suggesting.map(({ row }) => row.id))
}

/** Returns the head repository; undefined when the caller may not push to the branch. */
async function openPushableHead(ctx: SignedInRepoCtx, pull: PullPair['pull']): Promise<SignedInRepoCtx | undefined> {
  const head = await openHeadRepo(ctx, pull)
  return head?.rights.canWrite('code') && !head.repo.is_archived ? head : undefined
}

/**
 * Commits suggestions of line comments to the head branch, all in one commit or none. The conversations on the lines are
 * outdated from then on.
 * @param message the message of the commit; a blank one stands for a generated one
 * @throws Invalid when a comment suggests nothing, and when there are none or too many
 * @throws Conflict when a line has changed since, or two suggestions change the same line
 * @throws Forbidden when the caller may not write to the head branch
 */
export async function applySuggestions(
  ctx: SignedInRepoCtx,
  { pull }: PullPair,
  chosen: readonly ChosenSuggestion[],
  message = '',
): Promise<void> {
  if (chosen.length === 0 || chosen.length > maxSuggestions) {
    throw new Invalid(`[comment]: choose 1 to ${maxSuggestions} suggestions`, 'suggestions_invalid', {
      field: 'comment',
    })
  }
  const replacements = chosen.map(({ comment }) => replacementOf(comment))
  const head = await openPushableHead(ctx, pull)
  if (!head) throw new Forbidden('only people who may push to the head branch may do this', 'head_not_pushable')
  const edits: FileEdit[] = []
  let leftBytes = maxBytes
  for (const [path, parts] of Map.groupBy(replacements, (each) => each.path)) {
    const edit = await editOf(head, pull, { path, parts, leftBytes })
    leftBytes -= edit.readBytes
    edits.push(edit)
  }
  const [{ path: firstPath }] = edits as [FileEdit]
  await changeFiles(head, edits, {
    message:
      message.trim() ||
      (chosen.length === 1 ? `Apply suggestion to ${firstPath}` : `Apply ${chosen.length} suggestions`),
    branch: pull.head_branch,
    newBranch: undefined,
  })
  const rows = [...new Set(chosen.map(({ thread }) => thread))].flatMap(({ comments }) => comments)
  await transaction(ctx.db, (tx) =>
    updateLines(
      tx,
      rows.map(({ row }) => ({ row, now: undefined })),
    ),
  )
}

/** @throws Invalid, Conflict, see `applySuggestions` */
function replacementOf(comment: CommentRow): Replacement {
  const lines = suggestedLines(comment.content)
  if (lines === undefined || comment.line <= 0) throw new Invalid('the comment suggests no change', 'no_suggestion')
  if (comment.is_invalidated) throw outdated()
  const range = rangeOf(comment)
  const before = comment.patch === '' ? undefined : lastLinesOf(comment.patch, 'new', range.last - range.first + 1)
  if (comment.patch !== '' && before === undefined) throw outdated()
  return { path: comment.tree_path, range, lines, before }
}

/** Returns the change of a file by its suggestions. @throws Conflict, see `applySuggestions` */
async function editOf(
  head: SignedInRepoCtx,
  pull: PullPair['pull'],
  file: { readonly path: string; readonly parts: readonly Replacement[]; readonly leftBytes: number },
): Promise<FileEdit & { readonly readBytes: number }> {
  const key = head.repo.git_key
  const entry = await head.git.findPath(key, pull.head_oid, file.path)
  if (entry?.type !== 'blob') throw outdated()
  const { content, sizeBytes } = await head.git.readBlob(key, entry.oid, { maxBytes: file.leftBytes })
  if (!content) throw new Invalid(`the files are larger than ${maxBytes} bytes`, 'suggestions_too_large')
  // From the last lines to the first, so that the numbers of the lines before stay.
  const parts = file.parts.toSorted((one, other) => other.range.first - one.range.first)
  let text = content.toString('utf8')
  let firstChanged = Infinity
  for (const { range, lines, before } of parts) {
    if (range.last >= firstChanged) {
      throw new Conflict('two of the suggestions change the same line', 'suggestions_overlap')
    }
    const changed = withLinesReplaced(text, range, lines, before)
    if (changed === undefined) throw outdated()
    text = changed
    firstChanged = range.first
  }
  return {
    operation: 'update',
    path: file.path,
    content: Buffer.from(text),
    expectedOid: entry.oid,
    readBytes: sizeBytes,
  }
}
