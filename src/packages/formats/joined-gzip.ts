import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, gunzip, inflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
const unpack = promisify(gunzip)

const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** The last block of a stream, which holds nothing. */
const lastBlock = Buffer.from([3, 0])

/** Packs a piece that can stand anywhere in a packed file: it refers to nothing before it and ends at a byte. */
export const packPiece = (content: Buffer): Promise<Buffer> => deflate(content, { finishFlush: constants.Z_FULL_FLUSH })

/**
 * One .gz file of pieces, which are not packed again, and its content. It is one member, since some readers (apk) take each
 * member for a file of its own. Source: RFC 1951 and 1952.
 * @param sizeBytes of the content
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

/** The content of a file that was packed here. */
export const unpackJoined = (packed: Buffer): Promise<Buffer> => unpack(packed)
