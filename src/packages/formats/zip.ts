import { PassThrough, type Readable } from 'node:stream'
import { RandomAccessReader, fromRandomAccessReader, type Entry, type ZipFile } from 'yauzl'
import type { WantedFiles } from './archive-job.ts'
import { brokenArchive, reading, wholeOf, type StoredArchive } from './stored-archive.ts'

/** Largest number of entries in an archive. */
const maxEntries = 50_000
/** Largest total length of names in bytes. */
const maxNameBytes = 8 << 20

/** Number of bytes of the directory that are read at once, because yauzl asks for each entry separately. */
const blockBytes = 256 << 10

class ArchiveReader extends RandomAccessReader {
  readonly #archive: StoredArchive
  #block: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }

  constructor(archive: StoredArchive) {
    super()
    this.#archive = archive
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const copy = async (): Promise<Error | null> => {
      try {
        const bytes = await this.#bytesAt(position, length)
        bytes.copy(buffer, offset)
        return null
      } catch (error) {
        return error as Error
      }
    }
    // Entries in one block need no further read; setImmediate yields to the event loop between them.
    void copy().then((error) => setImmediate(callback, error))
  }

  async #bytesAt(position: number, length: number): Promise<Buffer> {
    const isIn = () =>
      position >= this.#block.start && position + length <= this.#block.start + this.#block.bytes.length
    if (!isIn()) {
      const end = Math.min(this.#archive.sizeBytes, position + Math.max(length, blockBytes))
      if (position + length > end) throw brokenArchive('ends too early')
      const content = await this.#archive.open({ start: position, end: end - 1 })
      this.#block = { start: position, bytes: await wholeOf(content, end - position) }
      if (!isIn()) throw brokenArchive('ends too early')
    }
    const from = position - this.#block.start
    return this.#block.bytes.subarray(from, from + length)
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const content = new PassThrough()
    this.#archive.open({ start, end: end - 1 }).then(
      (stream) => {
        stream.on('error', (error) => content.destroy(error))
        content.on('close', () => stream.destroy())
        stream.pipe(content)
      },
      (error: unknown) => content.destroy(error as Error),
    )
    return content
  }
}

export interface ZipContents {
  /** All names in the order of the archive; folders end in a slash. */
  readonly names: readonly string[]
  readonly files: ReadonlyMap<string, Buffer>
}

const depthOf = ({ fileName }: Entry): number => fileName.split('/').length

/**
 * Lists a zip archive and reads the wanted files up to their count, those in upper folders first. It reads only the
 * directory
 * and these files.
 * @throws BadRequest for a broken archive, too many files and a wanted file over its limit
 */
export function readZip(archive: StoredArchive, wanted?: WantedFiles): Promise<ZipContents> {
  return reading(async () => {
    const zip = await openZip(archive)
    const names: string[] = []
    const fitting = new Map<string, Entry>()
    let nameBytes = 0
    try {
      for await (const entry of zip.eachEntry()) {
        const { fileName } = entry
        nameBytes += fileName.length
        if (names.length >= maxEntries || nameBytes > maxNameBytes) throw brokenArchive('has too many files')
        names.push(fileName)
        if (wanted?.name.test(fileName) && !fitting.has(fileName)) fitting.set(fileName, entry)
      }
      const files = new Map<string, Buffer>()
      const first = [...fitting.values()].toSorted((one, other) => depthOf(one) - depthOf(other))
      for (const entry of first.slice(0, wanted?.count)) {
        files.set(entry.fileName, await wholeOf(await openEntry(zip, entry), wanted?.maxBytes ?? 0))
      }
      return { names, files }
    } finally {
      zip.close()
    }
  })
}

const openZip = (archive: StoredArchive): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, strictFileNames: true }
    fromRandomAccessReader(new ArchiveReader(archive), archive.sizeBytes, options, (error, zip) =>
      error ? reject(error) : resolve(zip),
    )
  })

const openEntry = (zip: ZipFile, entry: Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
  })
