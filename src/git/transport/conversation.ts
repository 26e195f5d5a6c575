/**
 * What a client says over a connection that stays open (SSH), taken apart so that git is started for it when all of it is there,
 * as over HTTP. Who sends slowly, or nothing, holds a connection and no place.
 */
import { createHash } from 'node:crypto'
import { PassThrough, Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BadRequest } from '../../lib/errors.ts'
import { asFleeting, isFleeting, ownCopy } from '../../lib/fleeting.ts'
import { nextEvent, parsePackets } from './advertisement.ts'
import type { GitService } from '../git.ts'

/** When to wait no longer. */
export interface Patience {
  /** Longest time in which nothing comes, in milliseconds. */
  readonly idleMs: number
  readonly signal: AbortSignal
}

const done = { exitCode: 0, stderr: '' }

/**
 * A conversation of requests that each end with a flush packet and say all that their answer needs (protocol v2). It is
 * over when the client ends it, or sends a flush alone, or when an answer fails.
 */
export function conversation(
  input: Readable,
  greeting: Buffer,
  answer: (request: Buffer) => Promise<GitService>,
  patience: Patience,
): GitService {
  const output = fleetingOutput(greeting)
  const gone = new AbortController()
  output.once('close', () => gone.abort())
  const signal = AbortSignal.any([gone.signal, patience.signal])
  const talk = async (): GitService['finished'] => {
    for (;;) {
      const request = await readRequest(input, { ...patience, signal })
      if (request === undefined) return done
      const service = await answer(request)
      await passOn(service.output, output)
      const end = await service.finished
      if (end.exitCode !== 0) return end
    }
  }
  const finished = endOf(talk(), output)
  finished.catch(() => undefined)
  return { output, finished }
}

/** What is said to a client: whoever reads it may give each piece back, which nobody else has. */
function fleetingOutput(greeting: Buffer): PassThrough {
  const output = asFleeting(new PassThrough({ highWaterMark: 256 << 10 }))
  output.write(ownCopy(greeting))
  return output
}

/** Hands on what a service says, the piece itself where it is fleeting and a copy where it may be kept. */
const passOn = (said: Readable, output: PassThrough): Promise<void> =>
  isFleeting(said) ? pipeline(said, output, { end: false }) : pipeline(said, copies(), output, { end: false })

const copies = (): Transform =>
  new Transform({ transform: (piece: Buffer, _encoding, done) => done(null, ownCopy(piece)) })

/** The end of a service that writes to a stream, which ends with it. */
async function endOf(service: GitService['finished'], output: PassThrough): GitService['finished'] {
  try {
    const end = await service
    output.end()
    return end
  } catch (error) {
    output.destroy()
    throw error
  }
}

/** A service that is begun when its client has said enough; what it begins to say (up to a flush packet) was said already. */
export function begunLater(
  greeting: Buffer,
  begin: (gone: AbortSignal) => Promise<GitService | undefined>,
): GitService {
  const output = fleetingOutput(greeting)
  const gone = new AbortController()
  output.once('close', () => gone.abort())
  const talk = async (): GitService['finished'] => {
    const service = await begin(gone.signal)
    if (service === undefined) return done
    // A push that was agreed to goes on without its client: how it ends does not hang on who reads.
    const [end] = await Promise.all([service.finished, passOn(service.output, output).catch(leave)])
    return end
  }
  const leave = (error: unknown): void => {
    if (!output.destroyed) throw error
  }
  const finished = endOf(talk(), output)
  finished.catch(() => undefined)
  return { output, finished }
}

/** Drops what git says first, up to and with a flush packet: its list of references, which the client has. */
export function withoutGreeting(): Transform {
  let start: Gathered | undefined = new Gathered()
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      if (start === undefined) return callback(null, chunk)
      try {
        start.add(chunk)
        if (!start.passFlush()) return callback()
        const rest = Buffer.from(start.part(start.next, start.length))
        start = undefined
        callback(null, rest)
      } catch (error) {
        callback(error as Error)
      }
    },
  })
}

/** Bytes of a stream as they come, and where a reader of packets has got to. */
class Gathered {
  #bytes = Buffer.allocUnsafe(4096)
  length = 0
  /** Where the next packet begins. */
  next = 0

