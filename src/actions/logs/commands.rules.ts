/** A workflow command in the output of a step (`::name key=value::text`). */
export interface StepCommand {
  readonly name: string
  /** By name in lower case. */
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
    return at > 0 ? [[pair.slice(0, at).trim().toLowerCase(), decoded(pair.slice(at + 1))]] : []
  })
  return { name: name.toLowerCase(), properties: Object.fromEntries(pairs), value: decoded(text.slice(end + 2)) }
}
