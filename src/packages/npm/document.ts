import { PassThrough, type Readable } from 'node:stream'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { JsonSize } from '../../http/json-size.ts'
import { BadRequest, TooLarge } from '../../lib/errors.ts'

/** Largest depth of a document. */
const maxDepth = 200
/** Longest member name in bytes. */
const maxKeyBytes = 1024

const quote = 0x22
const backslash = 0x5c

interface Level {
  readonly isObject: boolean
  key: string
  wantsKey: boolean
}

/**
 * Reads the document of `npm publish`. It streams the archives, which are base64 text in the document, and parses the
 * rest as JSON;
 * a JSON parser would hold them in memory, so the scanner is ours. Throws `BadRequest` for an invalid document, and
 * `TooLarge`
 * when the rest exceeds its limit.
 * @param take receives the members of `_attachments` one at a time
 */
export async function readDocument(
  body: Readable,
  maxTextBytes: number,
  take: (name: string, content: Readable) => Promise<void>,
): Promise<unknown> {
  const reader = new DocumentReader(maxTextBytes, take)
  try {
    // When this stops early, the request body stays open, because the refusal uses the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      await reader.add(chunk as Buffer)
      // Chunks that have arrived follow in microtasks, which would block the event loop.
      await setImmediate()
    }
    return await reader.end()
  } finally {
    await reader.close()
  }
}

class DocumentReader {
  readonly #maxTextBytes: number
  readonly #take: (name: string, content: Readable) => Promise<void>
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  readonly #size = new JsonSize()
  readonly #levels: Level[] = []
  #inString = false
  #escaped = false
  #isKey = false
  #key: Buffer[] = []
  #keyBytes = 0
  /** The current archive, and the rest of its last group of four characters. */
  #archive: { readonly content: PassThrough; readonly done: Promise<unknown>; rest: string } | undefined

  constructor(maxTextBytes: number, take: (name: string, content: Readable) => Promise<void>) {
    this.#maxTextBytes = maxTextBytes
    this.#take = take
  }

  async add(chunk: Buffer): Promise<void> {
    let at = 0
    let keptFrom = 0
    while (at < chunk.length) {
      if (this.#archive) {
        const end = chunk.indexOf(quote, at)
        await this.#addToArchive(chunk.subarray(at, end < 0 ? chunk.length : end))
        if (end < 0) return
        await this.#endArchive()
        at = keptFrom = end
        this.#inString = true
      }
      const began = this.#inString ? this.#inText(chunk, at) : this.#between(chunk, at)
      at = began.at
      if (began.archive !== undefined) {
        this.#keep(chunk.subarray(keptFrom, at))
        this.#beginArchive(began.archive)
        keptFrom = at
      }
    }
    if (!this.#archive) this.#keep(chunk.subarray(keptFrom))
  }

  async end(): Promise<unknown> {
    if (this.#archive) throw noDocument()
    try {
      return JSON.parse(Buffer.concat(this.#kept).toString('utf8'))
    } catch {
      throw noDocument()
    }
  }

  /** Fails the current archive, so that its reader does not wait for the end. */
  async close(): Promise<void> {
    if (!this.#archive) return
    this.#archive.content.destroy(noDocument())
    await this.#archive.done.catch(() => undefined)
  }

  #keep(part: Buffer): void {
    this.#size.add(part)
    this.#keptBytes += part.length
    if (this.#keptBytes > this.#maxTextBytes) throw new TooLarge('the description of the package is too large')
    if (part.length > 0) this.#kept.push(Buffer.from(part))
  }

  /** Reads to the end of a string or chunk. */
  #inText(chunk: Buffer, from: number): { at: number; archive?: string } {
    let at = from
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (this.#escaped) this.#escaped = false
      else if (byte === backslash) this.#escaped = true
      else if (byte === quote) break
    }
    if (this.#isKey) {
      this.#keyBytes += at - from
      if (this.#keyBytes > maxKeyBytes) throw noDocument()
      this.#key.push(Buffer.from(chunk.subarray(from, at)))
    }
    if (at === chunk.length) return { at }
    this.#inString = false
    if (this.#isKey) this.#endKey()
    return { at: at + 1 }
  }

  #endKey(): void {
    const level = this.#levels.at(-1)
    if (level) {
      level.key = keyText(Buffer.concat(this.#key))
      level.wantsKey = false
    }
    this.#isKey = false
    this.#key = []
    this.#keyBytes = 0
  }

  /** Skips to the beginning of a string or the end of the chunk. */
  #between(chunk: Buffer, from: number): { at: number; archive?: string } {
    for (let at = from; at < chunk.length; at += 1) {
      switch (chunk[at] ?? 0) {
        case quote: {
          const level = this.#levels.at(-1)
          this.#isKey = level?.isObject === true && level.wantsKey
          const archive = this.#isKey ? undefined : this.#archiveHere()
          this.#inString = archive === undefined
          return archive === undefined ? { at: at + 1 } : { at: at + 1, archive }
        }
        case 0x7b:
        case 0x5b:
          if (this.#levels.length >= maxDepth) throw noDocument()
          this.#levels.push({ isObject: chunk[at] === 0x7b, key: '', wantsKey: true })
          break
        case 0x7d:
        case 0x5d:
          this.#levels.pop()
          break
        case 0x2c: {
          const level = this.#levels.at(-1)
          if (level) level.wantsKey = true
          break
        }
        default:
      }
    }
    return { at: chunk.length }
  }

  /** Returns the name of the archive whose content begins here. */
  #archiveHere(): string | undefined {
    const [top, archive, member, ...deeper] = this.#levels
    const isContent = top?.key === '_attachments' && member?.key === 'data' && member.isObject && deeper.length === 0
    return isContent ? archive?.key : undefined
  }

  #beginArchive(name: string): void {
    const content = new PassThrough()
    content.on('error', () => undefined)
    const done = this.#take(name, content)
    done.catch((error: unknown) => content.destroy(error as Error))
    this.#archive = { content, done, rest: '' }
  }

  async #addToArchive(part: Buffer): Promise<void> {
    const archive = this.#archive
    if (!archive || part.length === 0) return
    // JSON may escape slashes.
    const text = archive.rest + part.toString('latin1').replaceAll('\\', '')
    const whole = text.length - (text.length % 4)
    archive.rest = text.slice(whole)
    await this.#write(archive, Buffer.from(text.slice(0, whole), 'base64'))
  }

  async #write(archive: { content: PassThrough; done: Promise<unknown> }, bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return
    if (archive.content.destroyed) return void (await archive.done)
    if (!archive.content.write(bytes)) {
      await Promise.race([once(archive.content, 'drain'), archive.done])
    }
  }

  async #endArchive(): Promise<void> {
    const archive = this.#archive
    if (!archive) return
    if (archive.rest !== '') await this.#write(archive, Buffer.from(archive.rest, 'base64'))
    this.#archive = undefined
    archive.content.end()
    await archive.done
  }
}

const noDocument = () => new BadRequest('the body is not a package document', 'npm_document_invalid')

function keyText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    throw noDocument()
  }
}
