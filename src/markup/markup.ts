import { Invalid } from '../lib/errors.ts'
import { renderTable } from './csv.ts'
import { renderMarkdown, type MarkdownOptions } from './markdown.ts'
import { markupKind } from './markup-kind.ts'
import { defaultMarkupSettings } from './markup-settings.ts'
import { renderOrg } from './org.ts'
import { sanitize } from './sanitize.ts'

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
