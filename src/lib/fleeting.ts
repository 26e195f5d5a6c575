import type { Readable } from 'node:stream'

/**
 * Pieces of a large stream are garbage a moment after they were made, but the engine collects them only when some 64 MB of
 * them have come together, and takes half of the time for it that a file needs on its way. Whoever reads a stream of
 * fleeting pieces, which nobody else keeps, may give the memory of each back at once.
 */
const fleeting = new WeakSet<Readable>()

/** Says of a stream that nobody keeps a piece of it but the one who reads it. */
export function asFleeting<Stream extends Readable>(stream: Stream): Stream {
  fleeting.add(stream)
  return stream
}

/** Whether the pieces of a stream may be given back by whoever reads it. */
export const isFleeting = (stream: Readable): boolean => fleeting.has(stream)

/** Gives the memory of a piece back, if it is all that the piece is made of; there is nothing in the piece after that. */
export function giveBack(piece: Buffer): void {
  if (canGiveBack(piece)) (piece.buffer as ArrayBuffer).transfer(0)
}

/** Whether `giveBack` gives something back. A small piece may be a part of the memory that many share, and is soon collected anyway. */
export const canGiveBack = ({ buffer, length }: Buffer): boolean =>
  length >= worthGivingBack && length === buffer.byteLength && buffer instanceof ArrayBuffer

/** The same bytes as a piece of their own, which whoever gets it can give back when it is large. */
export function ownCopy(piece: Buffer): Buffer {
  if (piece.length < worthGivingBack) return Buffer.from(piece)
  const copy = Buffer.allocUnsafeSlow(piece.length)
  piece.copy(copy)
  return copy
}

/** Giving less back costs more than to collect it, in bytes. */
const worthGivingBack = 4 * 1024
