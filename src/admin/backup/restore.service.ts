import { randomBytes } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import type { Config } from '../../config/load-config.ts'
import { storageKinds } from '../../config/storage-settings.ts'
import type { Db } from '../../db/database.ts'
import { packTable, type DumpedTable } from '../../db/dump.ts'
import { load, UnfitRows } from '../../db/load.ts'
import { hasTables, migrate } from '../../db/migrate.ts'
import { migrations } from '../../db/migrations/index.ts'
import { whileRestoring } from '../../db/restore-lock.ts'
import type { GitKey } from '../../git/git-key.ts'
import type { Git } from '../../git/git.ts'
import { customHookNames } from '../../git/git-service.ts'
import { filesOfPack } from '../../git/packs/pack-store.ts'
import { Conflict, Unavailable } from '../../lib/errors.ts'
import { mapAhead } from '../../lib/map-ahead.ts'
import type { Blobs } from '../../storage/blobs.ts'
import type { BlobStores } from '../../storage/open-blobs.ts'
import type { StorageKind } from '../../config/storage-settings.ts'
import { listIdentityValues } from '../identity/instance-value.store.ts'
import {
  isRestoreMark,
  packsName,
  repositoriesName,
  restoringPrefix,
  type MarkedStorage,
} from '../identity/marked-storages.ts'
import { newer, UnusableBackup, type BackupFolder, type Manifest } from './backup-folder.ts'
import {
  indexOf,
  repositoriesOf,
  type RepositoryRows,
  type StoredFile,
  type StoredPack,
  type StoredRepository,
} from './backed-up-rows.ts'

/** Files or repositories that are copied side by side. */
const atOnce = 4

/** A whole backup, opened for reading. */
export type WholeBackup = BackupFolder & { readonly manifest: Manifest }

/** The empty place of an instance. */
export interface Place {
  readonly config: Config
  readonly db: Db
  readonly git: Git
  readonly blobs: BlobStores<StorageKind>
  /** The storage of packs; undefined when repositories on the disk have the objects. */
  readonly packs: Blobs | undefined
  readonly storages: readonly MarkedStorage[]
  /** Whether the place knows the instance key of the backup. */
  readonly hasKey: boolean
}

/** Throws UnusableBackup when this program does not know the schema of a backup. */
export function checkKnown({ path, manifest }: WholeBackup): void {
  const unknown = manifest.migrations.find(({ number }) => !migrations.some((known) => known.number === number))
  if (unknown) throw newer(path, `its database has the migration ${unknown.number} (${unknown.name})`)
}

/** Restores a backup (`restoreBackup`). Throws Conflict when another process restores one into the same database. */
export const restoreAlone = (place: Place, backup: WholeBackup, signal?: AbortSignal): Promise<void> =>
  whileRestoring(
    place.db,
    () => restoreBackup(place, backup, signal),
    () => new Conflict('another process restores a backup into this database', 'restore_running'),
  )

/**
 * Restores a backup into an empty place, of either database and either storage. The rows come last, in one transaction. A
 * failure before them empties the place again. A mark in each storage says that a restore has begun, so that another one
 * continues after a process that was killed: before the rows it empties the storages with a mark and begins again, after the
 * rows it ends what is left. The caller lets no other process restore into the same database.
 */
async function restoreBackup(place: Place, backup: WholeBackup, signal?: AbortSignal): Promise<void> {
  checkKnown(backup)
  const begun = await findBegun(place.storages)
  const mark = markOf(backup)
  const hasRows =
    begun?.startsWith(mark) === true &&
    (await hasTables(place.db)) &&
    (await idOf(place.db)) === backup.manifest.instance
  if (!hasRows) {
    await refuseFilled(place)
    await empty(place, isRestoreMark)
    await restoreContents(place, backup, `${mark} ${randomBytes(8).toString('hex')}`, signal)
  }
  await migrate(place.db)
  for (const storage of place.storages) await storage.write(backup.manifest.instance)
}

