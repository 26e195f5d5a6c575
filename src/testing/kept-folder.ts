import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, type BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'

/** What tells a changed file from the same one: writing in place changes its times, and replacing it its number. */
const identityOf = (stats: BigIntStats): string =>
  stats.isDirectory() ? 'folder' : [stats.mode, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')

/** Identities by path within the folder; a folder comes before its content. */
function identitiesIn(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(paths.map((path) => [path, identityOf(lstatSync(join(folder, path), { bigint: true }))]))
}

/** The content of a folder at one time. Disposing deletes it. */
export class KeptFolder implements Disposable {
  readonly #folder: string
  readonly #copy: string
  readonly #identities: Map<string, string>

  /** Nothing may write into the folder meanwhile. */
  constructor(folder: string) {
    this.#folder = folder
    this.#copy = mkdtempSync(join(dirname(folder), 'ingot-kept-'))
    cpSync(folder, this.#copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    this.#identities = identitiesIn(folder)
  }

  /** Brings the content back. Only what changed since the last time is written. */
  restore(): void {
    const found = identitiesIn(this.#folder)
    const isAsKept = (path: string): boolean => found.get(path) === this.#identities.get(path)
    for (const path of found.keys()) {
      if (!isAsKept(path)) rmSync(join(this.#folder, path), { recursive: true, force: true })
    }
    for (const [path, identity] of this.#identities) {
      if (isAsKept(path)) continue
      const source = join(this.#copy, path)
      const target = join(this.#folder, path)
      if (identity === 'folder') mkdirSync(target, { mode: lstatSync(source).mode })
      else cpSync(source, target, { preserveTimestamps: true, verbatimSymlinks: true })
      this.#identities.set(path, identityOf(lstatSync(target, { bigint: true })))
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#copy, { recursive: true, force: true, maxRetries: 3 })
  }
}
