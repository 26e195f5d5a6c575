import { sanitize, type SanitizeOptions } from './sanitize.ts'
import { unrendered } from './unrendered.ts'

/**
 * Longest HTML of one text, in characters, before and after it is sanitised: three times the longest text. A million markers
 * can become 26 million. The main thread copies a result, encodes it and compresses it.
 */
export const maxHtml = 1.5 * 1024 * 1024

/**
 * Most lines of a rendered text: five times those of the longest text with usual lines. Each makes up to ten tokens of a parser,
 * which take a kilobyte.
 */
const maxLines = 25_000

/** Returns the beginning of a text that is short enough in lines to be parsed. */
export function parsedPart(source: string): string {
  let at = -1
  for (let lines = 0; lines < maxLines; lines++) {
    at = source.indexOf('\n', at + 1)
    if (at < 0) return source
  }
  return source.slice(0, at)
}

/** Whether a text has too many bytes or lines to be parsed. */
export const isTooLong = (source: string, maxBytes: number): boolean =>
  Buffer.byteLength(source) > maxBytes || parsedPart(source).length < source.length

/** Most nested open elements: parsing takes time proportional to their number for each element. */
const maxOpen = 2000

/** Void elements. */
const voids = new Set(['br', 'hr', 'img', 'input', 'wbr', 'col', 'source', 'track', 'area', 'base', 'embed', 'link'])

/** Estimates from the tags whether too many elements are nested. */
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

/** Sanitised HTML of a text. */
interface BoundedHtml {
  readonly html: string
  /** Whether it is the unrendered text. */
  readonly isPlain: boolean
}

/** Sanitises rendered HTML, or returns the unrendered text when it is too long or too deep. */
export function sanitiseBounded(html: string, source: string, options: SanitizeOptions): BoundedHtml {
  const clean = html.length > maxHtml || isTooDeep(html) ? undefined : sanitize(html, options)
  return clean === undefined || clean.length > maxHtml
    ? { html: unrendered(source), isPlain: true }
    : { html: clean, isPlain: false }
}