/** Restores files, repositories and rows into an empty place. A failure before the rows are there empties it again. */
async function restoreContents(
  place: Place,
  backup: WholeBackup,
  mark: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    for (const storage of place.storages) await storage.write(mark)
    await restoreFiles(place, backup, signal)
    const packRows = await restoreRepositories(place, backup, signal)
    await refuseOvertaken(place.storages, mark)
    await restoreRows(place, backup, packRows)
  } catch (error) {
    try {
      // The answer to the commit may have been lost.
      if (!(await hasTables(place.db))) await empty(place, (found) => found === mark)
    } catch {
      // The first error says what to do. The marks are left, so that the next restore empties the place.
    }
    throw error
  }
}

const idOf = async (db: Db): Promise<string | undefined> => (await listIdentityValues(db)).get('id')

/** The begin of the mark of each restore of this backup. */
const markOf = ({ manifest }: WholeBackup): string => `${restoringPrefix}${manifest.instance} ${manifest.madeAt}`

/** Returns the mark of a restore that has begun in these storages and has not ended; undefined without one. */
export async function findBegun(storages: readonly MarkedStorage[]): Promise<string | undefined> {
  const ids = await Promise.all(storages.map((storage) => storage.read()))
  return ids.find((id) => id !== undefined && isRestoreMark(id))
}

/** Throws Conflict when a restore into another database has emptied one of the storages meanwhile. */
async function refuseOvertaken(storages: readonly MarkedStorage[], mark: string): Promise<void> {
  for (const storage of storages) {
    if ((await storage.read()) === mark) continue
    throw new Conflict(`another restore has begun in ${storage.where}`, 'restore_overtaken')
  }
}

/** Throws Conflict when the place has anything but what a restore left that has begun. */
async function refuseFilled(place: Place): Promise<void> {
  const { config, db, git, packs, storages } = place
  const filled = (what: string) =>
    new Conflict(`${what} is not empty; a backup is restored into an empty place`, 'restore_not_empty')
  const filledFolder = (key: string) =>
    filled(`the folder of repositories ${config.paths.repositories}, which has ${key},`)
  if (await hasTables(db)) throw filled('the database')
  for (const storage of storages) {
    const mark = await storage.read()
    if (mark !== undefined && isRestoreMark(mark)) continue
    if (mark !== undefined) throw filled(storage.where)
    for await (const key of keysIn(place, storage)) {
      throw storage.name === repositoriesName
        ? filledFolder(key)
        : filled(`the storage of ${storage.name}, which has ${key},`)
    }
  }
  if (packs === undefined) return
  for await (const key of git.listKeys()) throw filledFolder(key)
}

async function* keysIn({ git, blobs, packs }: Place, { name }: MarkedStorage): AsyncGenerator<string> {
  if (name === repositoriesName) yield* git.listKeys()
  else for await (const { key } of storeOf({ blobs, packs }, name).list('')) yield key
}

/** Returns the store of a marked storage that is not the folder of repositories. */
const storeOf = ({ blobs, packs }: Pick<Place, 'blobs' | 'packs'>, name: string): Blobs =>
  name === packsName && packs ? packs : blobs[name as StorageKind]

/** Removes everything from the storages with a mark. A mark comes before what it stands for, and goes after it. */
async function empty(place: Place, isMark: (mark: string) => boolean): Promise<void> {
  for (const storage of place.storages) {
    const mark = await storage.read()
    if (mark === undefined || !isMark(mark)) continue
    for await (const key of keysIn(place, storage)) {
      if (storage.name === repositoriesName) await place.git.remove(key as GitKey)
      else await storeOf(place, storage.name).delete(key)
    }
    await storage.remove()
  }
}

async function restoreFiles({ blobs }: Place, backup: WholeBackup, signal: AbortSignal | undefined): Promise<void> {
  const files = backup.rows(backup.manifest.files)
  for await (const _ of mapAhead(files, atOnce, async (row) => {
    signal?.throwIfAborted()
    const [store, key, sha256, sizeBytes] = row as unknown as StoredFile
    // The instance lacked it as well.
    if (sha256 === null) return
    if (!storageKinds.includes(store)) throw new UnusableBackup(`the backup names an unknown storage "${store}"`)
    await putContent(backup, blobs[store], { key, sha256, sizeBytes })
  }));
}

