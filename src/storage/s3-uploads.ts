import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { NotFound, RangeNotSatisfiable, TooLarge } from '../lib/errors.ts'
import type { Unix } from '../lib/time.ts'
import { Appending } from './appending.ts'
import {
  type AppendOptions,
  type BlobContent,
  type BlobInfo,
  type ByteRange,
  checkKey,
  type CompleteOptions,
  isUploadId,
  newUploadId,
  type PutOptions,
  type StoredBlob,
  type UploadId,
  type Uploads,
  uploadsFolder,
} from './blobs.ts'
import { asBuffer, checkExpected, receive, tooLarge } from './measure.ts'
import type { S3Service } from './s3-service.ts'

/** The default maximum size of a piece. Each piece is written as one object from memory. */
const usualPieceBytes = 8 * 1024 * 1024
/** The maximum number of pieces; with 8 MiB each, 80 GiB. */
const maxPieces = 10_000
/** Digits of the offset in a piece's name, so that names sort numerically. */
const offsetDigits = 16

/** A piece: an object with the bytes of an upload from `start`. */
interface Piece {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The state of an upload in the bucket. */
interface Found extends BlobInfo {
  /** The pieces that form the content, in order and without gaps. */
  readonly pieces: readonly Piece[]
  /** All pieces found, including those superseded by a merged one. */
  readonly all: readonly Piece[]
}

export interface S3UploadsOptions {
  readonly maxCopyBytes: number
  readonly put: (key: string, content: Readable, options: PutOptions) => Promise<StoredBlob>
}

/**
 * Uploads in a bucket. `.uploads/<id>/begun` marks an upload; each other object in the folder is a piece, named by its
 * offset. S3 multipart uploads do not fit: their parts have a minimum size, they need the final key at the start, and
 * many services do not list them.
 */
export class S3Uploads implements Uploads {
  readonly #service: S3Service
  readonly #options: S3UploadsOptions
  readonly #pieceBytes: number
  readonly #appending = new Appending()

  constructor(service: S3Service, options: S3UploadsOptions) {
    this.#service = service
    this.#options = options
    this.#pieceBytes = service.options.pieceBytes ?? usualPieceBytes
  }

  async begin(): Promise<UploadId> {
    const id = newUploadId()
    await this.#service.putBytes(markOf(id), Buffer.alloc(0))
    return id
  }

  async find(id: UploadId): Promise<BlobInfo | undefined> {
    const found = await this.#look(id)
    return found && { sizeBytes: found.sizeBytes, modifiedUnix: found.modifiedUnix }
  }

  async append(id: UploadId, content: Readable, options: AppendOptions): Promise<BlobInfo> {
    receive(content, options.signal)
    try {
      await this.#appending.alone(id, () => this.#append(id, content, options))
    } catch (error) {
      content.destroy()
      throw error
    }
    const info = await this.find(id)
    if (info === undefined) throw noUpload()
    return info
  }

  async read(id: UploadId, { range }: { readonly range?: ByteRange } = {}): Promise<BlobContent | undefined> {
    const found = await this.#look(id)
    if (found === undefined) return undefined
    const start = range?.start ?? 0
    const end = Math.min((range?.end ?? found.sizeBytes - 1) + 1, found.sizeBytes)
    if (range !== undefined && (start >= found.sizeBytes || end <= start)) {
      throw new RangeNotSatisfiable(found.sizeBytes)
    }
    const { sizeBytes, modifiedUnix } = found
    return { sizeBytes, modifiedUnix, stream: Readable.from(this.#bytesOf(id, found.pieces, start, end)) }
  }

  async complete(id: UploadId, key: string, options: CompleteOptions = {}): Promise<StoredBlob> {
    checkKey(key)
    return this.#appending.alone(id, async () => {
      const found = await this.#look(id)
      if (found === undefined) throw noUpload()
      const stored = await this.#place(id, found, key, options)
      await this.#remove(found, id)
      return stored
    })
  }

  async abort(id: UploadId): Promise<void> {
    const found = isUploadId(id) ? await this.#look(id) : undefined
    if (found !== undefined) await this.#remove(found, id)
  }

  async removeAbandoned(beforeUnix: Unix, signal?: AbortSignal): Promise<number> {
    const lastUnix = new Map<string, number>()
    for await (const { name, modifiedUnix } of this.#service.list(`${uploadsFolder}/`)) {
      const id = name.split('/')[1] ?? ''
      lastUnix.set(id, Math.max(lastUnix.get(id) ?? 0, modifiedUnix))
    }
    let count = await this.#service.abortMultipartUploads(beforeUnix)
    for (const [id, unix] of lastUnix) {
      if (unix >= beforeUnix || !isUploadId(id)) continue
      signal?.throwIfAborted()
      await this.#removeAll(id)
      count++
    }
    return count
  }

