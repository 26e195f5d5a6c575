import { statfs } from 'node:fs/promises'
import type { Services } from '../access/context.ts'
import { Unavailable } from '../lib/errors.ts'
import { fullDisk } from '../lib/full-disk.ts'
import { withinTime } from '../lib/within-time.ts'
import { countPeople } from '../users/user.store.ts'
import { markedStoragesOf } from './identity/marked-storages.ts'

/**
 * How long a result about storages answers further requests, in milliseconds: strangers may ask as often as they like, and a
 * bucket is far away.
 */
const keptMs = 2000

/** Time for a part to answer, in milliseconds. Process managers wait a few seconds. */
const answerMs = 3000

/** The latest check of the storages of each instance in this process. */
const latest = new WeakMap<object, { readonly atMs: number; readonly result: Promise<void> }>()

/**
 * Resolves when the database and every storage answer and the disks have room.
 * @throws Unavailable with the part that does not answer, or when a disk is full
 */
export async function checkHealth(services: Services): Promise<void> {
  const { paths, ingot } = services.config
  await Promise.all([
    answers(services, 'database', () => countPeople(services.db)),
    ...[paths.data, paths.repositories].map(async (folder) => {
      const { bavail, bsize } = await answers(services, 'disk', () => statfs(folder))
      if (bavail * bsize < ingot.minFreeSpace) throw fullDisk()
    }),
    storagesAnswer(services),
  ])
}

/** Requests during a check, and for two seconds after its begin, share its result. */
function storagesAnswer(services: Services): Promise<void> {
  const known = latest.get(services.blobs)
  if (known && performance.now() - known.atMs < keptMs) return known.result
  const result = checkStorages(services)
  latest.set(services.blobs, { atMs: performance.now(), result })
  return result
}

async function checkStorages(services: Services): Promise<void> {
  await Promise.all(
    markedStoragesOf(services).map(async (storage) => {
      // The file was there at the start: without it another folder, or none, is mounted.
      if ((await answers(services, storage.name, () => storage.read())) === undefined) throw unavailable(storage.name)
    }),
  )
}

/** Returns the result of a part. A failure is logged; strangers learn only the name of the part. */
async function answers<Result>({ log }: Services, name: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await withinTime(ask(), answerMs)
  } catch (error) {
    log('warn', 'the health check failed', { part: name, error })
    throw unavailable(name)
  }
}

const unavailable = (name: string): Unavailable =>
  new Unavailable(`the part "${name}" of the instance does not answer`, 'part_unavailable', { part: name })