/** Stores a content of the backup. Throws UnusableBackup when it is missing or damaged. */
async function putContent(
  backup: WholeBackup,
  store: Blobs,
  { key, sha256, sizeBytes }: { readonly key: string; readonly sha256: string; readonly sizeBytes?: number },
): Promise<void> {
  const path = backup.pathOf(sha256)
  if (!backup.has(sha256)) throw new UnusableBackup(`the backup is damaged: ${path} is missing`)
  await store.put(key, createReadStream(path), {
    maxBytes: Number.POSITIVE_INFINITY,
    expected: { sha256, ...(sizeBytes === undefined ? {} : { sizeBytes }) },
  })
}

/** A repository of the rows with what the backup stored for it. */
export interface StoredAndRows {
  readonly rows: RepositoryRows
  readonly packs: readonly StoredPack[] | null
  readonly hooks: StoredRepository[5]
}

/** Yields the repositories of a backup. Throws UnusableBackup when rows and stored repositories differ. */
export async function* storedRepositories(backup: WholeBackup): AsyncGenerator<StoredAndRows> {
  const { manifest } = backup
  const stored = backup.rows(manifest.repositories)
  const tables = (name: string) => manifest.tables.find((table) => table.name === name)
  for await (const rows of repositoriesOf(backup, tables)) {
    const { value } = await stored.next()
    const [, , gitKey, refsSum, packs, hooks] = (value ?? []) as unknown as StoredRepository
    const name = `repository ${rows.repoId} (${rows.kind})`
    if (gitKey !== rows.gitKey || refsSum !== rows.refsSum) {
      throw new UnusableBackup(`the backup is damaged: it has no objects of ${name}`)
    }
    if (!isStored(packs, hooks)) throw new UnusableBackup(`the backup is damaged: ${name} has unknown packs or hooks`)
    yield { rows, packs, hooks }
  }
}

/** Whether packs and hooks have the names that this program gives them: they become names of files. */
const isStored = (packs: StoredRepository[4], hooks: StoredRepository[5]): boolean =>
  (packs ?? []).every(([name, ...sums]) => isName(name) && sums.slice(0, 2).every(isName)) &&
  hooks.every(([name]) => customHookNames.includes(name))

const isName = (text: unknown): boolean => typeof text === 'string' && /^[0-9a-f]{40,64}$/.test(text)

/** Makes the repositories, or stores their packs. Returns the rows of the manifest of packs. */
async function restoreRepositories(
  place: Place,
  backup: WholeBackup,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly unknown[])[]> {
  const packRows: unknown[][] = []
  const stored = new Set<string>()
  for await (const made of mapAhead(storedRepositories(backup), atOnce, async ({ rows, packs, hooks }) => {
    signal?.throwIfAborted()
    if (packs === null) return []
    if (place.packs) return storePacks(place.packs, backup, { rows, packs, stored })
    await makeRepository(place.git, backup, { rows, packs })
    for (const [name, script] of hooks) await place.git.writeCustomHook(rows.gitKey, name, script)
    return []
  })) {
    packRows.push(...made)
  }
  return packRows
}

/** Makes a repository on the disk, without references and hooks. */
export async function makeRepository(
  git: Git,
  backup: WholeBackup,
  { rows: { gitKey, head, objectFormat }, packs }: Pick<StoredAndRows, 'rows' | 'packs'>,
): Promise<void> {
  const paths = (packs ?? []).map(([name, sha256, indexSha256]) => ({
    name,
    packPath: backup.pathOf(sha256),
    indexPath: backup.pathOf(indexSha256),
  }))
  const missing = (packs ?? []).flatMap(([, ...sums]) => sums.slice(0, 2) as string[]).find((sum) => !backup.has(sum))
  if (missing !== undefined) throw new UnusableBackup(`the backup is damaged: ${backup.pathOf(missing)} is missing`)
  await git.restore(gitKey, { head, objectFormat, packs: paths })
}

interface PacksToStore {
  readonly rows: RepositoryRows
  readonly packs: readonly StoredPack[]
  /** Keys of the packs that are stored. */
  readonly stored: Set<string>
}

