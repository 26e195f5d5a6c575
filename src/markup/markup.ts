import { renderTable } from './csv.ts'
import { isTooLong, sanitiseBounded } from './limited.ts'
import { unrendered } from './unrendered.ts'
import { withoutCandidates, renderMarkdown, type MarkdownOptions, type Rendered } from './markdown.ts'
import type { MarkupKind } from './markup-kind.ts'
import { defaultMarkupSettings } from './markup-settings.ts'
import { renderMessage } from './message.ts'
import { renderOrg } from './org.ts'

/** Renders a text of a kind to sanitised HTML. */
export async function renderFile(source: string, kind: MarkupKind, options: MarkdownOptions): Promise<Rendered> {
  const settings = options.settings ?? defaultMarkupSettings
  if (source.trim() === '') return withoutCandidates('')
  if (kind === 'markdown') return renderMarkdown(source, options)
  if (kind === 'title' || kind === 'message') return renderMessage(source, options, kind === 'title')
  if (kind !== 'org') {
    const table = renderTable(source, settings.table, kind === 'tsv' ? '\t' : undefined)
    return { ...withoutCandidates(''), ...sanitiseBounded(table, source, options) }
  }
  if (isTooLong(source, settings.maxBytes)) return { ...withoutCandidates(unrendered(source)), isPlain: true }
  return { ...withoutCandidates(''), ...sanitiseBounded(await renderOrg(source), source, options) }
}
