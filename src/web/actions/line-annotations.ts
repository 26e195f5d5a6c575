import type { RepoCtx } from '../../access/context.ts'
import {
  annotationsOfCommit,
  type CommitAnnotation,
  type CommitAnnotations,
} from '../../actions/logs/commit-annotations.service.ts'
import type { ShownDiff, ShownFile } from '../../code/commits/shown-diff.service.ts'
import type { Oid } from '../../lib/ids.ts'

/** Most annotations at the lines of a page. */
export const maxAnnotations = 50

/** The annotations of a difference. The pages of their runs list those without a shown line. */
export interface LineAnnotations extends CommitAnnotations {
  /** Those whose line is shown, by path and then by line of the new side. */
  readonly at: ReadonlyMap<string, ReadonlyMap<number, readonly CommitAnnotation[]>>
}

/** Returns what the newest runs of a commit say about the lines of its difference, within the budget of the request. */
export async function annotationsIn(ctx: RepoCtx, head: Oid, { files }: ShownDiff): Promise<LineAnnotations> {
  const shown = files.filter(({ change, left }) => left === undefined && change.status !== 'deleted' && !change.binary)
  const fileAt = new Map(shown.map((file) => [file.change.path, file]))
  const found = await annotationsOfCommit(ctx, head, [...fileAt.keys()], maxAnnotations)
  const at = new Map<string, Map<number, CommitAnnotation[]>>()
  let isCut = found.isCut
  for (const each of found.rows) {
    const { path, message, title } = each.annotation
    const line = shownLineOf(fileAt.get(path), each)
    if (line === undefined) continue
    if (ctx.budget.tryTake('outputBytes', Buffer.byteLength(message) + Buffer.byteLength(title))) {
      const lines = at.get(path) ?? new Map<number, CommitAnnotation[]>()
      at.set(path, lines.set(line, [...(lines.get(line) ?? []), each]))
    } else isCut = true
  }
  return { ...found, isCut, at }
}

/** Returns the last shown line of an annotation. */
function shownLineOf(file: ShownFile | undefined, { annotation }: CommitAnnotation): number | undefined {
  const { start_line: first, end_line: last } = annotation
  return file?.hunks
    .flatMap(({ lines }) => lines)
    .findLast(({ kind, new: line }) => kind !== 'removed' && line >= first && line <= last)?.new
}
