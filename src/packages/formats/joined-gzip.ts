import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, gunzip, inflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
const unpack = promisify(gunzip)

const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** An empty last block. */
const lastBlock = Buffer.from([3, 0])

/** Packs a piece that can be joined with others: it has no references to earlier bytes and ends at a byte boundary. */
export const packPiece = (content: Buffer): Promise<Buffer> => deflate(content, { finishFlush: constants.Z_FULL_FLUSH })

/**
 * Joins packed pieces into a gzip file and returns it with its content. The file has one member, because apk treats
 * each member
 * as a file of its own. Source: RFC 1951 and 1952.
 * @param sizeBytes size of the content
 */
export async function joinPieces(
  pieces: readonly Buffer[],
  sizeBytes: number,
): Promise<{ readonly packed: Buffer; readonly content: Buffer }> {
  const body = Buffer.concat([...pieces, lastBlock])
  const content = await inflate(body, { maxOutputLength: Math.max(sizeBytes, 1) })
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(content), 0)
  trailer.writeUInt32LE(content.length % 2 ** 32, 4)
  return { packed: Buffer.concat([header, body, trailer]), content }
}

/** Unpacks a file from `joinPieces`. */
export const unpackJoined = (packed: Buffer): Promise<Buffer> => unpack(packed)
