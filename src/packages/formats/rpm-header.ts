import { brokenArchive } from './stored-archive.ts'

/**
 * Types of header entries. Source: the RPM package format, version 4. npm has programs that run rpmbuild, but no
 * reader.
 */
export const rpmType = { int16: 3, int32: 4, int64: 5, string: 6, binary: 7, strings: 8, translated: 9 } as const

/** One entry of a header, not decoded. */
export interface RpmEntry {
  readonly tag: number
  readonly type: number
  readonly count: number
  readonly data: Buffer
}

export type RpmHeader = ReadonlyMap<number, RpmEntry>

const magic = Buffer.from([0x8e, 0xad, 0xe8, 1, 0, 0, 0, 0])
/** Bytes before the entries: magic number, number of entries, size of their data. */
export const introBytes = 16
const entryBytes = 16
const maxEntries = 0x10000
/** Largest number of texts or numbers in one entry, each of which becomes a JavaScript value. */
const maxValues = 100_000

const sizes: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1 }
/** Region tags only group other entries. */
const isRegion = (tag: number): boolean => tag >= 61 && tag <= 63

/** Returns the size of a header from its first bytes. Throws `BadRequest` above `maxBytes`. */
export function headerBytes(intro: Buffer, maxBytes: number): number {
  if (intro.length < introBytes || !intro.subarray(0, magic.length).equals(magic)) throw broken()
  const [entries, dataBytes] = [intro.readUInt32BE(8), intro.readUInt32BE(12)]
  const size = introBytes + entries * entryBytes + dataBytes
  if (entries > maxEntries || size > maxBytes) throw brokenArchive('has a header that is too large')
  return size
}

const broken = () => brokenArchive('has an invalid header')

/** Parses a header. Throws `BadRequest`. */
export function readHeader(bytes: Buffer): RpmHeader {
  const dataStart = introBytes + bytes.readUInt32BE(8) * entryBytes
  const all = bytes.subarray(dataStart)
  const entries = new Map<number, RpmEntry>()
  // Overlapping entries would multiply the size of the header in memory.
  let total = 0
  for (let at = introBytes; at < dataStart; at += entryBytes) {
    const [tag = 0, type = 0, offset = 0, count = 0] = [0, 4, 8, 12].map((field) => bytes.readUInt32BE(at + field))
    const data = dataOf(all, { type, offset, count })
    total += data.length
    if (total > all.length) throw broken()
    if (!isRegion(tag)) entries.set(tag, { tag, type, count, data })
  }
  return entries
}

function dataOf(
  all: Buffer,
  { type, offset, count }: { readonly type: number; readonly offset: number; readonly count: number },
): Buffer {
  if (offset > all.length || count > all.length) throw broken()
  const size = sizes[type]
  if (type !== rpmType.binary && count > maxValues) throw brokenArchive('has a header entry with too many values')
  if (size !== undefined) {
    if (offset + size * count > all.length) throw broken()
    return all.subarray(offset, offset + size * count)
  }
  if (type !== rpmType.string && type !== rpmType.strings && type !== rpmType.translated) throw broken()
  let end = offset
  for (let index = 0; index < count; index += 1) {
    end = all.indexOf(0, end) + 1
    if (end === 0) throw broken()
  }
  return all.subarray(offset, end)
}

/** Returns the texts of an entry. */
export function textsOf(header: RpmHeader, tag: number): readonly string[] {
  const entry = header.get(tag)
  if (!entry || entry.type < rpmType.string || entry.type === rpmType.binary || entry.count === 0) return []
  return entry.data.toString('utf8', 0, entry.data.length - 1).split('\0')
}

export const firstText = (header: RpmHeader, tag: number): string => textsOf(header, tag)[0] ?? ''

/** Returns the numbers of an entry; numbers of 64 bits lose precision above 2^53. */
export function numbersOf(header: RpmHeader, tag: number): readonly number[] {
  const entry = header.get(tag)
  const size = entry && entry.type >= rpmType.int16 && entry.type <= rpmType.int64 ? sizes[entry.type] : undefined
  if (!entry || size === undefined) return []
  return Array.from({ length: entry.count }, (_, index) =>
    size === 8 ? Number(entry.data.readBigUInt64BE(index * 8)) : entry.data.readUIntBE(index * size, size),
  )
}

export const textEntry = (tag: number, texts: readonly string[], type: number = rpmType.strings): RpmEntry => ({
  tag,
  type,
  count: texts.length,
  data: Buffer.from(texts.map((text) => `${text.replaceAll('\0', '')}\0`).join('')),
})

export function numberEntry(tag: number, numbers: readonly number[]): RpmEntry {
  const data = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) data.writeUInt32BE(number % 2 ** 32, index * 4)
  return { tag, type: rpmType.int32, count: numbers.length, data }
}

export const binaryEntry = (tag: number, data: Buffer): RpmEntry => ({
  tag,
  type: rpmType.binary,
  count: data.length,
  data,
})

/**
 * Writes a header.
 * @param region tag of the region that groups all entries, which current versions of rpm require
 */
export function writeHeader(entries: readonly RpmEntry[], region?: number): Buffer {
  const index: Buffer[] = []
  const data: Buffer[] = []
  let at = 0
  const add = (piece: Buffer): void => {
    data.push(piece)
    at += piece.length
  }
  for (const entry of entries.toSorted((one, other) => one.tag - other.tag)) {
    const size = sizes[entry.type] ?? 1
    add(Buffer.alloc((size - (at % size)) % size))
    index.push(words(entry.tag, entry.type, at, entry.count))
    add(entry.data)
  }
  if (region !== undefined) {
    index.unshift(words(region, rpmType.binary, at, entryBytes))
    add(words(region, rpmType.binary, -index.length * entryBytes, entryBytes))
  }
  return Buffer.concat([magic, words(index.length, at), ...index, ...data])
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value | 0, index * 4)
  return bytes
}
