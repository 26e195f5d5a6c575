/**
 * Objects are durable as packs in a store, and the manifest (rows of the database) says which packs a repository has. The
 * repository on the disk is a copy: packs that it lacks are fetched before it is read
 * (docs/decisions/0159-packs-are-blobs.md).
 */
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { flushFolder } from '../../lib/flush-folder.ts'
import { withFullDisk } from '../../lib/full-disk.ts'
import { Unavailable } from '../../lib/errors.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { pluck } from '../../lib/pluck.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { explainMissing, type GitContext, locate, type ObjectHome, once } from '../context.ts'
import { flushObjects } from '../files/flush.ts'
import { entriesOf } from '../files/walk.ts'
import type { GitKey } from '../git-key.ts'
import type { NewRepositoryOptions, StoredPack } from '../git.ts'
import { dropPacks } from './join-packs.ts'
import { filesOfPack, type PackStore } from './pack-store.ts'

/** Packs that are sent or fetched side by side for one repository. */
const atOnce = 4

/** Bytes of packs from which a fetch is logged. */
const loggedBytes = 32 << 20

type CreateRepository = (
  context: GitContext,
  key: GitKey,
  options: Pick<NewRepositoryOptions, 'defaultBranch' | 'objectFormat'>,
) => Promise<unknown>

const packFolder = join('objects', 'pack')

/** @param create makes a repository on the disk */
export function blobHome(store: PackStore, create: CreateRepository): ObjectHome {
  return {
    isElsewhere: true,
    async make(context, key, { head, objectFormat }) {
      await create(context, key, { defaultBranch: head, objectFormat })
    },
    async keep(context, key) {
      const { directory } = locate(context, key)
      await packLoose(context, key)
      const present = await packsOn(directory)
      const named = await context.source?.findPacks(key, present)
      const names = present.filter((name) => !named?.has(name))
      if (names.length > 0) context.onGrowth()
      return mapLimited(names, atOnce, (name) => sendOnce(context, key, name))
    },
    send: sendOnce,
    async bring(context, key, packs) {
      const folder = join(locate(context, key).directory, packFolder)
      const present = new Set(await packsOn(locate(context, key).directory))
      const missing = packs.filter(({ name }) => !present.has(name))
      if (missing.length > 0) await fetchAll(context, key, folder, missing)
      const needed = new Set(pluck(packs, 'name'))
      const others = [...present].filter((name) => !needed.has(name))
      if (others.length === 0) return
      // Another one may be named by now, or soon: its objects are written already.
      const found = await context.source?.findPacks(key, others)
      await dropPacks(
        context,
        key,
        others.filter((name) => found?.get(name)?.isReplaced),
      )
    },
  }

  /** Concurrent changes, and work that joins packs, send a pack once. */
  function sendOnce(context: GitContext, key: GitKey, name: string): Promise<StoredPack> {
    const folder = join(locate(context, key).directory, packFolder)
    return once(context, `${key}:pack:${name}`, () => send(store, folder, name))
  }

  async function fetchAll(
    context: GitContext,
    key: GitKey,
    folder: string,
    missing: readonly StoredPack[],
  ): Promise<void> {
    const beganMs = performance.now()
    await mapLimited(missing, atOnce, (pack) => fetch(context, store, folder, pack))
    if (context.durable) await flushFolder(folder)
    const ms = performance.now() - beganMs
    context.onFetch({ ms })
    context.onGrowth()
    const sizeBytes = missing.reduce((sum, pack) => sum + pack.sizeBytes, 0)
    if (sizeBytes >= loggedBytes) {
      context.log('info', 'packs of a large repository were fetched from the storage', {
        key,
        packs: missing.length,
        sizeBytes,
        ms: Math.round(ms),
      })
    }
  }
}

/** The names in a folder; none when it does not exist. */
const namesIn = async (folder: string): Promise<string[]> => pluck(await entriesOf(folder), 'name')

