import type { Services } from '../../access/context.ts'
import { contributionsOf } from '../../access/feature.ts'
import { dump, packTable, type DumpedRow } from '../../db/dump.ts'
import { migrations } from '../../db/migrations/index.ts'
import { customHookNames } from '../../git/git-service.ts'
import { filesOfPack } from '../../git/packs/pack-store.ts'
import { Conflict } from '../../lib/errors.ts'
import { mapAhead } from '../../lib/map-ahead.ts'
import { program } from '../../lib/program.ts'
import type { Blobs } from '../../storage/blobs.ts'
import { listIdentityValues } from '../identity/instance-value.store.ts'
import { BackupFolder, UnusableBackup, type BackedUpTable, type Manifest } from './backup-folder.ts'
import {
  indexOf,
  keyOf,
  namedFiles,
  repositoriesOf,
  RowsOfRepositories,
  type RepositoryRows,
  type StoredFile,
  type StoredPack,
  type StoredRepository,
} from './backed-up-rows.ts'
import { pinStored } from './pin.service.ts'

/** Files or repositories that are copied side by side. */
const atOnce = 4

/** Lines about what is missing that the manifest keeps. */
const maxMissing = 1000

export interface BackupReport {
  readonly rowCount: number
  readonly fileCount: number
  readonly repositoryCount: number
  /** What this backup wrote; the rest was there. */
  readonly written: { readonly files: number; readonly bytes: number }
  /** What rows name and the instance lacks. */
  readonly missing: readonly string[]
  readonly keyId: string
  readonly keyFrom: string
}

/**
 * Backs the instance up to a folder, also while it serves: rows of one moment, and the stored files, references and objects
 * that they name. What an earlier backup in the folder has is not copied again. A failure leaves that backup as it was.
 */
export async function makeBackup(services: Services, path: string, signal?: AbortSignal): Promise<BackupReport> {
  const { db, config, secrets } = services
  const instance = (await listIdentityValues(db)).get('id') ?? ''
  const folder = await BackupFolder.openToWrite(path)
  if (folder.manifest !== undefined && folder.manifest.instance !== instance) {
    throw new UnusableBackup(`${folder.path} has the backup of another instance; name another folder`)
  }
  await using pin = await pinStored(db)
  const ended = AbortSignal.any([pin.signal, ...(signal ? [signal] : [])])
  const rows = await backUpRows(services, folder, ended)
  const missing: string[] = []
  const sums = new Set<string>()
  const files = await backUpFiles(services, folder, rows, { ended, missing, sums })
  const repositories = await backUpRepositories(services, folder, rows, { ended, missing, sums })
  ended.throwIfAborted()
  // What this backup lacks must not replace the former one.
  await pin.confirm()
  const [keyId = ''] = secrets.keyIds
  const keyFrom = config.security.secretKey === '' ? config.paths.secretKeyFile : '[security].SECRET_KEY'
  await folder.finish(
    {
      program: `${program.name} ${program.version}`,
      madeAt: new Date(services.clock.nowMs()).toISOString(),
      instance,
      key: { id: keyId, from: keyFrom },
      migrations: rows.migrations,
      tables: rows.tables,
      counters: rows.counters,
      files: files.chunks,
      repositories: repositories.chunks,
      missing: missing.slice(0, maxMissing),
    },
    sums,
  )
  return {
    rowCount: rows.tables.reduce((sum, { rowCount }) => sum + rowCount, 0),
    fileCount: files.rowCount,
    repositoryCount: repositories.rowCount,
    written: folder.written,
    missing,
    keyId,
    keyFrom,
  }
}

interface BackedUpRows extends Pick<Manifest, 'migrations' | 'tables' | 'counters'> {
  /** Rows of the manifest of packs, which the backup of repositories replaces. */
  readonly packs: BackedUpTable | undefined
}

