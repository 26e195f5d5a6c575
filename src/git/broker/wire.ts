/**
 * The protocol between the server and the git broker: many streams over one socket, each with a credit window in both
 * directions. A slow reader stops only its own stream, and memory is bounded by streams × window.
 *
 * A frame is `u32 payload length, u8 kind, u32 stream, payload`. Data payloads are forwarded as they arrive.
 */
import type { Duplex } from 'node:stream'
import { canReleaseChunk, releaseChunk, ownCopy } from '../../lib/fleeting.ts'

const kinds = { open: 1, data: 2, end: 3, credit: 4, message: 5, result: 6, failure: 7, cancel: 8 } as const
const headerBytes = 9
/** Bytes that one side may send before the other has consumed them; large enough for a fast local clone. */
const windowBytes = 1 << 20
const maxFrameBytes = 128 << 10
/** Largest JSON payload: a request with its arguments, or the updates of a push. */
const maxJsonBytes = 64 << 20

/** Why the broker could not run a request. */
export type Failure = {
  readonly reason: 'busy' | 'timeout' | 'spawn' | 'died' | 'cancelled' | 'limit' | 'defect'
  readonly message: string
}

/** The channel closed; each of its streams fails with this error. */
export class ChannelClosed extends Error {}

/** A failure that the other side reported. */
export class RemoteFailure extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'RemoteFailure'
    this.failure = failure
  }
}

export type StreamHandlers = {
  /** The handler calls `stream.consumed(bytes)` after it has forwarded the bytes. It owns the chunk. */
  data?: (chunk: Buffer) => void
  end?: () => void
  message?: (message: unknown) => void
  drain?: () => void
  cancel?: () => void
  /** The other side has finished the stream. */
  result?: (result: unknown) => void
  failure?: (error: Error) => void
}

/** One conversation on a channel. */
export class WireStream {
  readonly id: number
  handlers: StreamHandlers = {}
  closed = false
  #credit = windowBytes
  #consumed = 0
  readonly #queue: Array<{ kind: number; payload: Buffer; sent?: (() => void) | undefined }> = []
  #queuedBytes = 0
  readonly #channel: Channel

  constructor(channel: Channel, id: number) {
    this.#channel = channel
    this.id = id
  }

  /**
   * Sends bytes. Returns false when they are queued: wait for `drain`.
   * @param sent called when all bytes have left and the chunk is free
   */
  write(chunk: Buffer, sent?: () => void): boolean {
    if (this.closed) return true
    this.#queue.push({ kind: kinds.data, payload: chunk, sent })
    this.#queuedBytes += chunk.length
    this.#flush()
    return this.#queuedBytes === 0
  }

  end(): void {
    this.#enqueue(kinds.end, Buffer.alloc(0))
  }

  message(message: unknown): void {
    this.#enqueue(kinds.message, Buffer.from(JSON.stringify(message)))
  }

  /** Ends the stream with a result, after all written bytes. */
  finish(result: unknown): void {
    this.#enqueue(kinds.result, Buffer.from(JSON.stringify(result)))
  }

  fail(failure: Failure): void {
    if (this.closed) return
    this.#queue.length = 0
    this.#queuedBytes = 0
    this.#enqueue(kinds.failure, Buffer.from(JSON.stringify(failure)))
  }

  /** Tells the other side that the caller left. Its answer still ends the stream. */
  cancel(): void {
    if (!this.closed) this.#channel.send(kinds.cancel, this.id, Buffer.alloc(0))
  }

