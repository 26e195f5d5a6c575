/** Parses a file of names and values: `name=value`, or `name<<END`, lines, and `END`. Throws for a malformed line. */
export function readPairs(text: string): readonly (readonly [string, string])[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const pairs: (readonly [string, string])[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    if (line === '') continue
    const equals = line.indexOf('=')
    const heredoc = line.indexOf('<<')
    if (heredoc > 0 && (equals < 0 || heredoc < equals)) {
      const end = lines.indexOf(line.slice(heredoc + 2), at + 1)
      if (end < 0) throw new Error(`the value of "${line.slice(0, heredoc)}" has no end "${line.slice(heredoc + 2)}"`)
      pairs.push([line.slice(0, heredoc), lines.slice(at + 1, end).join('\n')])
      at = end
    } else if (equals > 0) pairs.push([line.slice(0, equals), line.slice(equals + 1)])
    else throw new Error(`malformed line ${JSON.stringify(line.slice(0, 80))}; write name=value`)
  }
  return pairs
}