  add(chunk: Buffer): void {
    if (this.length + chunk.length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.length + chunk.length))
      this.#bytes.copy(larger, 0, 0, this.length)
      this.#bytes = larger
    }
    chunk.copy(this.#bytes, this.length)
    this.length += chunk.length
  }

  part(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end)
  }

  /** Goes over whole packets; true when it has gone over a flush packet. Throws `BadRequest` for what is none. */
  passFlush(): boolean {
    while (this.next + 4 <= this.length) {
      const digits = this.#bytes.toString('latin1', this.next, this.next + 4)
      const size = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
      if (size === -1 || size === 3) throw new BadRequest('this is not in the format of git')
      if (this.next + Math.max(4, size) > this.length) return false
      this.next += Math.max(4, size)
      if (size === 0) return true
    }
    return false
  }
}

/**
 * Reads from a stream until enough is there, and gives back to it what was too much.
 *
 * @param isEnough how many of the gathered bytes are taken; undefined: not yet
 * @returns the bytes; undefined when the stream ended before
 */
async function gather(
  input: Readable,
  isEnough: (gathered: Gathered) => number | undefined,
  { idleMs, signal }: Patience,
): Promise<Buffer | undefined> {
  const gathered = new Gathered()
  for (;;) {
    const chunk = input.read() as Buffer | null
    if (chunk !== null) {
      gathered.add(chunk)
      const taken = isEnough(gathered)
      if (taken === undefined) continue
      const rest = gathered.part(taken, gathered.length)
      if (rest.length > 0) input.unshift(Buffer.from(rest))
      return Buffer.from(gathered.part(0, taken))
    }
    if (input.errored) throw input.errored
    if (input.readableEnded || input.destroyed) return undefined
    const timer = setTimeout(() => input.destroy(new BadRequest('nothing came for too long')), idleMs)
    const leave = (): void => void input.destroy()
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      await nextEvent(input)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }
}

/** The next request, up to its flush packet; undefined when there is none any more. */
async function readRequest(input: Readable, patience: Patience): Promise<Buffer | undefined> {
  const request = await gather(input, (gathered) => (gathered.passFlush() ? gathered.next : undefined), patience)
  return request === undefined || request.length === 4 ? undefined : request
}

/** Waits for the first request of a conversation and leaves it in the stream. @returns whether there is one */
export async function awaitRequest(input: Readable, patience: Patience): Promise<boolean> {
  const request = await readRequest(input, patience)
  if (request === undefined) return false
  input.unshift(request)
  return true
}

const zero = /^(?:0{40}|0{64}) /

/**
 * Waits until a push is here whole, or its first bytes, and leaves them in the stream. A pack ends with the digest of
 * what comes before, which is how its end is known.
 *
 * @returns whether it is whole, and how it starts; undefined when the client wants nothing
 */
export async function awaitPush(
  input: Readable,
  enoughBytes: number,
  hash: 'sha1' | 'sha256',
  patience: Patience,
): Promise<{ readonly isWhole: boolean; readonly start: Buffer } | undefined> {
  let sections = 1
  let commandsEnd = 0
  let pack: { readonly end: PackEnd } | undefined
  let isWhole = false
  const start = await gather(
    input,
    (gathered) => {
      while (sections > 0) {
        const isOver = gathered.passFlush()
        if (!isOver) return gathered.length >= enoughBytes ? gathered.length : undefined
        sections -= 1
        if (commandsEnd > 0) continue
        commandsEnd = gathered.next
        const commands = parsePackets(gathered.part(0, commandsEnd))
        if (commandsEnd > 4 && commands[0]?.split('\0')[1]?.split(' ').includes('push-options')) sections += 1
        // Deletions alone come without a pack.
        if (commands.some((line) => line !== undefined && !zero.test(line.slice(line.indexOf(' ') + 1)))) {
          pack = { end: new PackEnd(hash) }
        }
      }
      isWhole = pack === undefined || pack.end.isAt(gathered)
      return isWhole || gathered.length >= enoughBytes ? gathered.length : undefined
    },
    patience,
  )
  if (start === undefined || start.length === 4) return undefined
  input.unshift(start)
  return { isWhole, start }
}

/** Follows a pack to its end. */
class PackEnd {
  readonly #hash
  readonly #digestBytes: number
  #hashed: number | undefined

  constructor(hash: 'sha1' | 'sha256') {
    this.#hash = createHash(hash)
    this.#digestBytes = hash === 'sha1' ? 20 : 32
  }

  /** Whether the gathered bytes end with a pack's digest. */
  isAt(gathered: Gathered): boolean {
    const from = (this.#hashed ??= gathered.next)
    const end = gathered.length - this.#digestBytes
    if (end <= from) return false
    this.#hash.update(gathered.part(from, end))
    this.#hashed = end
    return this.#hash.copy().digest().equals(gathered.part(end, gathered.length))
  }
}
