import { maxLines } from './shown-diff.rules.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { DiffQuery, DiffTextQuery, FileChange, ReadFrom } from '../../git/git.ts'
import type { Oid } from '../../lib/ids.ts'
import { readDiffText } from './diff-text.service.ts'
import { parsePatch, type Hunk } from './patch.parse.ts'

/** Files of one page of a difference. */
export const filesPerPage = 100
const maxFileLines = 1000
/** Files whose lines are shown at once. */
const maxFiles = 100
/** Rows with context that a page shows at once; and those of a batch that follows, where only a long context reaches it. */
const maxRows = 2000
const maxBatchRows = 12_000
/** What is read of the patch text. A row takes 5 µs and 200 bytes at least, so a page has no room for more lines. */
const patchLimits = { maxBytes: 8 << 20, maxLines: 20_000 }

export interface DiffRequest {
  /** Where to read, when not only in the repository. */
  readonly at?: ReadFrom
  /** A commit or tree; undefined compares with the empty tree. */
  readonly base: Oid | undefined
  readonly head: Oid
  /** Leaves out changes of white space. */
  readonly ignoresSpace?: boolean
  /** Path of the only file to show, however large it is. */
  readonly only?: string | undefined
  /** Unchanged lines around each change; the default is 3. */
  readonly contextLines?: number | undefined
  /** From 1. */
  readonly page?: number | undefined
  /** Shows only these files, which another page left for later. */
  readonly batch?: Batch | undefined
}

/** Positions in the whole list of files, from 0; `to` is exclusive. */
export interface Batch {
  readonly from: number
  readonly to: number
}

/** Why the lines of a file are not there: there are too many, or others come first. */
export type Left = 'large' | 'later'

/** A changed file and, unless it is left for later, its hunks. */
export interface ShownFile {
  /** Position in the whole list, from 0. */
  readonly index: number
  readonly change: FileChange
  readonly hunks: readonly Hunk[]
  readonly left: Left | undefined
  readonly isCut: boolean
}

export interface ShownDiff {
  readonly files: readonly ShownFile[]
  readonly total: { readonly files: number; readonly additions: number; readonly deletions: number }
  /** The new side of all changed files, by path. */
  readonly contents: ReadonlyMap<string, Oid>
  readonly page: number
  readonly batch: Batch | undefined
  readonly isLastPage: boolean
  /** Unchanged lines around each change. */
  readonly contextLines: number
}

/**
 * Reads what a page of a difference shows: the changed files by path, with the hunks of those that fit. Two git processes at
 * most, and one when nothing fits.
 */
export async function readShownDiff(ctx: Pick<RepoCtx, 'git' | 'repo'>, request: DiffRequest): Promise<ShownDiff> {
  const { base, head, only, page = 1, batch, contextLines = 3, at = ctx.repo.git_key } = request
  const whitespace: DiffQuery['whitespace'] = request.ignoresSpace ? 'ignore-all' : 'show-all'
  const all = await ctx.git.diffFiles(at, { base, head, whitespace })
  const listed = all.map((change, index) => ({ change, index }))
  const from = batch?.from ?? (page - 1) * filesPerPage
  const shown =
    only === undefined
      ? listed.slice(from, Math.min(from + filesPerPage, batch?.to ?? Infinity))
      : listed.filter(({ change }) => change.path === only)
  const left = leftOf(shown, only !== undefined)
  const wanted = shown.filter(({ change, index }) => left.get(index) === undefined && hasHunks(change))
  const patches =
    wanted.length === 0
      ? new Map<string, never>()
      : await readPatches(ctx, at, {
          base,
          head,
          whitespace,
          contextLines,
          // git finds a rename only when it compares both paths.
          paths: wanted.flatMap(({ change }) => [
            change.path,
            ...(change.oldPath === undefined ? [] : [change.oldPath]),
          ]),
        })
  // Context is known only now.
  let rows = 0
  for (const { change, index } of only === undefined ? wanted : []) {
    const count = (patches.get(change.path)?.hunks ?? []).reduce((sum, { lines }) => sum + lines.length, 0)
    if (rows > 0 && rows + count > (batch === undefined ? maxRows : maxBatchRows)) {
      left.set(index, 'later')
      rows = Infinity
    } else rows += count
  }
  return {
    files: shown.map(({ change, index }) => {
      const patch = patches.get(change.path)
      const isWanted = left.get(index) === undefined && hasHunks(change)
      return {
        index,
        change,
        left: left.get(index),
        hunks: isWanted ? (patch?.hunks ?? []) : [],
        isCut: isWanted && (patch === undefined || patch.isCut),
      }
    }),
    total: {
      files: all.length,
      additions: all.reduce((sum, change) => sum + change.additions, 0),
      deletions: all.reduce((sum, change) => sum + change.deletions, 0),
    },
    contents: new Map(all.map(({ path, newOid }) => [path, newOid])),
    page,
    batch,
    isLastPage: page * filesPerPage >= all.length,
    contextLines,
  }
}

const hasHunks = (change: FileChange): boolean => change.additions + change.deletions > 0

function leftOf(
  files: readonly { readonly change: FileChange; readonly index: number }[],
  isOnly: boolean,
): Map<number, Left> {
  const left = new Map<number, Left>()
  if (isOnly) return left
  let lines = 0
  let count = 0
  for (const { change, index } of files) {
    const size = change.additions + change.deletions
    if (size > maxFileLines) left.set(index, 'large')
    else if (size > 0 && (lines + size > maxLines || count >= maxFiles)) {
      left.set(index, 'later')
      // The files after it follow together with it.
      lines = Infinity
    } else {
      lines += size
      count += 1
    }
  }
  return left
}

async function readPatches(ctx: Pick<RepoCtx, 'git'>, at: ReadFrom, query: DiffTextQuery) {
  const { bytes, isWhole } = await readDiffText(ctx, at, query, patchLimits)
  return new Map(parsePatch(bytes, isWhole).map((patch) => [patch.path, patch]))
}
