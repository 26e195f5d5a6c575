/** Most lines of a paragraph. */
const maxLines = 5000

/**
 * Reads one paragraph of `Name: value` lines, as Debian and R have it; what begins with a blank goes on with the line before.
 * Names in lower case.
 */
export function readParagraph(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  let name = ''
  for (const line of text.split(/\r?\n/, maxLines)) {
    if (line.trim() === '' && fields.size > 0) break
    const [, key, value] = /^([A-Za-z0-9@_/-]+):[ \t]*(.*)$/s.exec(line) ?? []
    if (key !== undefined) {
      name = key.toLowerCase()
      if (!fields.has(name)) fields.set(name, (value ?? '').trimEnd())
    } else if (/^[ \t]/.test(line) && name !== '') {
      fields.set(name, `${fields.get(name) ?? ''}\n${line.trimEnd()}`)
    }
  }
  return fields
}
