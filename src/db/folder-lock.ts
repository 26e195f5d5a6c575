import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SqliteConnection from 'better-sqlite3'
import { makeFolder } from '../lib/make-folder.ts'

/** Another process has the data folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

export interface FolderLock {
  release(): void
}

/**
 * Makes this process the only one that serves a data folder. The lock is one of the operating system on `ingot.lock`
 * (taken by SQLite), so that it ends with the process however that ends; `ingot.pid` tells who has it.
 * @throws FolderInUse
 */
export function lockFolder(folder: string): FolderLock {
  makeFolder(folder, 0o700)
  const pidFile = join(folder, 'ingot.pid')
  const connection = new SqliteConnection(join(folder, 'ingot.lock'), { timeout: 0 })
  try {
    connection.pragma('journal_mode = MEMORY')
    connection.exec('begin exclusive')
  } catch (error) {
    connection.close()
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error
    throw new FolderInUse(`the data folder ${folder} is in use by ${holderOf(pidFile)}`)
  }
  try {
    writeFileSync(pidFile, `${process.pid}\n`)
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    release() {
      rmSync(pidFile, { force: true })
      connection.close()
    },
  }
}

function holderOf(pidFile: string): string {
  try {
    return `process ${readFileSync(pidFile, 'utf8').trim()}`
  } catch (error) {
    // It is about to write the file, or wrote it on another machine.
    if ((error as { code?: unknown }).code === 'ENOENT') return 'another process'
    throw error
  }
}
