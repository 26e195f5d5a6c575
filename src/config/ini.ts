/** A `KEY = value` line of a settings file, and its location. `value` is unquoted but not interpolated. */
export interface IniEntry {
  /** Lower-case section name; empty for lines before the first section. */
  readonly section: string
  /** The key as written. */
  readonly key: string
  readonly value: string
  readonly line: number
}

/** An error or warning about a line. */
export interface IniRemark {
  readonly line: number
  readonly section: string
  readonly key: string
  readonly reason: string
}

export interface IniFile {
  readonly entries: readonly IniEntry[]
  readonly problems: readonly IniRemark[]
  readonly warnings: readonly IniRemark[]
}

interface Value {
  readonly text: string
  /** The number of additional lines read. */
  readonly extraLines: number
  readonly problem?: string
  readonly warning?: string
}

/**
 * Parses the `app.ini` dialect of the family: `[section.with.dots]`, `KEY = value` or `KEY: value`, comments with `;`
 * or `#` on their own line or after a value, and values in backticks, single, double or triple double quotes. Only
 * triple double quotes can span lines. Lines have no continuation. A key before the first section, or in `[DEFAULT]`,
 * belongs to the section with the empty name. Tried: `ini` has no line numbers, takes a broken line for a key and splits
 * sections at dots; `js-ini` stops at the first wrong line; neither reads triple quotes.
 */
export function parseIni(text: string): IniFile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const entries: IniEntry[] = []
  const problems: IniRemark[] = []
  const warnings: IniRemark[] = []
  let section = ''
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1
    const content = (lines[index] ?? '').trim()
    if (content === '' || content.startsWith(';') || content.startsWith('#')) continue
    if (content.startsWith('[')) {
      const end = content.indexOf(']')
      const name = end < 0 ? '' : content.slice(1, end).trim()
      const rest = end < 0 ? '' : content.slice(end + 1).trim()
      if (name === '' || (rest !== '' && !/^[;#]/.test(rest))) {
        problems.push({ line, section, key: '', reason: 'this is no section heading like [server]' })
        continue
      }
      section = name === 'DEFAULT' ? '' : name.toLowerCase()
      continue
    }
    const delimiter = content.search(/[=:]/)
    if (delimiter <= 0) {
      problems.push({ line, section, key: '', reason: 'this is neither a section, a comment nor KEY = value' })
      continue
    }
    const key = unquoteKey(content.slice(0, delimiter).trim())
    const value = readValue(content.slice(delimiter + 1).trim(), lines, index)
    if (value.problem !== undefined) problems.push({ line, section, key, reason: value.problem })
    else entries.push({ section, key, value: value.text, line })
    if (value.warning !== undefined) warnings.push({ line, section, key, reason: value.warning })
    index += value.extraLines
  }
  return { entries, problems, warnings }
}

const unquoteKey = (key: string): string => (/^(["'`]).+\1$/.test(key) ? key.slice(1, -1) : key)

/** Parses a value. `text` is the trimmed rest of line `index`; only a triple-quoted value reads further lines. */
function readValue(text: string, lines: readonly string[], index: number): Value {
  if (text.startsWith('"""')) return readTripleQuoted(text.slice(3), lines, index)
  const quote = text[0]
  if (quote === '`' || quote === '"' || quote === "'") {
    const end = text.indexOf(quote, 1)
    if (end < 0) {
      // Plain text may start with a single quote; a backtick always starts a quoted value.
      if (quote !== '`') return stripComment(text)
      return { text: '', extraLines: 0, problem: 'the closing ` is missing' }
    }
    const rest = text.slice(end + 1).trim()
    // `"a", "b"` is plain text; the list reader removes the quotes.
    if (rest !== '' && !/^[;#]/.test(rest)) return stripComment(text)
    return { text: text.slice(1, end), extraLines: 0 }
  }
  return stripComment(text)
}

function readTripleQuoted(first: string, lines: readonly string[], index: number): Value {
  const parts: string[] = []
  for (let at = index, part: string | undefined = first; part !== undefined; part = lines[++at]) {
    const end = part.indexOf('"""')
    if (end >= 0) return { text: [...parts, part.slice(0, end)].join('\n'), extraLines: at - index }
    parts.push(part)
  }
  return { text: '', extraLines: 0, problem: 'the closing """ is missing' }
}

/**
 * In the family's dialect, the first `;` or `#` starts a comment at any position. That truncates passwords, so a
 * comment sign without a preceding blank is reported.
 */
function stripComment(text: string): Value {
  const at = text.search(/[;#]/)
  if (at < 0) return { text, extraLines: 0 }
  const kept = text.slice(0, at)
  const glued = kept !== '' && !/\s$/.test(kept) && text.slice(at + 1).trim() !== ''
  const warning = glued ? `the text after ${text[at]} is a comment; put the value in backticks to keep it` : undefined
  return { text: kept.trim(), extraLines: 0, ...(warning === undefined ? {} : { warning }) }
}
