import { escapeHtml } from './html.ts'
import type { LinkBases } from './links.ts'
import { sanitize } from './sanitize.ts'

/** Longest HTML that is made clean, in characters: eight times the longest text. A million marks become 26 million. */
const maxOutput = 8 * 1024 * 1024

/** Most elements that stand open at once: reading HTML takes time by their number for each element. */
const maxOpen = 2000

/** Elements that have no end. */
const voids = new Set(['br', 'hr', 'img', 'input', 'wbr', 'col', 'source', 'track', 'area', 'base', 'embed', 'link'])

/** Whether more elements stand open at once than may, as far as a look at the tags tells. */
function isTooDeep(html: string): boolean {
  const open = new Map<string, number>()
  let count = 0
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-zA-Z][a-zA-Z0-9-]{0,30})/g)) {
    const element = name.toLowerCase()
    if (voids.has(element)) continue
    const known = open.get(element) ?? 0
    if (slash === '') {
      open.set(element, known + 1)
      count += 1
    } else if (known > 0) {
      open.set(element, known - 1)
      count -= 1
    }
    if (count > maxOpen) return true
  }
  return false
}

/** A text that is too long or too involved to be rendered, as it is. */
export const asItIs = (source: string): string => `<pre>${escapeHtml(source)}</pre>`

/** Clean HTML of what was made of a text, or the text as it is when it became too much. */
export function cleaned(html: string, source: string, bases: LinkBases): string {
  return html.length > maxOutput || isTooDeep(html) ? asItIs(source) : sanitize(html, bases)
}
