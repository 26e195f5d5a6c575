import { findRepoOfPath } from '../../access/access.store.ts'
import type { RepoCtx } from '../../access/context.ts'
import { openRepo } from '../../access/resolve-repo.ts'
import { Refusal } from '../../lib/errors.ts'
import { languageOfFile } from '../../markup/highlight.ts'
import { entryKind } from './entry-kind.ts'
import { textOfFile } from './file-text.rules.ts'

/** Lines of a file at a commit, as a permalink names them. */
export interface LinePlace {
  readonly owner: string
  readonly repo: string
  /** Whole id of the commit. */
  readonly commit: string
  readonly path: string
  /** The first and the last line, from 1. */
  readonly first: number
  readonly last: number
}

/** Lines of a file to be shown. */
export interface Snippet {
  /** Safe HTML of each line, with highlighting. */
  readonly lines: readonly string[]
  /** Whether the place has further lines. */
  readonly isCut: boolean
}

/** Most lines of a snippet, and characters of a line. */
const maxLines = 40
const maxLineLength = 400

/** Larger files have no snippets, in bytes. */
const maxFileBytes = 1 << 20

/** Microseconds of a snippet: for itself and each byte of the file, which is read whole. */
const priceUs = { snippet: 1_500, byte: 1 / 400 } as const

/** Returns the repository of a place with the rights of the viewer; undefined when they may not read its code. */
async function openFor(ctx: RepoCtx, { owner, repo }: LinePlace): Promise<RepoCtx | undefined> {
  const isHere = owner.toLowerCase() === ctx.owner.lower_name && repo.toLowerCase() === ctx.repo.lower_name
  if (isHere) return ctx.rights.canRead('code') ? ctx : undefined
  const found = await findRepoOfPath(ctx.db, owner, repo)
  if (!found.owner || !found.repo) return undefined
  try {
    const opened = await openRepo(ctx, found.owner, found.repo, found.units)
    return opened.rights.canRead('code') ? { ...ctx, ...opened } : undefined
  } catch (error) {
    // What the viewer may not see does not exist for them.
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Returns the lines of a place as the viewer may read them; undefined when there is nothing to show. */
export async function getSnippet(ctx: RepoCtx, place: LinePlace): Promise<Snippet | undefined> {
  if (!ctx.budget.tryTake('processorUs', priceUs.snippet)) return undefined
  const at = await openFor(ctx, place)
  if (at === undefined || at.repo.is_empty) return undefined
  const { git, repo } = at
  const commit = await git.resolve(repo.git_key, place.commit)
  if (commit?.type !== 'commit' || commit.oid !== place.commit) return undefined
  const entry = await git.findPath(repo.git_key, commit.oid, place.path)
  if (entry?.type !== 'blob' || entryKind(entry) === 'symlink') return undefined
  const { content, sizeBytes } = await git.readBlob(repo.git_key, entry.oid, { maxBytes: maxFileBytes })
  if (content === undefined || !ctx.budget.tryTake('processorUs', sizeBytes * priceUs.byte)) return undefined
  const lines = textOfFile(content)
    ?.text.replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .slice(place.first - 1, place.last)
  if (lines === undefined || lines.length === 0) return undefined
  const shown = lines
    .slice(0, maxLines)
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line))
  // An empty line at the end would be no line of its own.
  const highlighted = await ctx.texts.lines(ctx, `${shown.join('\n')}\n`, languageOfFile(place.path))
  return { lines: highlighted, isCut: lines.length > maxLines }
}
