import { Readable } from 'node:stream'
import { bytesOfName } from '../../lib/file-names.ts'
import zlib, { createDeflateRaw } from 'node:zlib'

/** A file, folder or link of a ZIP archive. */
export interface ZipEntry {
  /** Ends with `/` for a folder. */
  readonly path: string
  /** Unix file type and permissions. */
  readonly mode: number
  readonly modifiedUnix: number
  readonly content: AsyncIterable<Buffer>
}

/** Values at which the 64-bit fields apply. */
const field32 = 0xffffffff
const field16 = 0xffff

/** The format version with 64-bit fields, and Unix as the creator. */
const version = 45
const madeOnUnix = (3 << 8) | version
/** Sizes follow the content; names are UTF-8. */
const flags = (1 << 3) | (1 << 11)
const deflated = 8

/**
 * Streams a ZIP archive (APPNOTE 6.3). Sizes follow the contents and all fields have 64 bits, so nothing must be known
 * in advance. Only the directory is held in memory. Tried: `yazl` leaves the error of a file's stream uncaught, and
 * `archiver` queues all files first and takes twice the time for 20,000 of them.
 */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = []
  let written = 0
  for await (const { path, mode, modifiedUnix, content } of entries) {
    const start = written
    const name = bytesOfName(path)
    const time = dosTime(modifiedUnix)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(version, 4)
    head.writeUInt16LE(flags, 6)
    head.writeUInt16LE(deflated, 8)
    head.writeUInt32LE(time, 10)
    head.writeUInt32LE(field32, 18)
    head.writeUInt32LE(field32, 22)
    head.writeUInt16LE(name.length, 26)
    const sizes = extra64(0, 0)
    head.writeUInt16LE(sizes.length, 28)
    yield Buffer.concat([head, name, sizes])
    written += head.length + name.length + sizes.length

    let [sum, sizeBytes, packedBytes] = [0, 0, 0]
    const measured = async function* () {
      for await (const piece of content) {
        sum = zlib.crc32(piece, sum)
        sizeBytes += piece.length
        yield piece
      }
    }
    const packing = createDeflateRaw()
    const source = Readable.from(measured(), { objectMode: false })
    source.on('error', (error) => packing.destroy(error))
    for await (const piece of source.pipe(packing) as AsyncIterable<Buffer>) {
      packedBytes += piece.length
      yield piece
    }
    const tail = Buffer.alloc(24)
    tail.writeUInt32LE(0x08074b50, 0)
    tail.writeUInt32LE(sum, 4)
    tail.writeBigUInt64LE(BigInt(packedBytes), 8)
    tail.writeBigUInt64LE(BigInt(sizeBytes), 16)
    yield tail
    written += packedBytes + tail.length
    directory.push(directoryEntry({ name, mode, time, sum, sizeBytes, packedBytes, start }))
  }
  const listed = Buffer.concat(directory)
  yield listed
  yield endOf(directory.length, listed.length, written)
}

function extra64(...values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(8 * values.length, 2)
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
  return field
}

/** An MS-DOS date and time: two-second resolution, since 1980. */
function dosTime(unix: number): number {
  const at = new Date(Math.max(unix, Date.UTC(1980, 0, 1) / 1000) * 1000)
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return date * 0x10000 + time
}

function directoryEntry(entry: {
  readonly name: Buffer
  readonly mode: number
  readonly time: number
  readonly sum: number
  readonly sizeBytes: number
  readonly packedBytes: number
  readonly start: number
}): Buffer {
  const extra = extra64(entry.sizeBytes, entry.packedBytes, entry.start)
  const head = Buffer.alloc(46)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(madeOnUnix, 4)
  head.writeUInt16LE(version, 6)
  head.writeUInt16LE(flags, 8)
  head.writeUInt16LE(deflated, 10)
  head.writeUInt32LE(entry.time, 12)
  head.writeUInt32LE(entry.sum, 16)
  head.writeUInt32LE(field32, 20)
  head.writeUInt32LE(field32, 24)
  head.writeUInt16LE(entry.name.length, 28)
  head.writeUInt16LE(extra.length, 30)
  head.writeUInt32LE(entry.mode * 0x10000, 38)
  head.writeUInt32LE(field32, 42)
  return Buffer.concat([head, entry.name, extra])
}

function endOf(count: number, directoryBytes: number, directoryStart: number): Buffer {
  const large = Buffer.alloc(56)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(madeOnUnix, 12)
  large.writeUInt16LE(version, 14)
  large.writeBigUInt64LE(BigInt(count), 24)
  large.writeBigUInt64LE(BigInt(count), 32)
  large.writeBigUInt64LE(BigInt(directoryBytes), 40)
  large.writeBigUInt64LE(BigInt(directoryStart), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(directoryStart + directoryBytes), 8)
  locator.writeUInt32LE(1, 16)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, field16), 8)
  end.writeUInt16LE(Math.min(count, field16), 10)
  end.writeUInt32LE(field32, 12)
  end.writeUInt32LE(field32, 16)
  return Buffer.concat([large, locator, end])
}
