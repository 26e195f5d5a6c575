import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FileColumn } from '../../access/feature.ts'
import { dump, type Dump } from '../../db/dump.ts'
import { closeDatabase, openDatabase } from '../../db/open.ts'
import { startGit } from '../../git/start-git.ts'
import type { Git } from '../../git/git.ts'
import { inParts } from '../../lib/in-parts.ts'
import { sha256OfStream } from '../../lib/sha256-of-stream.ts'
import { mapAhead } from '../../lib/map-ahead.ts'
import { zeroOid } from '../../lib/refs.ts'
import type { BackedUpTable } from './backup-folder.ts'
import { namedFiles, type StoredFile } from './backed-up-rows.ts'
import {
  checkKnown,
  loadRows,
  makeRepository,
  storedRepositories,
  type StoredAndRows,
  type WholeBackup,
} from './restore.service.ts'

/** Files read side by side. */
const atOnce = 4
/** References written together. */
const refsAtOnce = 5000

export interface Verified {
  readonly rowCount: number
  readonly fileCount: number
  readonly repositoryCount: number
}

/**
 * Restores a backup aside and compares: each row with that of a new SQLite database, each file with its checksum, and each
 * repository, made anew, with its references and all objects that they need. It changes nothing and needs room for the rows
 * and the largest repository.
 * @param folder where temporary files go
 * @param report is called with each problem
 */
export async function verifyBackup(
  backup: WholeBackup,
  columns: readonly FileColumn[],
  folder: string,
  report: (problem: string) => void,
): Promise<Verified> {
  checkKnown(backup)
  const aside = mkdtempSync(join(folder, 'ingot-verify-'))
  try {
    for (const what of backup.manifest.missing) report(`the instance lacked it: ${what}`)
    const rowCount = await verifyRows(backup, join(aside, 'rows.db'), report)
    const fileCount = await verifyFiles(backup, columns, report)
    await using git = await startGit({ repositoriesRoot: join(aside, 'repositories'), durable: false })
    let repositoryCount = 0
    for await (const problems of mapAhead(storedRepositories(backup), 2, (each) =>
      verifyRepository(git, backup, each),
    )) {
      repositoryCount += 1
      for (const problem of problems) report(problem)
    }
    return { rowCount, fileCount, repositoryCount }
  } finally {
    rmSync(aside, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function verifyRows(backup: WholeBackup, path: string, report: (problem: string) => void): Promise<number> {
  const { tables, counters } = backup.manifest
  const chunksOf = (name: string) => (tables.find((table) => table.name === name) as BackedUpTable).chunks
  const db = openDatabase({
    ...{ kind: 'sqlite', path, maxReaders: 1, writerWaitMs: 30_000, busyTimeoutMs: 5000, volatile: true },
  })
  try {
    await loadRows(db, backup, {
      tables,
      async *rows({ name }) {
        for await (const text of backup.texts(chunksOf(name))) yield text.replaceAll('\n', ',')
      },
    })
    return await dump(db, async (restored) => {
      let count = 0
      for (const table of tables) {
        const { rowCount, problems } = await compareTable(backup, table, restored)
        count += rowCount
        for (const problem of problems) report(`table ${table.name}: ${problem}`)
      }
      for (const [name, last] of Object.entries(counters)) {
        if (name === 'event_position' || restored.counters[name] === last) continue
        report(`table ${name}: ids are counted from ${restored.counters[name]} instead of ${last}`)
      }
      return count
    })
  } finally {
    await closeDatabase(db)
  }
}

/** Compares the rows of a table with those of a restored database. */
async function compareTable(
  backup: WholeBackup,
  table: BackedUpTable,
  restored: Dump,
): Promise<{ readonly rowCount: number; readonly problems: readonly string[] }> {
  const own = restored.tables.find(({ name }) => name === table.name)?.columns ?? table.columns
  // PostgreSQL has the positions of events besides, and this version may have columns that the backup does not know.
  const columns = table.columns.filter(({ name }) => own.some((each) => each.name === name))
  const indexes = columns.map((column) => table.columns.indexOf(column))
  const rows = restored.rows({ ...table, columns })[Symbol.asyncIterator]()
  let differing = 0
  let rowCount = 0
  for await (const row of backup.rows(table.chunks)) {
    rowCount += 1
    const { done, value } = await rows.next()
    const expected = JSON.stringify(indexes.map((index) => row[index]))
    if (done === true || JSON.stringify(value) !== expected) differing += 1
  }
  const problems: string[] = []
  if (differing > 0) problems.push(`${differing} rows are not as they were after a restore`)
  if ((await rows.next()).done !== true) problems.push('a restore makes more rows')
  if (rowCount !== table.rowCount) problems.push(`${rowCount} rows instead of ${table.rowCount}`)
  return { rowCount, problems }
}

async function verifyFiles(
  backup: WholeBackup,
  columns: readonly FileColumn[],
  report: (problem: string) => void,
): Promise<number> {
  const { tables, files } = backup.manifest
  const stored = new Map<string, string | null>()
  for await (const row of backup.rows(files)) {
    const [store, key, sha256] = row as unknown as StoredFile
    stored.set(`${store} ${key}`, sha256)
  }
  const tableOf = (name: string) => tables.find((table) => table.name === name)
  for await (const [store, key] of namedFiles(backup, tableOf, columns)) {
    if (!stored.has(`${store} ${key}`)) report(`rows name the file ${key} of ${store}, which the backup does not have`)
  }
  const sums = new Set([...stored.values()].filter((sum) => sum !== null))
  for await (const problem of mapAhead(sums, atOnce, (sum) => problemOf(backup, sum))) {
    if (problem !== undefined) report(problem)
  }
  return stored.size
}

/** Compares a content with its checksum. */
async function problemOf(backup: WholeBackup, sum: string): Promise<string | undefined> {
  const path = backup.pathOf(sum)
  if (!backup.has(sum)) return `${path} is missing`
  try {
    return (await sha256OfStream(createReadStream(path))) === sum ? undefined : `${path} has another content`
  } catch (error) {
    return `${path} is not readable: ${(error as Error).message}`
  }
}

/** Makes a repository of a backup and returns what its references lack. */
async function verifyRepository(git: Git, backup: WholeBackup, stored: StoredAndRows): Promise<string[]> {
  const { rows, packs } = stored
  const { gitKey, repoId, kind, objectFormat } = rows
  if (packs === null) return []
  const name = `repository ${repoId} (${kind})`
  const sums = packs.flatMap(([, sha256, indexSha256]) => [sha256, indexSha256])
  const damaged = (await Promise.all(sums.map((sum) => problemOf(backup, sum)))).filter((each) => each !== undefined)
  if (damaged.length > 0) return damaged.map((problem) => `${name}: ${problem}`)
  try {
    await makeRepository(git, backup, stored)
    const none = zeroOid(objectFormat)
    for (const part of inParts(rows.refs, refsAtOnce)) {
      const result = await git.updateRefs(
        gitKey,
        part.map(({ name: ref, oid }) => ({ ref, old: none, new: oid })),
      )
      if (!result.ok) return [`${name}: ${result.ref} cannot be restored: ${result.message}`]
    }
    const { ok, problems } = await git.fsck(gitKey)
    return ok ? [] : problems.slice(0, 10).map((problem) => `${name}: ${problem}`)
  } finally {
    await git.remove(gitKey)
  }
}
