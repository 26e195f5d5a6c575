import { createHash, hash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { crc32, gunzip, gzip } from 'node:zlib'
import type { DumpedRow, DumpedTable } from '../../db/dump.ts'
import { Invalid } from '../../lib/errors.ts'
import { flushFolder } from '../../lib/flush-folder.ts'
import { withFullDisk } from '../../lib/full-disk.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import { mapAhead } from '../../lib/map-ahead.ts'

/**
 * The folder of a backup. All files but the manifest are named by the SHA-256 of their content and never change, so that
 * tools that keep generations of the folder store each of them once:
 *
 *     ingot-backup.json     the manifest, written last
 *     rows/ab/ab….gz        rows as lines of JSON; the name is that of the unpacked text
 *     files/ab/ab…          stored files, packs and indexes of packs
 */

const manifestName = 'ingot-backup.json'

/** Names that may be in the folder before its first backup. `lockFolder` makes the last two. */
const ownNames: ReadonlySet<string> = new Set([manifestName, 'rows', 'files', 'tmp', 'ingot.lock', 'ingot.pid'])

/** Version of the folder and its manifest. */
const format = 1

/** A list of rows in files, which have the names of their texts. */
export type Chunks = readonly string[]

export interface BackedUpTable extends DumpedTable {
  readonly rowCount: number
  readonly chunks: Chunks
}

export interface Manifest {
  readonly format: number
  readonly program: string
  readonly madeAt: string
  /** The id of the instance. */
  readonly instance: string
  /** The instance key, which the backup does not contain, and where the instance had it. */
  readonly key: { readonly id: string; readonly from: string }
  readonly migrations: readonly { readonly number: number; readonly name: string }[]
  readonly tables: readonly BackedUpTable[]
  readonly counters: Readonly<Record<string, number>>
  /** Rows of `StoredFile`. */
  readonly files: Chunks
  /** Rows of `StoredRepository`. */
  readonly repositories: Chunks
  /** What rows name and the instance lacked. */
  readonly missing: readonly string[]
}

/** The folder is no backup that this program can use; the message says why. */
export class UnusableBackup extends Invalid {
  constructor(message: string) {
    super(message, 'backup_unusable')
  }
}

/** Files written or read side by side. */
const atOnce = 4
/** Average number of rows of a file. The key of a row decides whether a file ends after it, so a change moves no other end. */
const rowsPerChunk = 2048
const maxChunkChars = 4 << 20

const pack = promisify(gzip)
const unpack = promisify(gunzip)

export const sha256Of = (text: string): string => hash('sha256', text)

export class BackupFolder {
  readonly path: string
  /** That of the last whole backup. */
  readonly manifest: Manifest | undefined
  readonly #present: Set<string>
  readonly #changedFolders = new Set<string>()
  /** Bytes and number of written files. */
  readonly written = { files: 0, bytes: 0 }

  private constructor(path: string, manifest: Manifest | undefined, present: Set<string>) {
    this.path = path
    this.manifest = manifest
    this.#present = present
  }

  /** Opens a folder to write a backup, and creates it. Throws UnusableBackup when it has anything but a backup. */
  static async openToWrite(given: string): Promise<BackupFolder> {
    const path = resolve(given)
    makeFolder(path, 0o700)
    const names = await readdir(path)
    const foreign = names.find((name) => !ownNames.has(name))
    if (foreign !== undefined && !names.includes(manifestName)) {
      throw new UnusableBackup(`${path} contains other files (${foreign}); name an empty folder, or that of a backup`)
    }
    const manifest = names.includes(manifestName) ? await readManifest(path) : undefined
    await rm(join(path, 'tmp'), { recursive: true, force: true })
    makeFolder(join(path, 'tmp'), 0o700)
    return new BackupFolder(path, manifest, await listPresent(path))
  }

  /** Opens a whole backup. Throws UnusableBackup. */
  static async openToRead(given: string): Promise<BackupFolder & { readonly manifest: Manifest }> {
    const path = resolve(given)
    if (!existsSync(join(path, manifestName))) {
      const isHalf = existsSync(join(path, 'rows'))
      throw new UnusableBackup(
        isHalf
          ? `${path} is a backup that has not been finished: it has no ${manifestName}; run \`ingot backup\` again`
          : `${path} is no backup: it has no ${manifestName}`,
      )
    }
    const folder = new BackupFolder(path, await readManifest(path), await listPresent(path))
    return folder as BackupFolder & { readonly manifest: Manifest }
  }

  /** Whether a content is there. */
  has(sha256: string): boolean {
    return this.#present.has(`files/${sha256}`)
  }

  pathOf(sha256: string): string {
    return join(this.path, 'files', sha256.slice(0, 2), sha256)
  }

  /** Stores a content. */
  async putFile(content: Readable): Promise<{ readonly sha256: string; readonly sizeBytes: number }> {
    const temporary = join(this.path, 'tmp', randomBytes(12).toString('hex'))
    try {
      const digest = createHash('sha256')
      let sizeBytes = 0
      const file = await open(temporary, 'wx', 0o600)
      try {
        for await (const chunk of content as AsyncIterable<Buffer>) {
          digest.update(chunk)
          sizeBytes += chunk.length
          await file.writeFile(chunk)
        }
        await file.sync()
      } finally {
        await file.close()
      }
      const sha256 = digest.digest('hex')
      await this.#place(temporary, this.pathOf(sha256), `files/${sha256}`, sizeBytes)
      return { sha256, sizeBytes }
    } catch (error) {
      content.destroy()
      await rm(temporary, { force: true })
      throw withFullDisk(error)
    }
  }

  /** Stores rows and returns their files. The end of a file depends on the key of a row. */
  async putRows(
    rows: AsyncIterable<readonly unknown[]>,
    keyOf: (row: readonly unknown[]) => unknown,
  ): Promise<{ readonly chunks: Chunks; readonly rowCount: number }> {
    const chunks: string[] = []
    let rowCount = 0
    for await (const chunk of mapAhead(inChunks(rows, keyOf), atOnce, async ({ text, count }) => {
      const name = sha256Of(text)
      if (!this.#present.has(`rows/${name}`)) await this.#putChunk(name, text)
      return { name, count }
    })) {
      chunks.push(chunk.name)
      rowCount += chunk.count
    }
    return { chunks, rowCount }
  }

  /** Yields the rows of files. Throws UnusableBackup for a missing or damaged file. */
  async *rows(chunks: Chunks): AsyncGenerator<DumpedRow> {
    for await (const text of this.texts(chunks)) {
      for (const line of text.split('\n')) yield JSON.parse(line) as DumpedRow
    }
  }

  /** Yields the texts of files, which have a row in each line. Throws UnusableBackup. */
  async *texts(chunks: Chunks): AsyncGenerator<string> {
    yield* mapAhead(chunks, atOnce, async (name) => {
      const path = this.#pathOfRows(name)
      const problem = (what: string) => new UnusableBackup(`the backup is damaged: ${path} ${what}`)
      const text = await readFile(path)
        .then(unpack)
        .then(String, (error: NodeJS.ErrnoException) => {
          throw error.code === 'ENOENT' ? problem('is missing') : problem(`is not readable: ${error.message}`)
        })
      if (sha256Of(text) !== name) throw problem('has another content')
      return text
    })
  }

  /** Writes the manifest, which makes the backup whole, and removes what it does not name. */
  async finish(manifest: Omit<Manifest, 'format'>, files: ReadonlySet<string>): Promise<void> {
    for (const folder of this.#changedFolders) await flushFolder(folder)
    for (const folder of ['rows', 'files', '.']) await flushFolder(join(this.path, folder))
    const backup: Manifest = { format, ...manifest }
    const text = JSON.stringify(backup)
    const temporary = join(this.path, 'tmp', manifestName)
    try {
      await writeFile(temporary, `${JSON.stringify({ sha256: sha256Of(text), backup }, undefined, 1)}\n`, {
        mode: 0o600,
        flush: true,
      })
      await rename(temporary, join(this.path, manifestName))
    } catch (error) {
      throw withFullDisk(error)
    }
    await flushFolder(this.path)
    const rows = new Set([...backup.tables.flatMap(({ chunks }) => chunks), ...backup.files, ...backup.repositories])
    for (const name of this.#present) {
      const isFile = name.startsWith('files/')
      const sum = name.slice(name.indexOf('/') + 1)
      if ((isFile ? files : rows).has(sum)) continue
      await rm(isFile ? this.pathOf(sum) : this.#pathOfRows(sum), { force: true })
    }
    await rm(join(this.path, 'tmp'), { recursive: true, force: true })
  }

  #pathOfRows(name: string): string {
    return join(this.path, 'rows', name.slice(0, 2), `${name}.gz`)
  }

  async #putChunk(name: string, text: string): Promise<void> {
    const temporary = join(this.path, 'tmp', randomBytes(12).toString('hex'))
    try {
      const packed = await pack(text)
      await writeFile(temporary, packed, { mode: 0o600, flush: true })
      await this.#place(temporary, this.#pathOfRows(name), `rows/${name}`, packed.length)
    } catch (error) {
      await rm(temporary, { force: true })
      throw withFullDisk(error)
    }
  }

  async #place(temporary: string, path: string, name: string, sizeBytes: number): Promise<void> {
    makeFolder(dirname(path), 0o700)
    await rename(temporary, path)
    this.#changedFolders.add(dirname(path))
    if (this.#present.has(name)) return
    this.#present.add(name)
    this.written.files += 1
    this.written.bytes += sizeBytes
  }
}

async function* inChunks(
  rows: AsyncIterable<readonly unknown[]>,
  keyOf: (row: readonly unknown[]) => unknown,
): AsyncGenerator<{ readonly text: string; readonly count: number }> {
  let lines: string[] = []
  let chars = 0
  for await (const row of rows) {
    const line = JSON.stringify(row)
    lines.push(line)
    chars += line.length
    if (chars < maxChunkChars && crc32(JSON.stringify(keyOf(row))) % rowsPerChunk !== 0) continue
    yield { text: lines.join('\n'), count: lines.length }
    lines = []
    chars = 0
  }
  if (lines.length > 0) yield { text: lines.join('\n'), count: lines.length }
}

/** Names of the files of a backup: `rows/<sum>` and `files/<sum>`. */
async function listPresent(path: string): Promise<Set<string>> {
  const present = new Set<string>()
  for (const kind of ['rows', 'files']) {
    for (const part of await namesIn(join(path, kind))) {
      for (const name of await namesIn(join(path, kind, part))) present.add(`${kind}/${name.replace(/\.gz$/, '')}`)
    }
  }
  return present
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function readManifest(path: string): Promise<Manifest> {
  const file = join(path, manifestName)
  const text = await readFile(file, 'utf8')
  let backup: Manifest
  try {
    const read = JSON.parse(text) as { readonly sha256: string; readonly backup: Manifest }
    backup = read.backup
    if (backup.format > format) throw newer(path, `its format is ${backup.format}`)
    if (read.sha256 !== sha256Of(JSON.stringify(backup))) throw new Error('its checksum is another one')
  } catch (error) {
    if (error instanceof UnusableBackup) throw error
    throw new UnusableBackup(`${file} is damaged: ${(error as Error).message}`)
  }
  return backup
}

/** The refusal of a backup that a newer program made. */
export const newer = (path: string, reason: string): UnusableBackup =>
  new UnusableBackup(`the backup ${path} was made by a newer version: ${reason}; use that version`)
