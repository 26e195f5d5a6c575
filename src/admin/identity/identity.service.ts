import { randomUUID } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { contributionsOf } from '../../access/feature.ts'
import { transaction, type Db } from '../../db/database.ts'
import { withinTime } from '../../lib/within-time.ts'
import { listNamedBlobs } from '../doctor/file-scan.store.ts'
import { listSealedValues } from '../sealed-value.store.ts'
import { deleteAllPacks } from '../../refs/changes/pack.store.ts'
import {
  deleteIdentityValue,
  insertIdentityValue,
  listIdentityValues,
  replaceIdentityValue,
} from './instance-value.store.ts'
import { begunRestore, markedStoragesOf, packsName, repositoriesAt, type MarkedStorage } from './marked-storages.ts'
import { hasFilledRepo, hasPacks, listSomeGitKeys } from './repo-sample.store.ts'

/**
 * What becomes of key and storages that are not those of the database: `refuse` throws, `report` changes nothing and returns
 * them, `claim` makes them those of the instance.
 */
export type IdentityMode = 'refuse' | 'report' | 'claim'

/** Key and storages are not those of the database. */
export class WrongInstance extends Error {
  override readonly name = 'Error'
}

/** The name of the value that says that the objects of the repositories are being stored as packs. */
const movingName = 'moving'

/** The number of rows of one kind whose files are looked up. */
const sampleSize = 5

/** Time for a storage to answer, in milliseconds. */
const answerMs = 5000

/** The end of each message. */
const orClaim = 'or accept what the settings name with `ingot doctor --claim`'

/**
 * Compares the instance key and the storages with the database. The database has an id, and each storage has a file with the
 * same id. A database without an id gets one when its key and its storages fit its rows. A storage that does not answer is
 * logged and not compared, so that the start does not depend on it.
 * @returns the mismatches, each as one line that says what to do
 * @throws WrongInstance in the mode `refuse`
 */
export async function checkIdentity(services: Services, mode: IdentityMode): Promise<readonly string[]> {
  const { db, secrets } = services
  const known = await listIdentityValues(db)
  const problems = [...(await findMisplaced(services, known)), ...(known.has('id') ? [] : await findMisfits(services))]
  const writes = mode === 'claim' || (mode === 'refuse' && problems.length === 0)
  if (mode === 'refuse') refuse(problems)
  const [keyId = ''] = secrets.keyIds
  if (writes) {
    await transaction(db, async (tx) => {
      await insertIdentityValue(tx, 'id', randomUUID())
      await insertIdentityValue(tx, 'key', keyId)
    })
  }
  const values = writes ? await listIdentityValues(db) : known
  const id = values.get('id')
  const key = values.get('key')
  if (key !== undefined && key !== keyId) {
    if (mode === 'claim' || (mode === 'refuse' && secrets.keyIds.includes(key))) {
      await transaction(db, (tx) => replaceIdentityValue(tx, 'key', keyId))
    } else if (!secrets.keyIds.includes(key)) problems.push(wrongKey)
  }
  if (id === undefined) return problems
  const mismatches = await Promise.all(
    markedStoragesOf(services).map((storage) =>
      checkStorage(services, storage, { id, isMarked: values.has(storage.name), mode }),
    ),
  )
  problems.push(...mismatches.filter((problem) => problem !== undefined))
  if (mode === 'refuse') refuse(problems)
  const marked = markedStoragesOf(services).filter(
    ({ name }, index) => mismatches[index] === undefined && !values.has(name),
  )
  if (mode !== 'report' && marked.length > 0) {
    await transaction(db, async (tx) => {
      for (const { name } of marked) await insertIdentityValue(tx, name, id)
    })
  }
  return problems
}

/** Notes that the objects of the repositories are being stored as packs: a server that expects all of them there must not start. */
export const noteMove = (db: Db): Promise<void> => transaction(db, (tx) => insertIdentityValue(tx, movingName, 'blobs'))

/** Notes that the objects of all repositories are in their new place. */
export async function finishMove({ db, config }: Services, to: 'blobs' | 'local'): Promise<void> {
  const id = (await listIdentityValues(db)).get('id')
  // The folder had copies, and needs no file that names the instance.
  if (to === 'local' && id !== undefined) await repositoriesAt(config.paths.repositories).write(id)
  await transaction(db, async (tx) => {
    await deleteIdentityValue(tx, to === 'blobs' ? movingName : packsName)
    if (to === 'local') await deleteAllPacks(tx)
  })
}

/** Returns the problem that the objects of the repositories are not where `[repository].STORAGE` says. */
async function findMisplaced({ db, packs }: Services, known: ReadonlyMap<string, string>): Promise<string[]> {
  const isMoving = known.has(movingName)
  if (packs === undefined) {
    if (isMoving || !(await hasPacks(db))) return []
    return ['the repositories of this database are stored as packs; set [repository].STORAGE = blobs']
  }
  if (isMoving) {
    return [
      'the repositories of this database are being moved to [storage.repositories]; finish it with ' +
        '`ingot admin move-repositories blobs --finish`, or set [repository].STORAGE = local',
    ]
  }
  if (known.has(packsName) || (await hasPacks(db)) || !(await hasFilledRepo(db))) return []
  return [
    'the repositories of this database are in [repository].ROOT; set [repository].STORAGE = local, or move them to ' +
      '[storage.repositories] with `ingot admin move-repositories blobs`',
  ]
}

