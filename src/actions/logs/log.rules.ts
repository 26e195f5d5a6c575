/** When and what a line of a log says, as runners send it. */
export interface LogRow {
  readonly seconds: bigint
  readonly nanos: number
  readonly content: string
}

/** Longest line, in bytes; the rest of it is left out. */
const maxLineBytes = 64 * 1024

/** A line of a log as it is kept: the moment with seven digits, a blank, and the text without line ends. */
export function lineOf({ seconds, nanos, content }: LogRow): string {
  const moment = new Date(Number(seconds) * 1000)
  const day = Number.isNaN(moment.getTime()) ? '1970-01-01T00:00:00' : moment.toISOString().slice(0, 19)
  const digits = String(Math.floor(nanos / 100)).padStart(7, '0')
  const text = content.replaceAll('\0', '').replaceAll('\n', '\\n').replaceAll('\r', '\\r').toWellFormed()
  return `${day}.${digits}Z ${cut(text)}`
}

function cut(text: string): string {
  // A character has three bytes at most for each of its units.
  if (text.length * 3 <= maxLineBytes) return text
  const whole = Buffer.from(text)
  if (whole.length <= maxLineBytes) return text
  return new TextDecoder('utf-8').decode(whole.subarray(0, maxLineBytes), { stream: true })
}

/** A block of a stored log: its first line, where it begins and how long it is, in bytes. */
export type LogBlock = readonly [firstLine: number, offset: number, sizeBytes: number]
