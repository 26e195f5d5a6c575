import { renderTable } from './csv.ts'
import { asItIs, cleaned } from './limited.ts'
import { plainly, renderMarkdown, type MarkdownOptions, type Rendered } from './markdown.ts'
import type { MarkupKind } from './markup-kind.ts'
import { defaultMarkupSettings } from './markup-settings.ts'
import { renderOrg } from './org.ts'

/** Renders a file of a kind to clean HTML. */
export async function renderFile(source: string, kind: MarkupKind, options: MarkdownOptions): Promise<Rendered> {
  const settings = options.settings ?? defaultMarkupSettings
  if (source.trim() === '') return plainly('')
  if (kind === 'markdown') return renderMarkdown(source, options)
  if (kind !== 'org') {
    return plainly(
      cleaned(renderTable(source, settings.table, kind === 'tsv' ? '\t' : undefined), source, options.bases),
    )
  }
  if (Buffer.byteLength(source) > settings.maxBytes) return plainly(asItIs(source))
  return plainly(cleaned(await renderOrg(source), source, options.bases))
}
