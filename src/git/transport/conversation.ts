/**
 * Splits a client's side of a long connection (SSH) into requests, so that git starts only when a request has arrived
 * whole, as over HTTP. A slow or silent client holds a connection but no git slot.
 */
import { createHash } from 'node:crypto'
import { PassThrough, Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BadRequest } from '../../lib/errors.ts'
import { asFleeting, isFleeting, ownCopy } from '../../lib/fleeting.ts'
import { parsePackets } from '../pkt-line.ts'
import { nextEvent } from './advertisement.ts'
import type { GitService } from '../git-service.ts'

/** Limits of waiting. */
export interface WaitLimits {
  /** Longest silence, in milliseconds. */
  readonly idleMs: number
  readonly signal: AbortSignal
}

const done = { exitCode: 0, stderr: '' }

/**
 * A conversation of protocol v2: each request ends with a flush packet and is answered by itself. The conversation ends
 * when the client closes it, sends only a flush packet, or an answer fails.
 */
export function conversation(
  input: Readable,
  greeting: Buffer,
  answer: (request: Buffer) => Promise<GitService>,
  patience: WaitLimits,
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
      await forward(service.output, output)
      const end = await service.finished
      if (end.exitCode !== 0) return end
    }
  }
  const finished = endOf(talk(), output)
  finished.catch(() => undefined)
  return { output, finished }
}

/** An output stream whose reader owns each piece and may free it (lib/fleeting.ts). */
function fleetingOutput(greeting: Buffer): PassThrough {
  const output = asFleeting(new PassThrough({ highWaterMark: 256 << 10 }))
  output.write(ownCopy(greeting))
  return output
}

/** Forwards the output of a service: fleeting pieces themselves, copies of others. */
const forward = (source: Readable, output: PassThrough): Promise<void> =>
  isFleeting(source) ? pipeline(source, output, { end: false }) : pipeline(source, copies(), output, { end: false })

const copies = (): Transform =>
  new Transform({ transform: (piece: Buffer, _encoding, done) => done(null, ownCopy(piece)) })

/** Ends the output stream when the service ends. */
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

/** A service that starts when its client has sent enough. The greeting replaces what git would say first. */
export function startOnRequest(
  greeting: Buffer,
  begin: (gone: AbortSignal) => Promise<GitService | undefined>,
): GitService {
  const output = fleetingOutput(greeting)
  const gone = new AbortController()
  output.once('close', () => gone.abort())
  const talk = async (): GitService['finished'] => {
    const service = await begin(gone.signal)
    if (service === undefined) return done
    // An accepted push continues without its client, so its end does not depend on a reader.
    const [end] = await Promise.all([service.finished, forward(service.output, output).catch(leave)])
    return end
  }
  const leave = (error: unknown): void => {
    if (!output.destroyed) throw error
  }
  const finished = endOf(talk(), output)
  finished.catch(() => undefined)
  return { output, finished }
}

/** Drops git's greeting up to its flush packet: the client has it already. */
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

/** Gathered bytes of a stream, and the position of a packet parser. */
class Gathered {
  #bytes = Buffer.allocUnsafe(4096)
  length = 0
  /** Position of the next packet. */
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

  /** Skips whole packets; returns true after a flush packet. Throws `BadRequest` for malformed packets. */
  passFlush(): boolean {
    while (this.next + 4 <= this.length) {
      const digits = this.#bytes.toString('latin1', this.next, this.next + 4)
      const size = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
      if (size === -1 || size === 3) throw new BadRequest('the request is not in the format of git')
      if (this.next + Math.max(4, size) > this.length) return false
      this.next += Math.max(4, size)
      if (size === 0) return true
    }
    return false
  }
}

/**
 * Reads until `isEnough` accepts, and returns surplus bytes to the stream.
 * @param isEnough the number of gathered bytes to take; undefined asks for more
 * @returns undefined when the stream ends before
 */
async function gather(
  input: Readable,
  isEnough: (gathered: Gathered) => number | undefined,
  { idleMs, signal }: WaitLimits,
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
    const timer = setTimeout(
      () => input.destroy(new BadRequest(`the client sent nothing for ${idleMs / 1000} seconds`)),
      idleMs,
    )
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

/** The next request, including its flush packet; undefined at the end of the conversation. */
async function readRequest(input: Readable, patience: WaitLimits): Promise<Buffer | undefined> {
  const request = await gather(input, (gathered) => (gathered.passFlush() ? gathered.next : undefined), patience)
  return request === undefined || request.length === 4 ? undefined : request
}

/**
 * Waits for the first request and leaves it in the stream.
 * @returns whether a request came
 */
export async function awaitRequest(input: Readable, patience: WaitLimits): Promise<boolean> {
  const request = await readRequest(input, patience)
  if (request === undefined) return false
  input.unshift(request)
  return true
}

const zero = /^(?:0{40}|0{64}) /

/**
 * Waits until a whole push or its first `enoughBytes` have arrived, and leaves them in the stream. A pack ends with the
 * digest of its bytes, which marks its end.
 * @returns undefined when the client sends no command
 */
export async function awaitPush(
  input: Readable,
  enoughBytes: number,
  hash: 'sha1' | 'sha256',
  patience: WaitLimits,
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
        // A push that only deletes has no pack.
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

/** Finds the end of a pack. */
class PackEnd {
  readonly #hash
  readonly #digestBytes: number
  #hashed: number | undefined

  constructor(hash: 'sha1' | 'sha256') {
    this.#hash = createHash(hash)
    this.#digestBytes = hash === 'sha1' ? 20 : 32
  }

  /** Whether the gathered bytes end with the digest of the pack. */
  isAt(gathered: Gathered): boolean {
    const from = (this.#hashed ??= gathered.next)
    const end = gathered.length - this.#digestBytes
    if (end <= from) return false
    this.#hash.update(gathered.part(from, end))
    this.#hashed = end
    return this.#hash.copy().digest().equals(gathered.part(end, gathered.length))
  }
}