const wrongKey =
  'the instance key is not the one of this database, so stored secrets cannot be read; restore secret.key or ' +
  `[security].SECRET_KEY, name the earlier key in [ingot].OLD_SECRET_KEYS, ${orClaim}`

/** What a start would find of a known identity. */
export interface IdentityFindings {
  /** The first one ends a start. */
  readonly problems: readonly string[]
  /** Storages that do not answer; a start logs them. */
  readonly silent: readonly string[]
}

/**
 * Compares the key and the storages that settings name with a database that has an id. It changes nothing, and a database
 * without an id has no findings.
 * @param keyIds of the current key and the earlier ones; undefined when the settings name none yet
 */
export async function findForeignParts(
  db: Db,
  keyIds: readonly string[] | undefined,
  storages: readonly MarkedStorage[],
): Promise<IdentityFindings> {
  const values = await listIdentityValues(db)
  const [id, key] = [values.get('id'), values.get('key')]
  const silent: string[] = []
  const found = await Promise.all(
    storages.map((storage) => {
      const log: Services['log'] = (_level, _message, { error }: { readonly error?: unknown } = {}) => {
        silent.push(`${storage.where} does not answer: ${Error.isError(error) ? error.message : String(error)}`)
      }
      return checkStorage({ log }, storage, { id: id ?? '', isMarked: values.has(storage.name), mode: 'report' })
    }),
  )
  if (id === undefined) return { problems: [], silent }
  const isKnown = key === undefined || keyIds?.includes(key)
  return { problems: [...(isKnown ? [] : [wrongKey]), ...found.filter((problem) => problem !== undefined)], silent }
}

function refuse(problems: readonly string[]): void {
  const [first] = problems
  if (first !== undefined) throw new WrongInstance(first)
}

interface StorageCheck {
  readonly id: string
  /** Whether the place had its file before. */
  readonly isMarked: boolean
  readonly mode: IdentityMode
}

/** Compares a place with the database, and writes a missing file where it may. Returns the mismatch. */
async function checkStorage(
  { log }: Pick<Services, 'log'>,
  storage: MarkedStorage,
  { id, isMarked, mode }: StorageCheck,
): Promise<string | undefined> {
  const { name, where } = storage
  try {
    const found = await withinTime(storage.read(), answerMs)
    if (found === id) return undefined
    if (mode === 'claim' || (mode === 'refuse' && found === undefined && !isMarked)) {
      await withinTime(storage.write(id), answerMs)
      return undefined
    }
    if (found === undefined && !isMarked) return undefined
    const begun = begunRestore(where, found ?? '')
    if (begun !== undefined) return begun
    return found === undefined
      ? `${where} is not the one of this database: it is empty or incomplete; mount or restore it, ${orClaim}`
      : `${where} belongs to another instance; name the right one, restore its database, ${orClaim}`
  } catch (error) {
    // The health check repeats it.
    log('warn', 'a storage does not answer, so it cannot be compared with the database', { storage: name, error })
    return undefined
  }
}

/**
 * Returns what contradicts the rows of a database without an identity: a stored secret of an unknown key, and repositories
 * or files of which no looked up one exists, or which exist although the database is new.
 */
async function findMisfits(services: Services): Promise<string[]> {
  const { db, secrets, git, blobs, config } = services
  const { sealed, files } = contributionsOf(services)
  const [firstSealed, named, gitKeys] = await Promise.all([
    Promise.all(sealed.map((column) => listSealedValues(db, column, 0, 1))),
    Promise.all(files.map(async (column) => ({ column, rows: await listNamedBlobs(db, column, 0, sampleSize) }))),
    listSomeGitKeys(db, sampleSize),
  ])
  const problems: string[] = []
  const isOpened = ({ sealed: text }: { readonly sealed: string }) => secrets.keyIds.includes(text.split('.')[1] ?? '')
  if (!firstSealed.flat().every(isOpened)) {
    problems.push(
      `the instance key does not open the stored secrets; restore secret.key or [security].SECRET_KEY, ${orClaim}`,
    )
  }
  if (gitKeys.length > 0 && !(await anyOf(gitKeys, (key) => git.exists(key)))) {
    problems.push(
      `${config.paths.repositories} does not contain the repositories of this database; restore the folder, or name another with [repository].ROOT, ${orClaim}`,
    )
  }
  if (gitKeys.length === 0) {
    const keys = git.listKeys()[Symbol.asyncIterator]()
    const first = await keys.next()
    await keys.return?.()
    if (first.done !== true) {
      problems.push(
        `${config.paths.repositories} contains repositories that this database does not have; restore the database, name another folder with [repository].ROOT, ${orClaim}`,
      )
    }
  }
  for (const { column, rows } of named) {
    const store = blobs[column.store]
    if (rows.length === 0 || (await anyOf(rows, async ({ key }) => (await store.stat(key)) !== undefined))) continue
    problems.push(`the storage of ${column.store} does not contain the files of this database; restore it, ${orClaim}`)
  }
  return problems
}

async function anyOf<Item>(items: readonly Item[], holds: (item: Item) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(items.map(holds))).includes(true)
}
