import type { Readable } from 'node:stream'
import { ByteReader } from '../../lib/byte-reader.ts'
import { nameOfBytes } from '../../lib/file-names.ts'
import { wordTable } from '../../lib/word-table.ts'

/** Block size: a header is one block, and contents are padded to whole blocks. */
export const tarBlockBytes = 512

/** An entry of git's tar archive. Its content must be read before the next entry. */
export interface TarEntry {
  /** The extended headers before the entry's own header, unchanged. */
  readonly before: Buffer
  readonly header: Buffer
  readonly kind: 'file' | 'folder' | 'link' | 'about-all'
  readonly path: string
  readonly mode: number
  readonly modifiedUnix: number
  /** Target of a link. */
  readonly target: string
  readonly sizeBytes: number
  /** Without padding. */
  readonly content: AsyncGenerator<Buffer>
}

/** Largest extended header; git writes long names and link targets into them. */
const maxMoreBytes = 1 << 20

/** Parses git's tar archives: ustar with POSIX extended headers. */
export async function* tarEntries(archive: Readable): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(archive, () => new Error('an archive ended early'))
  let before = Buffer.alloc(0)
  let more: ReadonlyMap<string, string> = new Map()
  for (;;) {
    const header = await bytes.take(tarBlockBytes)
    // Two empty blocks end the archive.
    if (header[0] === 0) return await bytes.drain()
    const sizeBytes = octal(header, 124, 12)
    const type = String.fromCharCode(header[156] as number)
    if (type === 'x') {
      if (sizeBytes > maxMoreBytes) throw new Error('a header of an archive is too large')
      const content = await bytes.take(paddedSize(sizeBytes))
      before = Buffer.concat([header, content])
      more = recordsOf(content.subarray(0, sizeBytes))
      continue
    }
    const content = bytes.pieces(sizeBytes)
    yield {
      ...{ before, header, kind: kinds[type] ?? 'file', sizeBytes, content },
      path: more.get('path') ?? nameIn(header),
      mode: octal(header, 100, 8),
      modifiedUnix: octal(header, 136, 12),
      target: more.get('linkpath') ?? textAt(header, 157, 100),
    }
    before = Buffer.alloc(0)
    more = new Map()
    while (!(await content.next()).done);
    await bytes.take(paddedSize(sizeBytes) - sizeBytes)
  }
}

const kinds = wordTable<TarEntry['kind']>({ '2': 'link', '5': 'folder', g: 'about-all' })

/** A size padded to whole blocks. */
export const paddedSize = (sizeBytes: number): number => Math.ceil(sizeBytes / tarBlockBytes) * tarBlockBytes

/** The header with another size; undefined when the size does not fit. */
export function withSize(header: Buffer, sizeBytes: number): Buffer | undefined {
  const digits = sizeBytes.toString(8)
  if (digits.length > 11) return undefined
  const changed = Buffer.from(header)
  changed.write(`${digits.padStart(11, '0')}\0${' '.repeat(20)}`, 124, 12, 'latin1')
  // The checksum counts its own field as blanks.
  changed.fill(' ', 148, 156)
  const sum = changed.reduce((total, byte) => total + byte, 0)
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1')
  return changed
}

const textAt = (header: Buffer, start: number, length: number): string => {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return nameOfBytes(field.subarray(0, end === -1 ? length : end))
}

const octal = (header: Buffer, start: number, length: number): number =>
  Number.parseInt(textAt(header, start, length).trim() || '0', 8)

function nameIn(header: Buffer): string {
  const prefix = textAt(header, 345, 155)
  return prefix === '' ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`
}

/** Parses `LENGTH key=value\n` records; the length covers the whole record. */
function recordsOf(content: Buffer): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < content.length;) {
    const blank = content.indexOf(' ', at)
    const length = Number.parseInt(content.toString('latin1', at, blank), 10)
    if (blank === -1 || !(length > 0)) break
    const record = nameOfBytes(content.subarray(blank + 1, at + length - 1))
    const split = record.indexOf('=')
    records.set(record.slice(0, split), record.slice(split + 1))
    at += length
  }
  return records
}
