/** A text of a file in its parts, in their order: what stands as it is, and expressions (`${{ … }}`) without their marks. */
export function partsOf(text: string): readonly { readonly text: string; readonly isExpression: boolean }[] {
  const parts: { text: string; isExpression: boolean }[] = []
  let at = 0
  // A pattern would look to the end of the text anew from each mark that nothing closes.
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

/** Where an expression ends: what stands in its quotes does not end it. -1 when nothing does. */
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

/** A text with its expressions replaced. */
export const replaceExpressions = (text: string, replace: (expression: string) => string): string =>
  partsOf(text)
    .map((part) => (part.isExpression ? replace(part.text) : part.text))
    .join('')

/** The expression of a text that is one expression and nothing else; undefined for any other. */
export function soleExpression(text: string): string | undefined {
  const parts = partsOf(text).filter((part) => part.isExpression || part.text.trim() !== '')
  const [only] = parts
  return parts.length === 1 && only?.isExpression ? only.text.trim() : undefined
}
