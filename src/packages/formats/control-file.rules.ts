/** Largest number of lines in a paragraph. */
const maxLines = 5000

/**
 * Reads one paragraph of `Name: value` lines, the format of Debian and R. A line that begins with a blank continues the
 * previous
 * one. Returns names in lower case.
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
