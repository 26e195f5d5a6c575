import type { RepoCtx } from '../../../access/context.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import type { FileView } from '../../../code/contents/file.service.ts'
import type { PathEntry } from '../../../git/git.ts'
import { languageOfFile } from '../../../markup/highlight.ts'
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

/** Returns one page of a highlighted text. */
export async function readLines(ctx: RepoCtx, path: string, text: string, asked: number | undefined) {
  const lines = await ctx.texts.lines(ctx, text.replace(/^\ufeff/, ''), languageOfFile(path))
  const pages = Math.max(1, Math.ceil(lines.length / linesOnPage))
  const page = Math.min(Math.max(1, asked ?? 1), pages)
  const first = (page - 1) * linesOnPage
  return { lines: lines.slice(first, first + linesOnPage), first: first + 1, total: lines.length, page }
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
  asked: { readonly display?: string | undefined; readonly page?: number | undefined },
): Promise<SourceContent> {
  const isImage = imageNames.test(entry.name)
  const wantsSource = asked.display === 'source'
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
  return { kind: 'lines', mayRender, ...(await readLines(ctx, entry.path, body.text, asked.page)) }
}
