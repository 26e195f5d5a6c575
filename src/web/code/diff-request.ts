import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import type { ShownDiff } from '../../code/commits/shown-diff.service.ts'
import { enumeration } from '../../http/schema.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import type { Oid } from '../../lib/ids.ts'
import { languageOfFile } from '../../markup/highlight.ts'
import { textOfFile } from '../../code/contents/file-text.rules.ts'
import type { ReadFrom } from '../../git/git.ts'
import type { DiffAddress, HighlightedSides } from '../ui/diff/diff-props.ts'
import type { DiffLayout } from '../ui/diff/rows.ts'
import { withQuery } from '../ui/paths.ts'

/** Query of a page that shows a difference. */
export const diffQuery = {
  style: Type.Optional(enumeration('unified', 'split')),
  whitespace: Type.Optional(enumeration('hide')),
  file: Type.Optional(Type.String()),
  context: Type.Optional(Type.Integer()),
  page: Type.Optional(Type.Integer()),
} as const

export interface DiffQueryValues {
  readonly style?: string | undefined
  readonly whitespace?: string | undefined
  readonly file?: string | undefined
  readonly context?: number | undefined
  readonly page?: number | undefined
}

/** Most unchanged lines around a change. */
const maxContext = 1000

/** What a page shows of a difference, by its query. */
export interface DiffChoice {
  readonly layout: DiffLayout
  readonly ignoresSpace: boolean
  readonly only: string | undefined
  readonly contextLines: number | undefined
  readonly page: number
}

export const diffChoice = ({ style, whitespace, file, context, page }: DiffQueryValues): DiffChoice => ({
  layout: style === 'split' ? 'split' : 'unified',
  ignoresSpace: whitespace === 'hide',
  only: file === '' ? undefined : file,
  contextLines: context === undefined ? undefined : Math.min(maxContext, Math.max(0, context)),
  page: Math.max(1, page ?? 1),
})

/** Returns the addresses of a page with other choices. */
export const diffAddress =
  (path: string, choice: DiffChoice) =>
  (changes: DiffAddress): string => {
    const layout = 'view' in changes ? changes.view : choice.layout
    const space = 'space' in changes ? changes.space : choice.ignoresSpace ? 'hide' : undefined
    return withQuery(path, {
      style: layout === 'split' ? 'split' : undefined,
      whitespace: space,
      file: changes.only,
      context: changes.context,
    })
  }

/** Files of a difference that are highlighted, and their longest content in bytes. */
const maxHighlighted = 20
const maxHighlightedBytes = 128 * 1024
const highlightedAtOnce = 4

const isContent = (oid: Oid): boolean => !/^0+$/.test(oid)

/** Highlights both sides of the first files of a difference whose lines are shown. */
export async function highlightSides(
  ctx: RepoCtx,
  at: ReadFrom,
  diff: ShownDiff,
): Promise<ReadonlyMap<string, HighlightedSides>> {
  const files = diff.files.filter(({ hunks }) => hunks.length > 0).slice(0, maxHighlighted)
  const oids = [...new Set(files.flatMap(({ change }) => [change.oldOid, change.newOid]).filter(isContent))]
  const contents = await readSmall(ctx, at, oids)
  const sides = await mapLimited(files, highlightedAtOnce, async ({ change }) => {
    const linesOf = async (oid: Oid, path: string) => {
      const content = contents.get(oid)
      const text = content && textOfFile(content)?.text
      const language = languageOfFile(path)
      return text === undefined || language === '' ? undefined : ctx.texts.lines(text, language)
    }
    const old = await linesOf(change.oldOid, change.oldPath ?? change.path)
    return [change.path, { old, new: await linesOf(change.newOid, change.path) }] as const
  })
  return new Map(sides)
}

async function readSmall(ctx: RepoCtx, at: ReadFrom, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Buffer>> {
  if (oids.length === 0) return new Map()
  const sizes = await ctx.git.blobSizes(at, oids)
  const small = oids.filter((oid) => (sizes.get(oid) ?? Infinity) <= maxHighlightedBytes)
  return small.length === 0 ? new Map() : ctx.git.readContents(at, small)
}