/** Names of the packs in a repository: their checksums. */
export async function packsOn(directory: string): Promise<string[]> {
  // The index comes last.
  return (await namesIn(join(directory, packFolder))).flatMap(
    (name) => /^pack-([0-9a-f]{40,64})\.idx$/.exec(name)?.[1] ?? [],
  )
}

/** Ids of the loose objects in a folder of objects. */
export async function looseObjects(objects: string): Promise<string[]> {
  const folders = (await namesIn(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  return (
    await mapLimited(folders, atOnce, async (folder) =>
      (await namesIn(join(objects, folder)))
        .filter((name) => /^[0-9a-f]{38,62}$/.test(name))
        .map((name) => folder + name),
    )
  ).flat()
}

/** Makes one pack of all loose objects, and removes these. */
async function packLoose(context: GitContext, key: GitKey): Promise<void> {
  const location = locate(context, key)
  const objects = join(location.directory, 'objects')
  const oids = await looseObjects(objects)
  if (oids.length === 0) return
  mustSucceed(
    await context.broker
      .run({
        args: ['pack-objects', '--quiet', join(packFolder, 'pack')],
        name: 'pack-written',
        cwd: location.directory,
        kind: 'write',
        input: Buffer.from(`${oids.join('\n')}\n`),
      })
      .catch((error: unknown) => explainMissing(location, error)),
    'pack-objects',
  )
  await flushObjects(context, location.directory)
  await mapLimited(oids, atOnce, (oid) => rm(join(objects, oid.slice(0, 2), oid.slice(2)), { force: true }))
}

/** Stores a pack and its index under a key of its own, so that a deletion cannot hit a pack that is stored again. */
async function send(store: PackStore, folder: string, name: string): Promise<StoredPack> {
  const blobKey = `${name.slice(0, 2)}/${name}-${randomBytes(8).toString('hex')}`
  const [pack, index] = await Promise.all(
    filesOfPack(blobKey).map(async ({ key, ending }) => {
      const file = await open(join(folder, `pack-${name}${ending}`))
      const content = file.createReadStream({ autoClose: false })
      try {
        const { size: sizeBytes } = await file.stat()
        return await store.put(key, content, { maxBytes: sizeBytes, expected: { sizeBytes } })
      } finally {
        content.destroy()
        await file.close()
      }
    }),
  )
  return { name, blobKey, sizeBytes: pack!.sizeBytes, sha256: pack!.sha256, indexSha256: index!.sha256 }
}

/** Fetches a pack and its index. Throws `Unavailable` when the store does not have them whole. */
async function fetch(context: GitContext, store: PackStore, folder: string, pack: StoredPack): Promise<void> {
  const sums = { '.pack': pack.sha256, '.idx': pack.indexSha256 }
  const ended = await Promise.allSettled(
    filesOfPack(pack.blobKey).map(async ({ key, ending }) => {
      // In the form of the files that the server writes itself (files/leftovers.ts).
      const temporary = join(dirname(folder), `tmp_obj_${randomBytes(8).toString('hex')}`)
      try {
        const content = await store.get(key)
        if (!content) throw new Unavailable(`the storage lacks ${key}`, 'git_pack_missing')
        const hash = createHash('sha256')
        const measured = new Transform({
          transform(chunk: Buffer, _encoding, callback) {
            hash.update(chunk)
            callback(null, chunk)
          },
        })
        await pipeline(
          content.stream,
          measured,
          createWriteStream(temporary, { flags: 'wx', mode: 0o444, flush: context.durable }),
        )
        if (hash.digest('hex') !== sums[ending]) {
          throw new Unavailable(`the storage has another content for ${key}`, 'git_pack_damaged')
        }
        return { temporary, path: join(folder, `pack-${pack.name}${ending}`) }
      } catch (error) {
        await rm(temporary, { force: true })
        throw withFullDisk(error)
      }
    }),
  )
  const fetched = ended.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  const failed = ended.find((each) => each.status === 'rejected')
  if (failed) {
    await Promise.all(fetched.map(({ temporary }) => rm(temporary, { force: true })))
    throw failed.reason
  }
  // git reads a pack when its index is there.
  for (const { temporary, path } of fetched) await rename(temporary, path)
}
