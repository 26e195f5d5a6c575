import type { RepoCtx } from '../../../access/context.ts'
import type { ShownDiff, ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { Unavailable } from '../../../lib/errors.ts'
import type { Oid } from '../../../lib/ids.ts'
import { languageOfFile } from '../../../markup/highlight.ts'
import type { HighlightedSides } from './diff-props.ts'

/** Bytes of one side, and of all sides of a page, that are highlighted. */
const maxSideBytes = 64 * 1024
const maxTotalBytes = 160 * 1024
/** Sides that are highlighted at once: the highlighter refuses when too many wait. */
const atOnce = 4

const sidesOf = ({ change }: ShownFile): readonly Oid[] =>
  [change.oldOid, change.newOid].filter((oid) => !/^0+$/.test(oid))

/**
 * Highlights whole sides of the files of a difference, as far as they are small: two git reads and the text thread, which
 * keeps its answers. Other files stay plain, and so do all when the thread has too much to do.
 */
export async function highlightSides(
  ctx: Pick<RepoCtx, 'git' | 'repo' | 'texts'>,
  diff: ShownDiff,
): Promise<ReadonlyMap<string, HighlightedSides>> {
  const wanted = diff.files.filter((file) => file.hunks.length > 0 && languageOfFile(file.change.path) !== '')
  const key = ctx.repo.git_key
  const sizes = wanted.length === 0 ? new Map<Oid, number>() : await ctx.git.blobSizes(key, wanted.flatMap(sidesOf))
  const kept: ShownFile[] = []
  let total = 0
  for (const file of wanted) {
    const each = sidesOf(file).map((oid) => sizes.get(oid) ?? Infinity)
    const sum = each.reduce((all, size) => all + size, 0)
    if (each.some((size) => size > maxSideBytes) || total + sum > maxTotalBytes) continue
    total += sum
    kept.push(file)
  }
  const highlighted = new Map<string, HighlightedSides>()
  if (kept.length === 0) return highlighted
  const blobs = await ctx.git.readSmallBlobs(key, [...new Set(kept.flatMap(sidesOf))])
  const linesOf = async (oid: Oid, path: string): Promise<readonly string[] | undefined> => {
    const content = blobs.get(oid)
    return content && ctx.texts.lines(content.toString('utf8'), languageOfFile(path))
  }
  try {
    for (let at = 0; at < kept.length; at += atOnce / 2) {
      const some = kept.slice(at, at + atOnce / 2)
      const sides = await Promise.all(
        some.map(async ({ change }) => {
          const path = change.oldPath ?? change.path
          const [old, now] = await Promise.all([linesOf(change.oldOid, path), linesOf(change.newOid, change.path)])
          return { old, new: now }
        }),
      )
      for (const [index, file] of some.entries()) highlighted.set(file.change.path, sides[index] ?? {})
    }
  } catch (error) {
    // Colours are not worth a refusal of the page.
    if (!(error instanceof Unavailable)) throw error
  }
  return highlighted
}
