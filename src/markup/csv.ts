import { escapeHtml } from './html.ts'

import type { MarkupSettings } from './markup-settings.ts'

const delimiters = [',', ';', '\t', '|'] as const

/** Returns the most frequent delimiter of the first line, outside quotes. */
function guessDelimiter(source: string): string {
  const firstLine = (/^[^\r\n]*/.exec(source)?.[0] ?? '').replace(/"(?:[^"]|"")*"/g, '')
  const counts = delimiters.map((delimiter) => firstLine.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

interface Row {
  readonly line: number
  readonly fields: readonly string[]
}

/** Parses RFC 4180; a quote inside an unquoted field is an ordinary character. */
function parseRows(source: string, delimiter: string): Row[] {
  const rows: Row[] = []
  let fields: string[] = []
  let field = ''
  let quoted = false
  let line = 1
  let rowLine = 1
  const endRow = (): void => {
    fields.push(field)
    if (fields.length > 1 || field !== '') rows.push({ line: rowLine, fields })
    fields = []
    field = ''
    rowLine = line
  }
  for (let index = 0; index < source.length; index++) {
    const character = source[index] as string
    if (character === '\n') line += 1
    if (quoted) {
      if (character !== '"') field += character
      else if (source[index + 1] === '"') {
        field += '"'
        index += 1
      } else quoted = false
    } else if (character === '"' && field === '') quoted = true
    else if (character === delimiter) {
      fields.push(field)
      field = ''
    } else if (character === '\n') endRow()
    else if (character !== '\r' || source[index + 1] !== '\n') field += character
  }
  if (field !== '' || fields.length > 0) endRow()
  return rows
}

/**
 * Renders separated values as a table: the first row is the head, the first column the line number in the file.
 * @param delimiter guessed from the first line when absent
 */
export function renderTable(source: string, limits: MarkupSettings['table'], delimiter?: string): string {
  const text = source.replace(/^\ufeff/, '')
  if (limits.maxBytes > 0 && Buffer.byteLength(text) > limits.maxBytes) return `<pre>${escapeHtml(text)}</pre>`
  const all = parseRows(text, delimiter ?? guessDelimiter(text))
  const shown = limits.maxRows > 0 ? all.slice(0, limits.maxRows) : all
  const rows = shown.map(({ line, fields }, index) => {
    const cell = index === 0 ? 'th' : 'td'
    const cells = fields.map((field) => `<${cell}>${escapeHtml(field)}</${cell}>`)
    return `<tr><${cell} class="line-num">${line}</${cell}>${cells.join('')}</tr>`
  })
  return rows.length === 0 ? '' : `<table class="data-table">${rows.join('')}</table>`
}