const backUpRows = ({ db, packs }: Services, folder: BackupFolder, ended: AbortSignal): Promise<BackedUpRows> =>
  dump(db, async (still) => {
    const unknown = still.migrations.find(({ number }) => !migrations.some((known) => known.number === number))
    if (unknown !== undefined) {
      throw new Conflict(
        `the database has the migration ${unknown.number} (${unknown.name}) of a newer version; back up with that version`,
        'backup_database_newer',
      )
    }
    const write = async (table: (typeof still.tables)[number]): Promise<BackedUpTable> => {
      ended.throwIfAborted()
      return { ...table, ...(await folder.putRows(still.rows(table), keyOf(table))) }
    }
    const tables: BackedUpTable[] = []
    for (const table of still.tables) tables.push(await write(table))
    return {
      migrations: still.migrations,
      tables,
      counters: still.counters,
      packs: packs && (await write(packTable)),
    }
  })

interface Progress {
  readonly ended: AbortSignal
  /** Lines about what is not there. */
  readonly missing: string[]
  /** SHA-256 of the files that the backup names. */
  readonly sums: Set<string>
}

const tableIn =
  ({ tables }: Pick<Manifest, 'tables'>) =>
  (name: string) =>
    tables.find((table) => table.name === name)

/** Copies the stored files that rows name. Their keys are never used again, so a known key has the known content. */
async function backUpFiles(
  services: Services,
  folder: BackupFolder,
  rows: BackedUpRows,
  { ended, missing, sums }: Progress,
) {
  const known = new Map<string, StoredFile>()
  for await (const row of folder.rows(folder.manifest?.files ?? [])) {
    const file = row as unknown as StoredFile
    known.set(`${file[0]}/${file[1]}`, file)
  }
  const copied = mapAhead(
    namedFiles(folder, tableIn(rows), contributionsOf(services).files),
    atOnce,
    async ([store, key]): Promise<StoredFile> => {
      ended.throwIfAborted()
      const earlier = known.get(`${store}/${key}`)
      if (earlier && earlier[2] !== null && folder.has(earlier[2])) return earlier
      const stored = await copyBlob(folder, services.blobs[store], key)
      if (stored === undefined) missing.push(`the storage of ${store} lacks ${key}`)
      return [store, key, stored?.sha256 ?? null, stored?.sizeBytes ?? 0]
    },
  )
  return folder.putRows(
    noting(copied, ([, , sum]) => (sum === null ? [] : [sum]), sums),
    ([store, key]) => [store, key],
  )
}

async function copyBlob(folder: BackupFolder, store: Blobs, key: string) {
  const content = await store.get(key)
  return content && folder.putFile(content.stream)
}

/** Copies the objects of the repositories. Equal references need the objects that an earlier backup has. */
async function backUpRepositories(
  services: Services,
  folder: BackupFolder,
  rows: BackedUpRows,
  { ended, missing, sums }: Progress,
) {
  const known = new Map<string, StoredRepository>()
  for await (const row of folder.rows(folder.manifest?.repositories ?? [])) {
    const repository = row as unknown as StoredRepository
    known.set(repository[2], repository)
  }
  const { packs } = services
  const named = rows.packs && new RowsOfRepositories(folder, rows.packs)
  const repositories = withPacks(repositoriesOf(folder, tableIn(rows)), named)
  const copied = mapAhead(repositories, atOnce, async ({ rows: repository, packRows }): Promise<StoredRepository> => {
    ended.throwIfAborted()
    const { repoId, kind, gitKey, refsSum } = repository
    const found =
      packs && rows.packs
        ? await copyStoredPacks(
            folder,
            packs,
            packRows.map((row) => packOf(rows.packs as BackedUpTable, row)),
          )
        : await copyPacks(services, folder, repository, known.get(gitKey))
    if (typeof found === 'string') missing.push(`repository ${repoId} (${kind}): ${found}`)
    const hooks = packs ? [] : await readHooks(services, repository)
    return [repoId, kind, gitKey, refsSum, typeof found === 'string' ? null : found, hooks]
  })
  const sumsOf = ([, , , , own]: StoredRepository): string[] =>
    (own ?? []).flatMap(([, sha256, indexSha256]) => [sha256, indexSha256])
  return folder.putRows(noting(copied, sumsOf, sums), ([repoId, kind]) => [repoId, kind])
}

