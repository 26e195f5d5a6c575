import { escapeHtml } from './html.ts'
import { sanitiseBounded } from './limited.ts'
import { findAddresses, referenceRules, type MarkdownOptions, type Rendered } from './markdown.ts'
import {
  candidatesOf,
  findReferences,
  renderReference,
  shortenAddress,
  type Reference,
  type ReferenceCandidates,
} from './references.ts'

/** A part of a message: its text, with the backticks around code, or a link. */
export type MessagePart = string | { readonly html: string }

interface FoundPart {
  readonly kind: 'text' | 'code' | 'link'
  /** The text, or the HTML of a link. */
  readonly text: string
  /** The HTML of a text that is more than its characters. */
  readonly html?: string
}

/** Splits a message into text, code and links as HTML, which is not sanitised. */
function findParts(source: string, options: MarkdownOptions, hasCode: boolean): [FoundPart[], ReferenceCandidates] {
  const rules = referenceRules(options)
  const resolved = options.resolved ?? { mentions: new Set(), commits: new Set() }
  const found: Reference[] = []
  const link = (html: string): FoundPart => ({ kind: 'link', text: html })
  const plain = (text: string): FoundPart[] =>
    findReferences(text, rules).map((segment) => {
      if (typeof segment === 'string') return { kind: 'text', text: segment }
      found.push(segment)
      const html = renderReference(segment, rules, resolved)
      return html.startsWith('<a') ? link(html) : { kind: 'text', text: segment.text, html }
    })
  const linked = (text: string): FoundPart[] => {
    const parts: FoundPart[] = []
    let from = 0
    for (const { index, lastIndex, raw, url } of findAddresses(text, options.settings)) {
      const html = shortenAddress(url, rules) ?? `<a href="${escapeHtml(url)}">${escapeHtml(raw)}</a>`
      parts.push(...plain(text.slice(from, index)), link(html))
      from = lastIndex
    }
    return [...parts, ...plain(text.slice(from))]
  }
  // Each second piece was between backticks.
  const parts = (hasCode ? source.split(/`([^`]+)`/) : [source]).flatMap((piece, index): FoundPart[] =>
    index % 2 === 1 ? [{ kind: 'code', text: piece }] : linked(piece),
  )
  return [parts, candidatesOf(found)]
}

/**
 * Renders a message of a commit or tag: plain text, whose references and addresses are links.
 * @param isTitle whether text between backticks is code, as in titles
 */
export function renderMessage(source: string, options: MarkdownOptions, isTitle: boolean): Rendered {
  const [parts, candidates] = findParts(source, options, isTitle)
  const html = parts
    .map(({ kind, text, html: own }) => {
      if (kind === 'link') return text
      return kind === 'code' ? `<code class="in-title">${escapeHtml(text)}</code>` : (own ?? escapeHtml(text))
    })
    .join('')
  return { ...sanitiseBounded(html, source, options), candidates }
}

/** A message in parts, for a list whose lines are links themselves, with the candidates of its references. */
export interface SplitMessage {
  readonly parts: readonly MessagePart[]
  readonly candidates: ReferenceCandidates
}

/** Splits the subject of a message for a list. */
export function splitMessage(source: string, options: MarkdownOptions): SplitMessage {
  const [found, candidates] = findParts(source, options, true)
  const parts: MessagePart[] = []
  for (const { kind, text } of found) {
    const last = parts.at(-1)
    const plain = kind === 'code' ? `\`${text}\`` : text
    if (kind === 'link') parts.push({ html: sanitiseBounded(text, text, options).html })
    else if (typeof last === 'string') parts.splice(-1, 1, last + plain)
    else if (plain !== '') parts.push(plain)
  }
  return { parts, candidates }
}
