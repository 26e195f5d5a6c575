import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOid } from '../../lib/refs.ts'
import type { Oid } from '../../lib/ids.ts'
import type { GitContext, Location } from '../context.ts'
import { entriesOf, statOf } from '../files/walk.ts'

/** The folder in a repository; git ignores it. */
const folderName = 'ingot-last-commits'
/** Limits per repository. The oldest files are removed first. */
const maxFiles = 128
const maxTotalBytes = 4 << 20

/**
 * The answers of `lastCommitsOfPaths` that took a walk through the history, in one file per folder and commit, so that a
 * restarted server and other processes need not walk again. Answers about a commit never change, so a file is only
 * removed to make room.
 */
export class KeptAnswers {
  readonly #context: Pick<GitContext, 'log'>
  readonly #directory: string
  readonly #prefix: string
  /** A quarantine or a pair of repositories keeps nothing. */
  readonly #isKept: boolean
  /** Names of the folder's files, read once. */
  #names: Promise<ReadonlySet<string>> | undefined

  constructor(context: Pick<GitContext, 'log'>, location: Location, path: string) {
    this.#context = context
    this.#directory = join(location.directory, folderName)
    this.#prefix = createHash('sha256').update(path).digest('hex').slice(0, 32)
    this.#isKept = location.environment === undefined
  }

  /** Returns the kept answers at a commit; undefined when there are none. */
  async read(commit: Oid): Promise<ReadonlyMap<string, Oid> | undefined> {
    if (!this.#isKept) return undefined
    this.#names ??= entriesOf(this.#directory).then((entries) => new Set(entries.map(({ name }) => name)))
    const name = this.#nameOf(commit)
    if (!(await this.#names).has(name)) return undefined
    const file = join(this.#directory, name)
    try {
      const read: unknown = JSON.parse(await readFile(file, 'utf8'))
      if (Array.isArray(read) && read.every(isAnswer)) return new Map(read)
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isGone && (error as Error).name !== 'SyntaxError') throw error
    }
    // A crash may truncate a file that was not synced. The history still has the answers.
    await rm(file, { force: true })
    return undefined
  }

  /** Keeps answers. A failure is logged, because the answers can be found again. */
  async write(commit: Oid, answers: ReadonlyMap<string, Oid>): Promise<void> {
    if (!this.#isKept) return
    const text = JSON.stringify([...answers])
    if (text.length > maxTotalBytes / 4) return
    const file = join(this.#directory, this.#nameOf(commit))
    const temporary = `${file}.${process.pid}.tmp`
    try {
      await mkdir(this.#directory, { recursive: true })
      await this.#makeRoom(text.length)
      await writeFile(temporary, text)
      await rename(temporary, file)
    } catch (error) {
      this.#context.log('warn', 'last commits of a folder were not kept', { file, error: String(error) })
    }
  }

  #nameOf(commit: Oid): string {
    return `${this.#prefix}-${commit}`
  }

  async #makeRoom(bytes: number): Promise<void> {
    const files = await Promise.all(
      (await entriesOf(this.#directory)).map(async ({ name }) => {
        const path = join(this.#directory, name)
        const found = await statOf(path)
        return { path, bytes: found?.size ?? 0, changedMs: found?.mtimeMs ?? 0 }
      }),
    )
    files.sort((a, b) => b.changedMs - a.changedMs)
    let total = bytes
    for (const [index, file] of files.entries()) {
      total += file.bytes
      if (index + 1 >= maxFiles || total > maxTotalBytes) await rm(file.path, { force: true })
    }
  }
}

const isAnswer = (entry: unknown): entry is [string, Oid] =>
  Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string' && isOid(entry[1])
