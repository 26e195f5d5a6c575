import { PassThrough, type Readable } from 'node:stream'
import { RandomAccessReader, fromRandomAccessReader, type Entry, type ZipFile } from 'yauzl'
import { brokenArchive, reading, wholeOf, type StoredArchive } from './stored-archive.ts'

/** Most files of an archive that are looked at. */
const maxEntries = 50_000
/** Most bytes that names may take together. */
const maxNameBytes = 8 << 20

class ArchiveReader extends RandomAccessReader {
  readonly #archive: StoredArchive

  constructor(archive: StoredArchive) {
    super()
    this.#archive = archive
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

/** What was found in a zip archive. */
export interface ZipContents {
  /** Names of all files, in the order of the archive; folders end in a slash. */
  readonly names: readonly string[]
  /** Contents of those that were wanted. */
  readonly files: ReadonlyMap<string, Buffer>
}

/**
 * Lists a zip archive and takes some files out of it. Only its directory and these files are read. Throws `BadRequest` for
 * what is none, has too many files, or a wanted one of more than its size.
 * @param wanted the largest size of a file that is wanted, in bytes; undefined for others
 */
export function readZip(archive: StoredArchive, wanted: (name: string) => number | undefined): Promise<ZipContents> {
  return reading(async () => {
    const zip = await openZip(archive)
    const names: string[] = []
    const files = new Map<string, Buffer>()
    let nameBytes = 0
    try {
      for await (const entry of zip.eachEntry()) {
        const { fileName } = entry
        nameBytes += fileName.length
        if (names.length >= maxEntries || nameBytes > maxNameBytes) throw brokenArchive('has too many files')
        names.push(fileName)
        const maxBytes = wanted(fileName)
        if (maxBytes === undefined || files.has(fileName)) continue
        files.set(fileName, await wholeOf(await openEntry(zip, entry), maxBytes))
      }
    } finally {
      zip.close()
    }
    return { names, files }
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