  /**
   * Stores the content under its key: by a copy in the service where nothing must be checked, else through this process.
   */
  async #place(id: UploadId, found: Found, key: string, options: CompleteOptions): Promise<StoredBlob> {
    const { sizeBytes, pieces } = found
    const [only] = pieces
    const sha256 = options.digests === undefined ? this.#appending.sha256Of(id, sizeBytes) : undefined
    if (sha256 !== undefined && only !== undefined && pieces.length === 1 && only.end <= this.#options.maxCopyBytes) {
      const stored = { sizeBytes, sha256, digests: {} }
      checkExpected(stored, options.expected)
      await this.#service.copy(only.name, key, options.contentType)
      return stored
    }
    const expected = { ...options.expected, sizeBytes: options.expected?.sizeBytes ?? sizeBytes }
    const content = Readable.from(this.#bytesOf(id, pieces, 0, sizeBytes))
    return this.#options.put(key, content, { ...options, expected, maxBytes: Math.max(sizeBytes, 1) })
  }

  async #append(id: UploadId, content: Readable, { atBytes, maxBytes }: AppendOptions): Promise<void> {
    const found = await this.#look(id)
    if (found === undefined) throw noUpload()
    if (atBytes > found.sizeBytes) throw new RangeNotSatisfiable(found.sizeBytes)
    const digest = this.#appending.take(id, atBytes)
    const writer = new PieceWriter(this.#service, id, this.#pieceBytes, await this.#cut(id, found, atBytes))
    let position = atBytes
    for await (const chunk of content) {
      const bytes = asBuffer(chunk)
      position += bytes.length
      if (position > maxBytes) throw tooLarge(maxBytes)
      digest?.add(bytes)
      await writer.add(bytes)
    }
    await writer.finish()
    this.#appending.keep(id, digest)
  }

  /**
   * Takes away what lies behind a byte and gives what is left of the content as the pieces before it and the beginning
   * of the one that it lies in. Whatever happens meanwhile, the bytes before it stay.
   */
  async #cut(id: UploadId, found: Found, atBytes: number): Promise<Kept> {
    // Deletes from the end, so that the remaining pieces are always a prefix.
    for (const piece of found.all.toReversed()) if (piece.start >= atBytes) await this.#service.delete(piece.name)
    const pieces = found.pieces.filter(({ end }) => end <= atBytes)
    const cut = found.pieces.find(({ start, end }) => start < atBytes && end > atBytes)
    const read = async (piece: Piece, end: number): Promise<Buffer> =>
      buffer(Readable.from(this.#bytesOf(id, [piece], piece.start, end)))
    return { pieces, atBytes, head: cut && (await read(cut, atBytes)), read: (piece) => read(piece, piece.end) }
  }

  /**
   * The bytes of an upload from `start` up to `end`, which is not among them. A piece may be joined with its neighbours
   * while it is being read (a log that is followed): then its bytes are looked for anew.
   */
  async *#bytesOf(id: UploadId, known: readonly Piece[], start: number, end: number): AsyncGenerator<Buffer> {
    let pieces = known
    let isKnown = true
    for (let at = start; at < end;) {
      const piece = pieces.find((candidate) => candidate.start <= at && at < candidate.end)
      const range = piece && { start: at - piece.start, end: Math.min(piece.end, end) - piece.start - 1 }
      const content = piece && (await this.#service.get(piece.name, range))
      if (content === undefined) {
        if (!isKnown) throw noUpload()
        pieces = (await this.#look(id))?.pieces ?? []
        isKnown = false
        continue
      }
      isKnown = true
      for await (const chunk of content.stream) {
        const bytes = asBuffer(chunk)
        at += bytes.length
        yield bytes
      }
    }
  }

  async #look(id: UploadId): Promise<Found | undefined> {
    if (!isUploadId(id)) throw noUpload()
    const mark = markOf(id)
    const all: Piece[] = []
    let isBegun = false
    let modifiedUnix = 0
    for await (const object of this.#service.list(folderOf(id))) {
      modifiedUnix = Math.max(modifiedUnix, object.modifiedUnix)
      if (object.name === mark) {
        isBegun = true
        continue
      }
      const start = Number(object.name.slice(folderOf(id).length))
      all.push({ name: object.name, start, end: start + object.sizeBytes })
    }
    if (!isBegun) return undefined
    all.sort((left, right) => left.start - right.start)
    const pieces: Piece[] = []
    let sizeBytes = 0
    for (const piece of all) {
      if (piece.start !== sizeBytes) continue
      pieces.push(piece)
      sizeBytes = piece.end
    }
    return { pieces, all, sizeBytes, modifiedUnix }
  }

  /** Deletes the marker first: without it the upload does not exist, and cleanup finds the other objects by age. */
  async #remove({ all }: Found, id: UploadId): Promise<void> {
    this.#appending.forget(id)
    await this.#service.delete(markOf(id))
    for (const { name } of all) await this.#service.delete(name)
  }