async function storePacks(
  store: Blobs,
  backup: WholeBackup,
  { rows: { repoId, kind, gitKey }, packs, stored }: PacksToStore,
): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for (const [name, sha256, indexSha256, sizeBytes] of packs) {
    // Forks share packs.
    const blobKey = `${name.slice(0, 2)}/${name}-${sha256.slice(0, 16)}`
    if (!stored.has(blobKey)) {
      stored.add(blobKey)
      const sums = { '.pack': sha256, '.idx': indexSha256 }
      for (const { key, ending } of filesOfPack(blobKey)) await putContent(backup, store, { key, sha256: sums[ending] })
    }
    const values: Readonly<Record<string, unknown>> = {
      ...{ repo_id: repoId, kind, name, blob_key: blobKey, size_bytes: sizeBytes },
      ...{ sha256, index_sha256: indexSha256, replaced_unix: null, git_key: gitKey, cruft_unix: null },
    }
    rows.push(packTable.columns.map((column) => values[column.name]))
  }
  return rows
}

/** Rows in one statement that the backup does not have in files. */
const rowsPerStatement = 1000

async function restoreRows(
  place: Place,
  backup: WholeBackup,
  packRows: readonly (readonly unknown[])[],
): Promise<void> {
  const { manifest } = backup
  const rows = async function* (table: DumpedTable): AsyncGenerator<string> {
    if (table === packTable) {
      for (let at = 0; at < packRows.length; at += rowsPerStatement) {
        yield packRows
          .slice(at, at + rowsPerStatement)
          .map((row) => JSON.stringify(row))
          .join(',')
      }
      return
    }
    const { chunks } = manifest.tables.find(({ name }) => name === table.name) as Manifest['tables'][number]
    if (table.name === 'instance_value') yield await identityOf(place, backup, table, chunks)
    else for await (const text of backup.texts(chunks)) yield text.replaceAll('\n', ',')
  }
  await loadRows(place.db, backup, { tables: [...manifest.tables, ...(place.packs ? [packTable] : [])], rows })
}

/** Fills an empty database with rows. */
export async function loadRows(
  db: Db,
  { manifest }: WholeBackup,
  { tables, rows }: Pick<Parameters<typeof load>[1], 'tables' | 'rows'>,
): Promise<void> {
  try {
    const migration = Math.max(...manifest.migrations.map(({ number }) => number))
    await load(db, { migration, tables, rows, counters: manifest.counters })
  } catch (error) {
    if (error instanceof UnfitRows) throw new UnusableBackup(`the backup does not fit: ${error.message}`)
    throw error
  }
}

/** Values of the instance: its storages are those of the place, and its key is unknown when the place does not have it. */
async function identityOf(
  { storages, hasKey }: Place,
  backup: WholeBackup,
  table: DumpedTable,
  chunks: readonly string[],
): Promise<string> {
  const [name, value] = [indexOf(table, 'name'), indexOf(table, 'value')]
  const kept: unknown[] = []
  for await (const row of backup.rows(chunks)) {
    const own = String(row[name])
    const isKept = !own.startsWith('identity.') || own === 'identity.id' || (own === 'identity.key' && hasKey)
    if (isKept) kept.push(row)
  }
  for (const storage of storages) {
    const row: unknown[] = []
    row[name] = `identity.${storage.name}`
    row[value] = backup.manifest.instance
    kept.push(row)
  }
  return kept.map((row) => JSON.stringify(row)).join(',')
}

/** Throws Unavailable when the place does not have the instance key of a backup. */
export function checkKey({ manifest: { key } }: WholeBackup, keyIds: readonly string[], keyFile: string): void {
  if (keyIds.includes(key.id)) return
  throw new Unavailable(
    `the stored secrets of the backup need the instance key ${key.id}, which was in ${key.from}; copy it to ${keyFile} or set ` +
      '[security].SECRET_KEY, or give up the stored secrets with --without-key',
    'restore_key_missing',
  )
}

/** Removes the files of an SQLite database. */
export function removeSqlite(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}
