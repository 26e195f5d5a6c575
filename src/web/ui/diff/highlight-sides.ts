import type { RepoCtx } from '../../../access/context.ts'
import type { ShownDiff, ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { textOfFile } from '../../../code/contents/file-text.rules.ts'
import type { ReadFrom } from '../../../git/git.ts'
import { Unavailable } from '../../../lib/errors.ts'
import { mapLimited } from '../../../lib/map-limited.ts'
import type { Oid } from '../../../lib/ids.ts'
import { languageOfFile } from '../../../markup/highlight.ts'
import type { HighlightedSides } from './diff-props.ts'

/** Bytes of one side, and of all sides of a page, that are highlighted. */
const maxSideBytes = 64 * 1024
const maxTotalBytes = 160 * 1024
/** Files whose two sides are highlighted at once: the highlighter refuses when too many wait. */
const filesAtOnce = 2

const sidesOf = ({ change }: ShownFile): readonly Oid[] =>
  [change.oldOid, change.newOid].filter((oid) => !/^0+$/.test(oid))

/**
 * Highlights whole sides of the files of a difference, as far as they are small: two git reads and the text thread, which
 * keeps its answers. Other files stay plain, and so do all when the thread has too much to do.
 */
export async function highlightSides(
  ctx: Pick<RepoCtx, 'budget' | 'claim' | 'git' | 'texts'>,
  at: ReadFrom,
  diff: ShownDiff,
): Promise<ReadonlyMap<string, HighlightedSides>> {
  const wanted = diff.files.filter((file) => file.hunks.length > 0 && languageOfFile(file.change.path) !== '')
  const sizes = wanted.length === 0 ? new Map<Oid, number>() : await ctx.git.blobSizes(at, wanted.flatMap(sidesOf))
  const kept: ShownFile[] = []
  let total = 0
  for (const file of wanted) {
    const each = sidesOf(file).map((oid) => sizes.get(oid) ?? Infinity)
    const sum = each.reduce((all, size) => all + size, 0)
    if (each.some((size) => size > maxSideBytes) || total + sum > maxTotalBytes) continue
    total += sum
    kept.push(file)
  }
  if (kept.length === 0) return new Map()
  const contents = await ctx.git.readContents(at, [...new Set(kept.flatMap(sidesOf))])
  const linesOf = async (oid: Oid, path: string): Promise<readonly string[] | undefined> => {
    const content = contents.get(oid)
    const text = content && textOfFile(content)?.text
    return text === undefined ? undefined : ctx.texts.lines(ctx, text, languageOfFile(path))
  }
  try {
    const sides = await mapLimited(kept, filesAtOnce, async ({ change }) => {
      const [old, now] = await Promise.all([
        linesOf(change.oldOid, change.oldPath ?? change.path),
        linesOf(change.newOid, change.path),
      ])
      return [change.path, { old, new: now }] as const
    })
    return new Map(sides)
  } catch (error) {
    // Colours are not worth a refusal of the page.
    if (!(error instanceof Unavailable)) throw error
    return new Map()
  }
}
