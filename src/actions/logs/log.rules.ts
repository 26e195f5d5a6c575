/** A line of a log as runners send it. */
export interface LogRow {
  readonly seconds: bigint
  readonly nanos: number
  readonly content: string
}

/** Longest line, in bytes. The rest of a longer line is dropped. */
const maxLineBytes = 64 * 1024

/** Returns the stored form of a line: the time with seven decimals, a blank, and the text with escaped line ends. */
export function lineOf({ seconds, nanos, content }: LogRow): string {
  const moment = new Date(Number(seconds) * 1000)
  const day = Number.isNaN(moment.getTime()) ? '1970-01-01T00:00:00' : moment.toISOString().slice(0, 19)
  const digits = String(Math.floor(nanos / 100)).padStart(7, '0')
  const text = content.replaceAll('\0', '').replaceAll('\n', '\\n').replaceAll('\r', '\\r').toWellFormed()
  return `${day}.${digits}Z ${cut(text)}`
}

function cut(text: string): string {
  // A UTF-16 code unit has at most three bytes in UTF-8.
  if (text.length * 3 <= maxLineBytes) return text
  const whole = Buffer.from(text)
  if (whole.length <= maxLineBytes) return text
  return new TextDecoder('utf-8').decode(whole.subarray(0, maxLineBytes), { stream: true })
}

/** A block of a stored log. Offset and size are in bytes. */
export type LogBlock = readonly [firstLine: number, offset: number, sizeBytes: number]
