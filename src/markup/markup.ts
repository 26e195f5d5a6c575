import { Invalid } from '../lib/errors.ts'
import { renderTable } from './csv.ts'
import { renderMarkdown, type MarkdownOptions } from './markdown.ts'
import { renderOrg } from './org.ts'
import { sanitize } from './sanitize.ts'

/** Kinds of files that are shown rendered. */
export type MarkupKind = 'markdown' | 'org' | 'csv' | 'tsv'

const kinds: ReadonlyMap<string, MarkupKind> = new Map([
  ...['md', 'markdown', 'mdown', 'mkd', 'mkdn', 'livemd'].map((ending) => [ending, 'markdown'] as const),
  ['org', 'org'],
  ['csv', 'csv'],
  ['tsv', 'tsv'],
])

/** The kind of a file by the ending of its name, or undefined when files of that kind are not rendered. */
export function markupKind(filePath: string): MarkupKind | undefined {
  const ending = /\.([a-z0-9]{1,20})$/i.exec(filePath)?.[1]
  return ending === undefined ? undefined : kinds.get(ending.toLowerCase())
}

/**
 * Renders a file by its kind to clean HTML.
 * @throws Invalid when files of its kind are not rendered (contract: 422), TooLarge when Markdown is too long
 */
export async function renderFile(source: string, filePath: string, options: MarkdownOptions): Promise<string> {
  const kind = markupKind(filePath)
  if (kind === undefined) {
    throw new Invalid(`files of this kind are not rendered: ${filePath}`, 'unknown_markup', { filePath })
  }
  if (source.trim() === '') return ''
  if (kind === 'markdown') return renderMarkdown(source, options)
  if (kind === 'org') return sanitize(await renderOrg(source), options.bases)
  return sanitize(renderTable(source, kind === 'tsv' ? '\t' : undefined), options.bases)
}
