import { wordTable } from '../../lib/word-table.ts'
import { trimBoth } from '../../lib/trim-ends.ts'

/** Longest text of a comment by mail, in characters; the rest is cut off. */
const maxText = 65_536

/** Longest introduction of a quotation, in characters. */
const maxIntroduction = 500

/**
 * Returns the new text of a reply: without the quoted mail, its introduction and the signature. Quotations with an
 * answer below them stay. It takes linear time, because anyone can send mail.
 */
export function newTextOf(text: string): string {
  const lines = text
    .slice(0, 4 * maxText)
    .replaceAll('\r\n', '\n')
    .replaceAll('\0', '\uFFFD')
    .toWellFormed()
    .split('\n')
  const end = lines.findIndex((line, index) => isSignature(line) || isForwardMark(line) || isHeaderBlock(lines, index))
  const kept = end < 0 ? lines : lines.slice(0, end)
  dropLastQuotation(kept)
  const written = kept.join('\n').trim()
  return written.length > maxText ? `${written.slice(0, maxText).toWellFormed()}…` : written
}

const isBlank = (line: string): boolean => line.trim() === ''
const isQuoted = (line: string): boolean => line.startsWith('>')

/** RFC 3676, 4.3; some programs remove the space. */
const isSignature = (line: string): boolean => line === '-- ' || line === '--'

/** The line that some programs put before an unmarked quotation. */
const isForwardMark = (line: string): boolean =>
  /^(?:-{4,}|_{20,}) ?(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original)? ?(?:-{4,})?$/i.test(
    line.trim().slice(0, maxIntroduction),
  )

/** The header lines with which other programs begin a quotation. */
const isHeaderBlock = (lines: readonly string[], index: number): boolean =>
  /^\*?(?:From|Von|De)\*?:\*? /.test((lines[index] ?? '').slice(0, maxIntroduction)) &&
  /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|To|An)\*?:\*? /.test(
    (lines[index + 1] ?? '').slice(0, maxIntroduction),
  )

/** Removes the quotation at the end and its introduction of up to three lines. */
function dropLastQuotation(lines: string[]): void {
  dropBlank(lines)
  if (!isQuoted(lines.at(-1) ?? '')) return
  while (isQuoted(lines.at(-1) ?? '') || (isBlank(lines.at(-1) ?? 'x') && lines.length > 0)) lines.pop()
  dropBlank(lines)
  for (const count of [1, 2, 3]) {
    const last = lines.slice(-count)
    if (last.length === count && isIntroduction(last.join(' '))) {
      lines.splice(-count)
      return
    }
  }
}

function dropBlank(lines: string[]): void {
  while (lines.length > 0 && isBlank(lines.at(-1) as string)) lines.pop()
}

/** `On Monday, Alice wrote:` in any language: it has a time or an address, and ends with a colon. */
const isIntroduction = (text: string): boolean =>
  text.length <= maxIntroduction && /:\s*$/.test(text) && (/\d{1,2}[:.]\d{2}/.test(text) || /<?\S+@\S+>?/.test(text))

/** Elements that begin and end a line. */
const blocks = new Set(['p', 'div', 'br', 'li', 'tr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'ul', 'ol', 'table'])
/** Elements whose text is hidden or quoted. */
const dropped = new Set(['head', 'style', 'script', 'title', 'blockquote'])

const entities = wordTable<string>({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' })

/** Returns the text of an HTML mail without quotations. The result is untrusted plain text. */
export function textOfHtml(html: string): string {
  const source = html.slice(0, 8 * maxText)
  const parts: string[] = []
  let depth = 0
  for (let at = 0; at < source.length;) {
    const open = source.indexOf('<', at)
    const end = open < 0 ? source.length : open
    if (depth === 0) parts.push(source.slice(at, end).replaceAll(/\s+/g, ' '))
    if (open < 0) break
    const close = source.indexOf('>', open)
    if (close < 0) break
    const [, slash, name = ''] = /^<(\/?)([a-z0-9]+)/i.exec(source.slice(open, open + 20)) ?? []
    const tag = name.toLowerCase()
    if (dropped.has(tag)) depth = Math.max(0, depth + (slash === '/' ? -1 : 1))
    else if (blocks.has(tag) && depth === 0) parts.push('\n')
    at = close + 1
  }
  return parts
    .join('')
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, named) => {
      const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
      if (named) return entities[String(named).toLowerCase()] ?? whole
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
    })
    .split('\n')
    .map((line) => trimBoth(line, ' \t'))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
}
