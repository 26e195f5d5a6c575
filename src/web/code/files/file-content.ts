import type { RepoCtx } from '../../../access/context.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import type { FileView } from '../../../code/contents/file.service.ts'
import type { PathEntry } from '../../../git/git.ts'
import type { WorkBudget } from '../../../lib/work-budget.ts'
import { isHighlightable, languageOfFile, plainLines } from '../../../markup/highlight.ts'
import { markupKind } from '../../../markup/markup-kind.ts'
import { markupSettings } from '../../../site/render.service.ts'
import { renderNotebook, type ShownNotebook } from './notebook.ts'
import { renderedFile } from '../home/readme.ts'

/** Lines on one page. */
export const linesOnPage = 4000

/** Lines of a file, highlighted. */
export interface SourceLines {
  /** HTML of the lines of this page. */
  readonly lines: readonly string[]
  /** Number of the first line of this page, from 1. */
  readonly first: number
  readonly total: number
  readonly page: number
}

/** How a file is shown. */
export type SourceContent =
  | ({ readonly kind: 'lines'; readonly mayRender: boolean } & SourceLines)
  | { readonly kind: 'rendered'; readonly html: string }
  | { readonly kind: 'notebook'; readonly notebook: ShownNotebook }
  | { readonly kind: 'image'; readonly hasSource: boolean }
  | { readonly kind: 'other' }

const imageNames = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i

/** Returns one page of a text, highlighted as far as that is possible. */
export async function readLines(
  ctx: RepoCtx,
  path: string,
  text: string,
  wanted: number | undefined,
): Promise<SourceLines> {
  const source = text.replace(/^\ufeff/, '')
  const starts = pageStarts(source, linesOnPage)
  const page = Math.min(Math.max(1, wanted ?? 1), Math.max(1, starts.offsets.length))
  const first = (page - 1) * linesOnPage
  const language = languageOfFile(path)
  // A long text has millions of lines, and those of one page are enough.
  const lines = isHighlightable(source, language)
    ? (await ctx.texts.lines(ctx, source, language)).slice(first, first + linesOnPage)
    : plainLines(source.slice(starts.offsets[page - 1], starts.offsets[page]))
  return { lines: withinOutput(ctx.budget, lines), first: first + 1, total: starts.total, page }
}

/** Bytes of the row of a line without its text. */
const rowBytes = 120
/** Bytes of a line that are always shown: a page of such lines has 1.3 MB. */
const leastBytes = 200

/** Returns the lines of a page, long ones cut where the answer has no room for them. */
function withinOutput(budget: WorkBudget, lines: readonly string[]): readonly string[] {
  const sizes = lines.map((line) => Buffer.byteLength(line))
  budget.spend(
    'outputBytes',
    sizes.reduce((sum, size) => sum + rowBytes + Math.min(size, leastBytes), 0),
  )
  return lines.map((line, index) => {
    const more = (sizes[index] as number) - leastBytes
    return more <= 0 || budget.tryTake('outputBytes', more) ? line : cutLine(line)
  })
}

/** Returns the beginning of a line of HTML, without its spans. */
const cutLine = (html: string): string =>
  `${html
    .slice(0, 20 * leastBytes)
    .replaceAll(/<[^>]*(?:>|$)/g, '')
    .slice(0, leastBytes)
    .toWellFormed()
    .replace(/(?:\uFFFD|&[^;]{0,8})$/, '')}…`

/** Returns where each page of a text begins, and its number of lines. */
function pageStarts(
  text: string,
  linesPerPage: number,
): { readonly offsets: readonly number[]; readonly total: number } {
  const offsets: number[] = []
  let total = 0
  for (let at = 0; at < text.length; total++) {
    if (total % linesPerPage === 0) offsets.push(at)
    const end = text.indexOf('\n', at)
    at = end === -1 ? text.length : end + 1
  }
  return { offsets, total }
}

/** A document whose text is of no use to readers. */
export const isPdf = (name: string): boolean => /\.pdf$/i.test(name)

const isNotebook = (name: string): boolean => /\.ipynb$/i.test(name)

/** Whether a text file has a form besides its lines. */
export const hasPreview = ({ config }: RepoCtx, { name, path }: Pick<PathEntry, 'name' | 'path'>): boolean =>
  imageNames.test(name) || isNotebook(name) || markupKind(path, markupSettings(config)) !== undefined

/** Reads what a page shows of a file: rendered when its kind allows and `display` is not `source`, else its lines. */
export async function readSource(
  ctx: RepoCtx,
  revision: NamedCommit,
  { entry, body }: FileView,
  query: { readonly display?: string | undefined; readonly page?: number | undefined },
): Promise<SourceContent> {
  const isImage = imageNames.test(entry.name)
  const wantsSource = query.display === 'source'
  if (isImage && body.kind !== 'link' && !(wantsSource && body.kind === 'text')) {
    return { kind: 'image', hasSource: body.kind === 'text' }
  }
  if (body.kind !== 'text' || isPdf(entry.name)) return { kind: 'other' }
  if (isNotebook(entry.name) && !wantsSource) {
    const notebook = await renderNotebook(ctx, revision, entry.path, body.text)
    if (notebook) return { kind: 'notebook', notebook }
  }
  const mayRender = hasPreview(ctx, entry)
  if (mayRender && !wantsSource) {
    const html = await renderedFile(ctx, revision, entry.path, body.text)
    if (html !== undefined) return { kind: 'rendered', html }
  }
  return { kind: 'lines', mayRender, ...(await readLines(ctx, entry.path, body.text, query.page)) }
}
