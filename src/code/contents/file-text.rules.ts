/** Bytes that are searched for a zero byte, which no text contains. */
const lookedAtBytes = 8000

const marks = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const

/** The text of a file, with its byte order mark. */
export interface FileText {
  readonly text: string
  /** A name of the encoding standard, such as `utf-8`. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
}

/** Returns the text of a file; undefined for a binary file. A file that is not valid UTF-8 is read as windows-1252. */
export function textOfFile(content: Buffer): FileText | undefined {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => content[index] === byte))
  if (mark) {
    return { text: new TextDecoder(mark.encoding, { ignoreBOM: true }).decode(content), encoding: mark.encoding }
  }
  if (content.subarray(0, lookedAtBytes).includes(0)) return undefined
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(content), encoding: 'utf-8' }
  } catch {
    // Each byte has a meaning in windows-1252, so that this does not fail.
    return { text: new TextDecoder('windows-1252').decode(content), encoding: 'windows-1252' }
  }
}
