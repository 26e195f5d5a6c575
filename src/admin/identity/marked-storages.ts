import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Services } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import { storageKinds, type S3StorageSettings, type StorageSettings } from '../../config/storage-settings.ts'
import { instanceMarker, type Blobs } from '../../storage/blobs.ts'

/** A folder or bucket that belongs to the instance, with the file that names the instance. */
export interface MarkedStorage {
  readonly name: string
  /** Where it is, and which setting names it. */
  readonly where: string
  /** Returns the id in the file; undefined without the file or its content. */
  read(): Promise<string | undefined>
  write(id: string): Promise<void>
  /** Removes the file. */
  remove(): Promise<void>
}

/** Longest content of the file, in bytes. */
const maxMarkerBytes = 200

/** An empty file is one that is being written, or whose writing was interrupted: it counts as missing. */
const contentOf = (content: string): string | undefined => content.slice(0, maxMarkerBytes).trim() || undefined

/** The id in the file while a backup is restored into the place, before the id of the restored instance. */
export const restoringPrefix = 'restoring '

/** Whether the content of a storage's file is the mark of a restore that has begun. */
export const isRestoreMark = (content: string): boolean => content.startsWith(restoringPrefix)

/** Returns the problem of a storage whose file says that a backup is being restored there; undefined for another content. */
export const begunRestore = (where: string, content: string): string | undefined =>
  isRestoreMark(content)
    ? `the restore of a backup has begun in ${where} and has not ended; run \`ingot restore\` again`
    : undefined

/** The names of the storage of packs, and of the folder of repositories that have their objects. */
export const packsName = 'packs'
export const repositoriesName = 'repositories'

/**
 * Returns the places of the instance: the repositories or their packs, and the storage of each kind of files. Where packs are
 * stored, the folder of repositories has copies and may be empty.
 */
export const markedStoragesOf = ({ blobs, packs, config }: Services): readonly MarkedStorage[] => [
  packs && config.packStorage
    ? storageAt(packsName, config.packStorage, packs)
    : repositoriesAt(config.paths.repositories),
  ...storageKinds.map((kind) => storageAt(kind, config.storage[kind], blobs[kind])),
]

type StoragePaths = Pick<Config, 'packStorage' | 'paths' | 'storage'>
type OpenBucket = (settings: S3StorageSettings) => Promise<Blobs>

/**
 * Returns the storages that settings name, without making any of them: that of the repositories first.
 * @param openBucket opens a bucket
 */
export async function namedStorages(config: StoragePaths, openBucket: OpenBucket): Promise<readonly MarkedStorage[]> {
  const ofKinds = storageKinds.map((kind) => namedStorage(kind, config.storage[kind], openBucket))
  return Promise.all([namedRepositories(config, openBucket), ...ofKinds])
}

/** Returns the storage of the repositories or their packs, without making it. */
export const namedRepositories = async (
  { packStorage, paths }: StoragePaths,
  openBucket: OpenBucket,
): Promise<MarkedStorage> =>
  packStorage ? namedStorage(packsName, packStorage, openBucket) : repositoriesAt(paths.repositories)

const namedStorage = async (kind: string, settings: StorageSettings, openBucket: OpenBucket): Promise<MarkedStorage> =>
  settings.type === 'local'
    ? folderAt(kind, whereIs(kind, settings), settings.path)
    : storageAt(kind, settings, await openBucket(settings))

export const repositoriesAt = (folder: string): MarkedStorage =>
  folderAt(repositoriesName, `the folder of repositories ${folder} ([repository].ROOT)`, folder)

function folderAt(name: string, where: string, folder: string): MarkedStorage {
  const file = join(folder, instanceMarker)
  return {
    name,
    where,
    async read() {
      try {
        return contentOf(await readFile(file, 'utf8'))
      } catch (error) {
        if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined
        throw error
      }
    },
    write: (id) => writeFile(file, `${id}\n`, { flush: true }),
    remove: () => rm(file, { force: true }),
  }
}

const whereIs = (kind: string, settings: StorageSettings): string =>
  settings.type === 'local'
    ? `the folder of ${kind} ${settings.path} ([storage])`
    : `the bucket of ${kind} ${settings.bucket}/${settings.basePath} at ${settings.endpoint} ([storage])`

const storageAt = (kind: string, settings: StorageSettings, blobs: Blobs): MarkedStorage => ({
  name: kind,
  where: whereIs(kind, settings),
  async read() {
    const found = await blobs.get(instanceMarker, { range: { start: 0, end: maxMarkerBytes - 1 } })
    return found && contentOf(await text(found.stream))
  },
  async write(id) {
    await blobs.put(instanceMarker, Readable.from([Buffer.from(`${id}\n`)]), { maxBytes: maxMarkerBytes })
  },
  remove: () => blobs.delete(instanceMarker),
})
