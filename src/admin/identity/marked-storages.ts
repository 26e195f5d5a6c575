import { readFile, writeFile } from 'node:fs/promises'
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
  /** Returns the id in the file; undefined without the file. */
  read(): Promise<string | undefined>
  write(id: string): Promise<void>
}

/** Longest content of the file, in bytes. */
const maxMarkerBytes = 200

/** The name of the storage of packs. */
export const packsName = 'packs'

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

/**
 * Returns the storages that settings name, without making any of them.
 * @param openBucket opens a bucket
 */
export async function namedStorages(
  { packStorage, paths, storage }: Pick<Config, 'packStorage' | 'paths' | 'storage'>,
  openBucket: (settings: S3StorageSettings) => Promise<Blobs>,
): Promise<readonly MarkedStorage[]> {
  const named = async (kind: string, settings: StorageSettings): Promise<MarkedStorage> =>
    settings.type === 'local'
      ? folderAt(kind, whereIs(kind, settings), settings.path)
      : storageAt(kind, settings, await openBucket(settings))
  const ofKinds = await Promise.all(storageKinds.map((kind) => named(kind, storage[kind])))
  return [packStorage ? await named(packsName, packStorage) : repositoriesAt(paths.repositories), ...ofKinds]
}

export const repositoriesAt = (folder: string): MarkedStorage =>
  folderAt('repositories', `the folder of repositories ${folder} ([repository].ROOT)`, folder)

function folderAt(name: string, where: string, folder: string): MarkedStorage {
  const file = join(folder, instanceMarker)
  return {
    name,
    where,
    async read() {
      try {
        return (await readFile(file, 'utf8')).slice(0, maxMarkerBytes).trim()
      } catch (error) {
        if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined
        throw error
      }
    },
    write: (id) => writeFile(file, `${id}\n`, { flush: true }),
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
    return found && (await text(found.stream)).trim()
  },
  async write(id) {
    await blobs.put(instanceMarker, Readable.from([Buffer.from(`${id}\n`)]), { maxBytes: maxMarkerBytes })
  },
})
