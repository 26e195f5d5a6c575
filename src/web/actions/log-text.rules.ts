/** A part of a line of a log. */
export interface LogPart {
  readonly text: string
  /** Classes of the colours, such as `ansi-1`; empty for plain text. */
  readonly classes: string
}

/** What a line says to the reader of the log. */
export type LogLineKind = 'plain' | 'command' | 'error' | 'warning' | 'notice' | 'debug'

/** A line of a log as it is shown. */
export type ShownLine =
  | {
      readonly kind: LogLineKind
      readonly time: string
      readonly parts: readonly LogPart[]
      readonly cutLength: number
    }
  | { readonly kind: 'group'; readonly time: string; readonly title: string }
  | { readonly kind: 'endgroup'; readonly time: string }

/** A longer line is cut on pages, in characters. */
const maxLineLength = 2000

const command = /^(?:##\[([a-z-]+)\]|\[(command)\]|::([a-z-]+)(?: [^:]*(?::(?!:)[^:]*)*)?::)(.*)$/s
const kinds = new Set<string>(['command', 'error', 'warning', 'notice', 'debug'])

/** Parses a stored line: the time, a blank, and the text with the escape sequences of a terminal. */
export function shownLine(stored: string): ShownLine {
  const match = /^(\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d))\S* ?/.exec(stored)
  const time = match?.[2] ?? ''
  const text = stored.slice(match?.[0].length ?? 0)
  const [, bracket, bare, colons, rest = ''] = command.exec(text.slice(0, maxLineLength + 200)) ?? []
  const name = bracket ?? bare ?? colons ?? ''
  if (name === 'group') return { kind: 'group', time, title: plain(rest.slice(0, maxLineLength)) }
  if (name === 'endgroup') return { kind: 'endgroup', time }
  const kind = kinds.has(name) ? (name as LogLineKind) : 'plain'
  const content = kind === 'plain' ? text : rest
  const shown = content.slice(0, maxLineLength)
  return { kind, time, parts: partsOf(shown), cutLength: Math.max(0, content.length - maxLineLength) }
}

// oxlint-disable-next-line no-control-regex -- the sequences begin with a control character
const sequence = /\u001B(?:\[([0-9;:?]*)([@-~])|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\^_])/g
// oxlint-disable-next-line no-control-regex -- such characters have no form
const control = /[\u0000-\u0008\u000B-\u001F\u007F]/g

const plain = (text: string): string => text.replaceAll(sequence, '').replaceAll(control, '')

interface Look {
  colour: string
  back: string
  readonly marks: Set<string>
}

/**
 * Splits a text at colour sequences; other sequences and control characters are left out. Tried: `anser` shows the
 * sequences of links as text, and `ansi_up` writes HTML with inline styles, which the content policy forbids; both take
 * more than a millisecond for a hostile line.
 */
function partsOf(text: string): readonly LogPart[] {
  const look: Look = { colour: '', back: '', marks: new Set() }
  const parts: LogPart[] = []
  const add = (piece: string): void => {
    const clean = piece.replaceAll(control, '')
    if (clean === '') return
    const classes = [look.colour, look.back, ...look.marks].filter((each) => each !== '').join(' ')
    parts.push({ text: clean, classes })
  }
  let from = 0
  for (const match of text.matchAll(sequence)) {
    add(text.slice(from, match.index))
    if (match[2] === 'm') apply(look, match[1] ?? '')
    from = match.index + match[0].length
  }
  // A sequence that the limit cut.
  add(text.slice(from).replace(/\u001B\[[0-9;:?]*$/, ''))
  return parts
}

const marks: Readonly<Record<number, string>> = {
  1: 'ansi-bold',
  2: 'ansi-faint',
  3: 'ansi-italic',
  4: 'ansi-underline',
}

/** Applies the codes of a colour sequence. */
function apply(look: Look, text: string): void {
  const codes = text.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)))
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    const mark = marks[code]
    if (code === 0) {
      look.colour = ''
      look.back = ''
      look.marks.clear()
    } else if (mark !== undefined) look.marks.add(mark)
    else if (code === 22) ['ansi-bold', 'ansi-faint'].forEach((each) => look.marks.delete(each))
    else if (code === 23) look.marks.delete('ansi-italic')
    else if (code === 24) look.marks.delete('ansi-underline')
    else if (code === 39) look.colour = ''
    else if (code === 49) look.back = ''
    else if (code >= 30 && code <= 37) look.colour = `ansi-${code - 30}`
    else if (code >= 90 && code <= 97) look.colour = `ansi-${code - 90 + 8}`
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) look.back = 'ansi-back'
    else if (code === 38 || code === 48) {
      const isTrue = codes[at + 1] === 2
      const colour = isTrue ? basicOf(codes.slice(at + 2, at + 5)) : indexed(codes[at + 2] ?? 0)
      if (code === 38) look.colour = `ansi-${colour}`
      else look.back = 'ansi-back'
      at += isTrue ? 4 : 2
    }
  }
}

/** Returns the nearest of the 16 basic colours to one of the 256. */
function indexed(index: number): number {
  if (index < 16) return index
  if (index >= 232) return index < 244 ? 8 : 7
  const cube = index - 16
  return basicOf([Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51])
}

/** Returns the nearest basic colour to red, green and blue. */
function basicOf(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb
  const most = Math.max(red, green, blue)
  if (most < 64) return 8
  const bit = (value: number, weight: number) => (value > most / 2 ? weight : 0)
  return bit(red, 1) + bit(green, 2) + bit(blue, 4) + (most > 200 ? 8 : 0)
}
