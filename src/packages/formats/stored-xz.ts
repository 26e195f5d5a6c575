import { crc32 } from 'node:zlib'

const maxChunkBytes = 0x10000

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

const padding = (length: number): Buffer => Buffer.alloc((4 - (length % 4)) % 4)

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}

/**
 * Returns an xz file of uncompressed chunks, for clients that request `.xz` first. npm has no encoder of xz without a
 * native part.
 * Source: the .xz file format, and the uncompressed chunks of LZMA2.
 */
export function storedXz(content: Buffer): Buffer {
  const flags = Buffer.from([0, 1])
  const header = Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), flags, u32(crc32(flags))])
  // One filter: LZMA2 with a dictionary of 64 KiB.
  const about = Buffer.from([2, 0, 0x21, 1, 8, 0, 0, 0])
  const blockHeader = Buffer.concat([about, u32(crc32(about))])
  const chunks: Buffer[] = []
  for (let at = 0; at < content.length; at += maxChunkBytes) {
    const part = content.subarray(at, at + maxChunkBytes)
    const size = Buffer.alloc(2)
    size.writeUInt16BE(part.length - 1)
    chunks.push(Buffer.from([at === 0 ? 1 : 2]), size, part)
  }
  const data = Buffer.concat([...chunks, Buffer.from([0])])
  const check = u32(crc32(content))
  const unpadded = blockHeader.length + data.length + check.length
  const block = Buffer.concat([blockHeader, data, padding(data.length), check])
  const records = Buffer.concat([Buffer.from([0]), varint(1), varint(unpadded), varint(content.length)])
  const listed = Buffer.concat([records, padding(records.length)])
  const index = Buffer.concat([listed, u32(crc32(listed))])
  const backward = Buffer.concat([u32(index.length / 4 - 1), flags])
  return Buffer.concat([header, block, index, u32(crc32(backward)), backward, Buffer.from('YZ')])
}
