/** A workflow command in the output of a step (`::name key=value::text`). */
export interface StepCommand {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly value: string
}

const decoded = (text: string): string =>
  text.replaceAll(/%(25|0D|0A|3A|2C)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Parses a line as a command. Returns undefined for any other line. */
export function commandOf(line: string): StepCommand | undefined {
  const text = line.trimStart()
  const end = text.startsWith('::') ? text.indexOf('::', 2) : -1
  if (end < 0) return undefined
  const head = text.slice(2, end)
  const [, name, properties = ''] = /^([A-Za-z][\w-]*)(?:$| (.*)$)/.exec(head) ?? []
  if (name === undefined) return undefined
  const pairs = properties.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1))]] : []
  })
  return { name: name.toLowerCase(), properties: Object.fromEntries(pairs), value: decoded(text.slice(end + 2)) }
}

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
