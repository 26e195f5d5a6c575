import type { Readable } from 'node:stream'

/**
 * Frees the chunks of large streams at once. V8 collects them only when about 64 MB have gathered, which takes half of the
 * processor time of a transfer (`docs/decisions/0054-stream-memory.md`). Only chunks of marked streams are freed.
 */
const fleeting = new WeakSet<Readable>()

/** Marks a stream whose chunks only its reader holds. */
export function asFleeting<Stream extends Readable>(stream: Stream): Stream {
  fleeting.add(stream)
  return stream
}

/** Returns whether the reader of a stream may free its chunks. */
export const isFleeting = (stream: Readable): boolean => fleeting.has(stream)

/** Frees the memory of a chunk that owns all of it. The chunk is empty afterwards. */
export function releaseChunk(piece: Buffer): void {
  if (canReleaseChunk(piece)) (piece.buffer as ArrayBuffer).transfer(0)
}

/** Returns whether `releaseChunk` frees the chunk. Small chunks may share their memory. */
export const canReleaseChunk = ({ buffer, length }: Buffer): boolean =>
  length >= minReleasedBytes && length === buffer.byteLength && buffer instanceof ArrayBuffer

/** Returns a copy with its own memory, so that its reader can free it. */
export function ownCopy(piece: Buffer): Buffer {
  if (piece.length < minReleasedBytes) return Buffer.from(piece)
  const copy = Buffer.allocUnsafeSlow(piece.length)
  piece.copy(copy)
  return copy
}

/** Freeing smaller chunks costs more than collecting them. In bytes. */
const minReleasedBytes = 4 * 1024
