/** Returns the lines that a comment suggests in place of its line; undefined when it suggests none. */
export function suggestedLines(body: string): readonly string[] | undefined {
  const found = /^(`{3,}|~{3,})suggestion[^\n]*\n([\s\S]*?)^\1[`~]*\s*$/m.exec(body.replaceAll('\r\n', '\n'))
  if (!found) return undefined
  const text = found[2] ?? ''
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/**
 * Returns a text with other lines in place of one line (from 1).
 * @param expected what the line must be
 * @returns undefined when the text has no such line
 */
export function withLineReplaced(
  text: string,
  line: number,
  replacement: readonly string[],
  expected?: string,
): string | undefined {
  const lines = text.split('\n')
  const old = lines[line - 1]
  if (old === undefined || (line === lines.length && old === '')) return undefined
  if (expected !== undefined && old !== expected) return undefined
  const end = old.endsWith('\r') ? '\r' : ''
  return lines.toSpliced(line - 1, 1, ...replacement.map((each) => `${each}${end}`)).join('\n')
}
