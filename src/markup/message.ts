import { escapeHtml } from './html.ts'
import { sanitiseBounded } from './limited.ts'
import { findAddresses, referenceRules, type MarkdownOptions, type Rendered } from './markdown.ts'
import {
  candidatesOf,
  findReferences,
  renderReference,
  shortenAddress,
  type Reference,
  type ReferenceRules,
} from './references.ts'

/**
 * Renders a message of a commit or tag: plain text, whose references and addresses are links.
 * @param isTitle whether text between backticks is code, as in titles
 */
export function renderMessage(source: string, options: MarkdownOptions, isTitle: boolean): Rendered {
  const rules = referenceRules(options)
  const resolved = options.resolved ?? { mentions: new Set(), commits: new Set() }
  const found: Reference[] = []
  const plain = (text: string): string =>
    findReferences(text, rules)
      .map((segment) => {
        if (typeof segment === 'string') return escapeHtml(segment)
        found.push(segment)
        return renderReference(segment, rules, resolved)
      })
      .join('')
  const html = (isTitle ? source.split(/`([^`]+)`/) : [source])
    .map((part, index) =>
      index % 2 === 1 ? `<code class="in-title">${escapeHtml(part)}</code>` : linked(part, options, rules, plain),
    )
    .join('')
  return { html: sanitiseBounded(html, source, options), candidates: candidatesOf(found) }
}

function linked(
  text: string,
  options: MarkdownOptions,
  rules: ReferenceRules,
  plain: (text: string) => string,
): string {
  const parts: string[] = []
  let from = 0
  for (const { index, lastIndex, raw, url } of findAddresses(text, options.settings)) {
    const link = shortenAddress(url, rules) ?? `<a href="${escapeHtml(url)}">${escapeHtml(raw)}</a>`
    parts.push(plain(text.slice(from, index)), link)
    from = lastIndex
  }
  return parts.join('') + plain(text.slice(from))
}