  /** Returns credit to the other side. */
  consumed(bytes: number): void {
    this.#consumed += bytes
    if (this.#consumed < windowBytes / 4 || this.closed) return
    const payload = Buffer.alloc(4)
    payload.writeUInt32BE(this.#consumed)
    this.#consumed = 0
    this.#channel.send(kinds.credit, this.id, payload)
  }

  #enqueue(kind: number, payload: Buffer): void {
    if (this.closed) return
    this.#queue.push({ kind, payload })
    this.#flush()
  }

  #flush(): void {
    while (this.#queue.length > 0 && !this.closed) {
      const next = this.#queue[0]!
      if (next.kind !== kinds.data) {
        this.#queue.shift()
        this.#channel.send(next.kind, this.id, next.payload)
        if (next.kind === kinds.result || next.kind === kinds.failure) this.#channel.forget(this)
        continue
      }
      const size = Math.min(next.payload.length, this.#credit, maxFrameBytes)
      if (size === 0 && next.payload.length > 0) return
      this.#credit -= size
      this.#queuedBytes -= size
      const isAll = size === next.payload.length
      this.#channel.send(kinds.data, this.id, next.payload.subarray(0, size), isAll ? next.sent : undefined)
      if (isAll) this.#queue.shift()
      else next.payload = next.payload.subarray(size)
    }
  }

  /** Called by the channel. */
  receive(kind: number, payload: Buffer): void {
    if (kind === kinds.data) {
      if (this.handlers.data === undefined) this.consumed(payload.length)
      else this.handlers.data(payload)
    } else if (kind === kinds.credit) {
      const wasQueued = this.#queuedBytes > 0
      this.#credit += payload.readUInt32BE(0)
      this.#flush()
      if (wasQueued && this.#queuedBytes === 0) this.handlers.drain?.()
    } else if (kind === kinds.end) this.handlers.end?.()
    else if (kind === kinds.message) this.handlers.message?.(JSON.parse(payload.toString()))
    else if (kind === kinds.cancel) this.handlers.cancel?.()
    else if (kind === kinds.result) {
      this.#channel.forget(this)
      this.handlers.result?.(JSON.parse(payload.toString()))
    } else if (kind === kinds.failure) {
      this.#channel.forget(this)
      this.handlers.failure?.(new RemoteFailure(JSON.parse(payload.toString()) as Failure))
    }
  }
}

/** A socket with its streams. Only one side opens streams. */
export class Channel {
  readonly #socket: Duplex
  readonly #streams = new Map<number, WireStream>()
  readonly #onOpen: ((stream: WireStream, request: unknown) => void) | undefined
  #nextId = 1
  #closed = false
  #corked = false
  readonly #header = Buffer.alloc(headerBytes)
  #headerFilled = 0
  #payloadLeft = 0
  #parts: Buffer[] = []

  constructor(
    socket: Duplex,
    events: {
      onOpen?: (stream: WireStream, request: unknown) => void
      onClose: (error: Error) => void
    },
  ) {
    this.#socket = socket
    this.#onOpen = events.onOpen
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#receive(chunk)
      } catch (error) {
        socket.destroy(Error.isError(error) ? error : new Error(String(error)))
      }
    })
    let failure: Error = new ChannelClosed('the channel was closed')
    socket.on('error', (error) => {
      failure = error
    })
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      this.#closed = true
      for (const stream of this.#streams.values()) {
        stream.closed = true
        stream.handlers.failure?.(new ChannelClosed(failure.message))
      }
      this.#streams.clear()
      events.onClose(failure)
    })
  }

  get streamCount(): number {
    return this.#streams.size
  }

  /** Opens a stream. On a closed channel the stream fails in the next tick. */
  open(request: unknown): WireStream {
    const stream = new WireStream(this, this.#nextId)
    this.#nextId = this.#nextId === 0xffffffff ? 1 : this.#nextId + 1
    if (this.#closed) {
      stream.closed = true
      process.nextTick(() => stream.handlers.failure?.(new ChannelClosed('the channel was closed')))
      return stream
    }
    this.#streams.set(stream.id, stream)
    this.send(kinds.open, stream.id, Buffer.from(JSON.stringify(request)))
    return stream
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Called by streams. */
  send(kind: number, id: number, payload: Buffer, sent?: () => void): void {
    if (this.#closed) return
    const header = Buffer.allocUnsafe(headerBytes)
    header.writeUInt32BE(payload.length, 0)
    header.writeUInt8(kind, 4)
    header.writeUInt32BE(id, 5)
    // One system call for everything sent in a turn of the event loop.
    if (!this.#corked) {
      this.#corked = true
      this.#socket.cork()
      process.nextTick(() => {
        this.#corked = false
        this.#socket.uncork()
      })
    }
    this.#socket.write(header)
    if (payload.length > 0) this.#socket.write(payload, sent && ((error) => (error ? undefined : sent())))
  }

  /** Called by streams. */
  forget(stream: WireStream): void {
    stream.closed = true
    this.#streams.delete(stream.id)
  }

  /**
   * A stream that receives part of a large chunk gets a copy; a stream that receives all of it gets the chunk itself.
   * Either may be freed by its receiver.
   */
  #receive(chunk: Buffer): void {
    const copies = canReleaseChunk(chunk)
    let isPassedOn = false
    let offset = 0
    while (offset < chunk.length || (this.#headerFilled === headerBytes && this.#payloadLeft === 0)) {
      if (this.#headerFilled < headerBytes) {
        const take = Math.min(headerBytes - this.#headerFilled, chunk.length - offset)
        chunk.copy(this.#header, this.#headerFilled, offset, offset + take)
        this.#headerFilled += take
        offset += take
        if (this.#headerFilled < headerBytes) break
        this.#payloadLeft = this.#header.readUInt32BE(0)
        if (this.#payloadLeft > maxJsonBytes) throw new Error('a frame is too long')
      }
      const kind = this.#header.readUInt8(4)
      const piece = chunk.subarray(offset, offset + this.#payloadLeft)
      offset += piece.length
      this.#payloadLeft -= piece.length
      if (kind === kinds.data) {
        const stream = piece.length > 0 ? this.#streams.get(this.#header.readUInt32BE(5)) : undefined
        if (stream !== undefined) {
          isPassedOn = piece.length === chunk.length
          stream.receive(kind, copies && !isPassedOn ? ownCopy(piece) : piece)
        }
        if (this.#payloadLeft > 0) break
        this.#headerFilled = 0
        continue
      }
      this.#parts.push(this.#payloadLeft > 0 && copies ? ownCopy(piece) : piece)
      if (this.#payloadLeft > 0) break
      const payload = this.#parts.length === 1 ? piece : Buffer.concat(this.#parts)
      this.#parts = []
      this.#headerFilled = 0
      this.#dispatch(kind, this.#header.readUInt32BE(5), payload)
    }
    if (!isPassedOn) releaseChunk(chunk)
  }

  #dispatch(kind: number, id: number, payload: Buffer): void {
    if (kind !== kinds.open) {
      // Frames of a stream that this side has ended are dropped.
      this.#streams.get(id)?.receive(kind, payload)
      return
    }
    const stream = new WireStream(this, id)
    this.#streams.set(id, stream)
    this.#onOpen?.(stream, JSON.parse(payload.toString()))
  }
}
