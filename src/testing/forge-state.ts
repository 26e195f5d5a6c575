import { isAbsolute, relative } from 'node:path'
import type { Config } from '../config/load-config.ts'
import type { Db } from '../db/database.ts'
import type { KeptRows, TestDatabase } from './test-database.ts'
import { KeptFolder } from './kept-folder.ts'

/** What a forge stored at one time. */
export interface KeptState {
  readonly rows: KeptRows | undefined
  readonly folder: KeptFolder
}

/** What a forge stores: rows and its data folder. Disposing deletes the rows and what was kept. */
export class ForgeState implements AsyncDisposable {
  readonly #folder: string
  #database: TestDatabase | undefined
  readonly #kept: KeptState[] = []

  /** @param database undefined when the folder contains it */
  constructor(folder: string, database: TestDatabase | undefined) {
    this.#folder = folder
    this.#database = database
  }

  /** The database, which is another one after each `keep()` and `restore()`. */
  get db(): Db | undefined {
    return this.#database?.db
  }

  /** Keeps the state. No application may use it meanwhile. */
  async keep(): Promise<KeptState> {
    const kept = { rows: await this.#database?.keep(), folder: new KeptFolder(this.#folder) }
    this.#kept.push(kept)
    await this.restore(kept)
    return kept
  }

  /** Brings a kept state back. No application may use this one meanwhile. */
  async restore({ rows, folder }: KeptState): Promise<void> {
    folder.restore()
    if (this.#database !== undefined) this.#database = await rows?.restore(this.#database)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database?.[Symbol.asyncDispose]()
    for (const { rows, folder } of this.#kept) {
      folder[Symbol.dispose]()
      await rows?.[Symbol.asyncDispose]()
    }
  }
}

/** Throws when a forge stores something outside its folder, which nothing can bring back. */
export function checkIsWithin(folder: string, { storage, paths, database }: Config): void {
  const isWithin = (path: string): boolean => {
    const from = relative(folder, path)
    return !from.startsWith('..') && !isAbsolute(from)
  }
  const locations = Object.values(storage).map((each) => (each.type === 'local' ? each.path : each.endpoint))
  const outside = [...locations, paths.repositories, ...(database.kind === 'sqlite3' ? [paths.database] : [])].find(
    (path) => !isAbsolute(path) || !isWithin(path),
  )
  if (outside !== undefined) throw new Error(`a forge with files outside its data folder has no snapshots: ${outside}`)
}
