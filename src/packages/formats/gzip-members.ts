import { crc32, inflateRaw } from 'node:zlib'
import { brokenArchive } from './stored-archive.ts'

const fixedHeaderBytes = 10
const trailerBytes = 8

/** One member of a gzip file. */
export interface GzipMember {
  readonly content: Buffer
  /** The offset behind the member. */
  readonly end: number
}

/** Returns the offset of a member's packed content. Source: RFC 1952. */
function contentStart(bytes: Buffer, start: number): number {
  if (bytes.length < start + fixedHeaderBytes || bytes.readUIntBE(start, 3) !== 0x1f8b08) throw unpackable()
  const flags = bytes.readUInt8(start + 3)
  let at = start + fixedHeaderBytes
  if (flags & 4) at += 2 + (at + 2 <= bytes.length ? bytes.readUInt16LE(at) : bytes.length)
  for (const text of [8, 16]) {
    if (!(flags & text)) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) throw unpackable()
    at = end + 1
  }
  return at + (flags & 2 ? 2 : 0)
}

const unpackable = () => brokenArchive('cannot be unpacked')

/** Unpacks the member at `start` only. Throws `BadRequest`. */
export async function readMember(bytes: Buffer, start: number, maxBytes: number): Promise<GzipMember> {
  const from = contentStart(bytes, start)
  const { content, packedBytes } = await inflated(bytes.subarray(from), maxBytes)
  const end = from + packedBytes + trailerBytes
  if (end > bytes.length) throw unpackable()
  if (bytes.readUInt32LE(end - trailerBytes) !== crc32(content)) throw unpackable()
  return { content, end }
}

const inflated = (
  bytes: Buffer,
  maxBytes: number,
): Promise<{ readonly content: Buffer; readonly packedBytes: number }> =>
  new Promise((resolve, reject) => {
    // `info` adds the engine, which counts the bytes it read; the types omit it.
    inflateRaw(bytes, { maxOutputLength: maxBytes, info: true }, (error, result) => {
      if (error) {
        reject(unpackable())
        return
      }
      const { buffer, engine } = result as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
      resolve({ content: buffer, packedBytes: engine.bytesWritten })
    })
  })
