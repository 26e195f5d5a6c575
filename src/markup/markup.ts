import { Invalid } from '../lib/errors.ts'
import { renderTable } from './csv.ts'
import { renderMarkdown, type MarkdownOptions } from './markdown.ts'
import { defaultMarkupSettings, type MarkupSettings } from './markup-settings.ts'
import { renderOrg } from './org.ts'
import { sanitize } from './sanitize.ts'

/** Kinds of files that are shown rendered. */
export type MarkupKind = 'markdown' | 'org' | 'csv' | 'tsv'

/** The kind of a file by the ending of its name, or undefined when files of that kind are not rendered. */
export function markupKind(filePath: string, settings: MarkupSettings = defaultMarkupSettings): MarkupKind | undefined {
  const ending = /\.[^./]{1,20}$/.exec(filePath)?.[0].toLowerCase()
  if (ending === undefined) return undefined
  if (settings.markdownEndings.some((each) => each.toLowerCase() === ending)) return 'markdown'
  return ending === '.org' ? 'org' : ending === '.csv' ? 'csv' : ending === '.tsv' ? 'tsv' : undefined
}

/**
 * Renders a file by its kind to clean HTML.
 * @throws Invalid when files of its kind are not rendered (contract: 422)
 */
export async function renderFile(source: string, filePath: string, options: MarkdownOptions): Promise<string> {
  const settings = options.settings ?? defaultMarkupSettings
  const kind = markupKind(filePath, settings)
  if (kind === undefined) {
    throw new Invalid(`files of this kind are not rendered: ${filePath}`, 'unknown_markup', { filePath })
  }
  if (source.trim() === '') return ''
  if (kind === 'markdown') return renderMarkdown(source, options)
  if (kind === 'org') return sanitize(await renderOrg(source, settings.maxBytes), options.bases)
  return sanitize(renderTable(source, settings.table, kind === 'tsv' ? '\t' : undefined), options.bases)
}
