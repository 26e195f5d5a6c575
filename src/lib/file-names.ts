import { isUtf8 } from 'node:buffer'
import { wordTable } from './word-table.ts'

/*
 * Git's file names are bytes, and texts are Unicode. A name is decoded as UTF-8; each byte that is not part of valid UTF-8
 * becomes one private character, U+10FE00 + byte (0116-raw-file-names). The inverse restores the bytes, so a name passes
 * through addresses, JSON, forms and both databases unchanged. Characters of that range in a name are themselves decoded
 * byte by byte, so that two names never have one text.
 */

/** The private character of byte 0; those of bytes from 0x80 occur. */
const firstCharacter = 0x10fe00

/** A private character that stands for a byte from 0x80 to 0xff. */
const byteCharacter = /[\u{10fe80}-\u{10feff}]/u
const byteCharacters = /[\u{10fe80}-\u{10feff}]/gu

/** Returns the text of a name. */
export function nameOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8')
    return byteCharacter.test(text) ? text.replaceAll(byteCharacters, escapedBytes) : text
  }
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at)
    const character = bytes.subarray(at, at + length)
    text += isUtf8(character) ? nameOfBytes(character) : escapedByte(bytes[at] as number)
    at += isUtf8(character) ? length : 1
  }
  return text
}

/** Bytes of a UTF-8 character, by its first byte. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] as number
  if (first < 0xc0) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

const escapedByte = (byte: number): string => String.fromCodePoint(firstCharacter + byte)
const escapedBytes = (text: string): string => [...Buffer.from(text)].map(escapedByte).join('')

/** Returns the bytes of a name's text. */
export function bytesOfName(name: string): Buffer {
  if (!byteCharacter.test(name)) return Buffer.from(name)
  return Buffer.concat(
    Array.from(name, (character) =>
      byteCharacter.test(character)
        ? Buffer.of((character.codePointAt(0) as number) - firstCharacter)
        : Buffer.from(character),
    ),
  )
}

/** Whether a text is the text of its bytes. Another spelling of a name is refused, since no reading finds it. */
export const isNameText = (name: string): boolean =>
  name.isWellFormed() && (!byteCharacter.test(name) || nameOfBytes(bytesOfName(name)) === name)

/**
 * Whether a tree of git can contain a path. Git resolves `.` and `..` in its arguments, so a path with them would lead to another
 * file, or out of the repository.
 */
export const isTreePath = (path: string): boolean =>
  isNameText(path) &&
  !path.includes('\0') &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** Whether a text stands for bytes that are not UTF-8. */
export const hasRawBytes = (name: string): boolean => byteCharacter.test(name)

/** Decodes a percent-encoded part of an address, whose bytes need not be UTF-8. @throws URIError for a malformed escape */
export const decodeRawComponent = (text: string): string => decodeURIComponent(withUtf8Escapes(text))

/** Replaces percent escapes of bytes that are not UTF-8 by those of their characters. */
export const withUtf8Escapes = (text: string): string =>
  text.replaceAll(/(?:%[89a-f][0-9a-f])+/gi, (run) => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex')
    return isUtf8(bytes) ? run : encodeURIComponent(nameOfBytes(bytes))
  })

const escapes = wordTable<number>({ a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 })

/** Decodes a name in a line of git's output (latin1), which may be quoted like a string of C. */
export function nameInLine(text: string): string {
  if (!text.startsWith('"')) return nameOfBytes(Buffer.from(text, 'latin1'))
  const bytes: Buffer[] = []
  for (const [part] of text.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/g)) {
    if (!part.startsWith('\\')) bytes.push(Buffer.from(part, 'latin1'))
    else if (part.length === 4) bytes.push(Buffer.of(Number.parseInt(part.slice(1), 8)))
    else bytes.push(Buffer.of(escapes[part[1] as string] ?? 63))
  }
  return nameOfBytes(Buffer.concat(bytes))
}