  async #removeAll(id: UploadId): Promise<void> {
    await this.#service.delete(markOf(id))
    const names: string[] = []
    for await (const { name } of this.#service.list(folderOf(id))) names.push(name)
    for (const name of names) await this.#service.delete(name)
  }
}

/** The state of an append. */
interface Kept {
  readonly pieces: readonly Piece[]
  /** First byte of the new content. */
  readonly atBytes: number
  /** Bytes before `atBytes` outside complete pieces. */
  readonly head: Buffer | undefined
  readonly read: (piece: Piece) => Promise<Buffer>
}

/**
 * Stores content in pieces. A short piece at the end of what is there is joined with what comes, when that is at least as
 * long: many short appends, as of a log, so become few pieces, and each byte is stored again only a few times.
 */
class PieceWriter {
  readonly #service: S3Service
  readonly #id: UploadId
  readonly #pieceBytes: number
  readonly #kept: Kept
  #waiting: Buffer[]
  #waitingBytes: number
  /** Position of the first buffered byte. */
  #start: number
  #pieces: number
  #isFirst = true

  constructor(service: S3Service, id: UploadId, pieceBytes: number, kept: Kept) {
    this.#service = service
    this.#id = id
    this.#pieceBytes = pieceBytes
    this.#kept = kept
    this.#waiting = kept.head === undefined ? [] : [kept.head]
    this.#waitingBytes = kept.head?.length ?? 0
    this.#start = kept.atBytes - this.#waitingBytes
    this.#pieces = kept.pieces.length
  }

  async add(bytes: Buffer): Promise<void> {
    let rest = bytes
    while (this.#waitingBytes + rest.length >= this.#pieceBytes) {
      const room = this.#pieceBytes - this.#waitingBytes
      this.#push(rest.subarray(0, room))
      rest = rest.subarray(room)
      await this.#store()
    }
    if (rest.length > 0) this.#push(rest)
  }

  async finish(): Promise<void> {
    if (this.#waitingBytes > 0) await this.#store()
  }

  #push(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
  }

  async #store(): Promise<void> {
    const joined = this.#isFirst ? await this.#join() : []
    this.#isFirst = false
    this.#pieces += 1 - joined.length
    if (this.#pieces > maxPieces) {
      throw new TooLarge('the upload has too many parts', 'too_many_parts', { maxParts: maxPieces })
    }
    await this.#service.putBytes(pieceName(this.#id, this.#start), Buffer.concat(this.#waiting, this.#waitingBytes))
    for (const { name, start } of joined) if (start !== this.#start) await this.#service.delete(name)
    this.#start += this.#waitingBytes
    this.#waiting = []
    this.#waitingBytes = 0
  }

  /** Prepends small trailing pieces to the waiting data. Returns the pieces that this supersedes. */
  async #join(): Promise<Piece[]> {
    const joined: Piece[] = []
    for (const piece of this.#kept.pieces.toReversed()) {
      const sizeBytes = piece.end - piece.start
      if (sizeBytes > this.#waitingBytes || sizeBytes + this.#waitingBytes > this.#pieceBytes) break
      this.#waiting.unshift(await this.#kept.read(piece))
      this.#waitingBytes += sizeBytes
      this.#start = piece.start
      joined.push(piece)
    }
    return joined
  }
}

const folderOf = (id: UploadId): string => `${uploadsFolder}/${id}/`
const markOf = (id: UploadId): string => `${folderOf(id)}begun`
const pieceName = (id: UploadId, start: number): string => `${folderOf(id)}${String(start).padStart(offsetDigits, '0')}`

const noUpload = (): NotFound => new NotFound('there is no such upload', 'upload_not_found')