async function* withPacks(repositories: AsyncIterable<RepositoryRows>, packs: RowsOfRepositories | undefined) {
  for await (const rows of repositories) {
    yield { rows, packRows: (await packs?.take(rows.repoId, rows.kind)) ?? [] }
  }
}

async function* noting<Row>(
  rows: AsyncIterable<Row>,
  sumsOf: (row: Row) => readonly string[],
  sums: Set<string>,
): AsyncGenerator<Row> {
  for await (const row of rows) {
    for (const sum of sumsOf(row)) sums.add(sum)
    yield row
  }
}

/** Copies the packs of a repository on the disk. Returns what is missing as text. */
async function copyPacks(
  { git }: Services,
  folder: BackupFolder,
  { gitKey, refsSum }: RepositoryRows,
  known: StoredRepository | undefined,
): Promise<readonly StoredPack[] | string> {
  const isThere = ([, sha256, indexSha256]: StoredPack): boolean => folder.has(sha256) && folder.has(indexSha256)
  const earlier = new Map((known?.[4] ?? []).filter(isThere).map((pack) => [pack[0], pack]))
  if (known?.[4] && known[3] === refsSum && earlier.size === known[4].length) return known[4]
  if (!(await git.exists(gitKey))) return `its git repository ${gitKey} is missing`
  await using packs = await git.openPacks(gitKey, (name) => earlier.has(name))
  for (const { name, pack, index } of packs.opened) {
    const stored = await folder.putFile(pack.createReadStream({ autoClose: false, start: 0 }))
    const { sha256 } = await folder.putFile(index.createReadStream({ autoClose: false, start: 0 }))
    earlier.set(name, [name, stored.sha256, sha256, stored.sizeBytes])
  }
  return packs.names.map((name) => earlier.get(name) as StoredPack)
}

interface NamedPack {
  readonly pack: StoredPack
  readonly blobKey: string
  readonly isReplaced: boolean
}

function packOf(table: BackedUpTable, row: DumpedRow): NamedPack {
  const at = (column: string) => row[indexOf(table, column)]
  return {
    pack: [at('name') as string, at('sha256') as string, at('index_sha256') as string, at('size_bytes') as number],
    blobKey: at('blob_key') as string,
    isReplaced: at('replaced_unix') !== null,
  }
}

/** Copies packs from their storage. Returns what is missing as text. */
async function copyStoredPacks(
  folder: BackupFolder,
  store: Blobs,
  named: readonly NamedPack[],
): Promise<readonly StoredPack[] | string> {
  const needed = named.filter(({ isReplaced }) => !isReplaced)
  for (const { pack, blobKey } of needed) {
    const sums = { '.pack': pack[1], '.idx': pack[2] }
    for (const { key, ending } of filesOfPack(blobKey)) {
      if (folder.has(sums[ending])) continue
      const stored = await copyBlob(folder, store, key)
      if (stored === undefined) return `the storage of packs lacks ${key}`
      if (stored.sha256 !== sums[ending]) return `the storage of packs has another content for ${key}`
    }
  }
  return needed.map(({ pack }) => pack)
}

async function readHooks({ git, config }: Services, { gitKey }: RepositoryRows): Promise<StoredRepository[5]> {
  if (config.security.disableGitHooks) return []
  const scripts = await Promise.all(
    customHookNames.map(async (name) => [name, await git.readCustomHook(gitKey, name)] as const),
  )
  return scripts.flatMap(([name, script]) => (script === undefined ? [] : [[name, script] as const]))
}
