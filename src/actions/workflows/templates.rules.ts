/** Splits a string into literal parts and expressions (`${{ … }}`), which are returned without `${{` and `}}`. */
export function partsOf(text: string): readonly { readonly text: string; readonly isExpression: boolean }[] {
  const parts: { text: string; isExpression: boolean }[] = []
  let at = 0
  // A regular expression would scan to the end of the text from each unclosed `${{`.
  for (;;) {
    const start = text.indexOf('${{', at)
    const end = start < 0 ? -1 : endOf(text, start + 3)
    if (end < 0) break
    if (start > at) parts.push({ text: text.slice(at, start), isExpression: false })
    parts.push({ text: text.slice(start + 3, end), isExpression: true })
    at = end + 2
  }
  if (at < text.length) parts.push({ text: text.slice(at), isExpression: false })
  return parts
}

/** Returns the index of the `}}` that closes an expression, outside of string literals, or -1. */
function endOf(text: string, from: number): number {
  let at = from
  let end = text.indexOf('}}', at)
  for (;;) {
    if (end >= 0 && end < at) end = text.indexOf('}}', at)
    const quote = text.indexOf("'", at)
    if (end < 0 || quote < 0 || end < quote) return end
    const closing = text.indexOf("'", quote + 1)
    if (closing < 0) return end
    at = closing + 1
  }
}

/** Replaces the expressions of a string. */
export const replaceExpressions = (text: string, replace: (expression: string) => string): string =>
  partsOf(text)
    .map((part) => (part.isExpression ? replace(part.text) : part.text))
    .join('')

/** Returns the expression of a string that is only one expression; otherwise undefined. */
export function soleExpression(text: string): string | undefined {
  const parts = partsOf(text).filter((part) => part.isExpression || part.text.trim() !== '')
  const [only] = parts
  return parts.length === 1 && only?.isExpression ? only.text.trim() : undefined
}
