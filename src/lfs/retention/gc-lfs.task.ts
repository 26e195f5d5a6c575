import type { Ctx } from '../../access/context.ts'
import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { transaction } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { NotFound } from '../../lib/errors.ts'
import type { RepoId } from '../../lib/ids.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { removeStrayFiles } from '../../storage/stray-files.ts'
import { chargeObjects } from '../objects/object.service.ts'
import { listUsedBlobKeys, touchObjects } from '../objects/object.store.ts'
import { findReferenced } from '../objects/references.service.ts'
import { sweep } from './release.job.ts'
import { deleteUnseenObjects, listReposWithObjects, listUnseenObjects } from './release.store.ts'

/** Repositories per batch, and objects per repository when the settings state no number. */
const repoBatch = 200
const maxObjects = 100_000

/** A file without a row may be an upload that its client has not verified yet; it has a day for that. */
const leastStrayMs = 48 * 3_600_000

/**
 * Removes LFS objects from repositories that do not need them (`[cron.gc_lfs]`), and contents without a repository. An
 * object is kept for the configured time after its upload, a request by a pusher, or a find in the history.
 */
export const gcLfs = (config: Config) =>
  configuredTask('gc_lfs', config.cronGcLfs, async (ctx, run) => {
    let done = 0
    let repoIds = await listReposWithObjects(ctx.db, undefined, repoBatch)
    while (repoIds.length > 0) {
      for (const repoId of repoIds) {
        run.signal.throwIfAborted()
        await collect(ctx, repoId, run.signal)
        run.progress({ done: ++done })
      }
      repoIds = await listReposWithObjects(ctx.db, repoIds.at(-1), repoBatch)
    }
    await sweep(ctx, {}, run)
    // Removes remains of crashes and unverified uploads.
    const ageMs = Math.max(ctx.config.cronGcLfs.olderThan, leastStrayMs)
    await removeStrayFiles(ctx.blobs.lfs, {
      beforeUnix: nowUnix(ctx.clock) - Math.floor(ageMs / 1000),
      usedAmong: (keys) => listUsedBlobKeys(ctx.db, keys),
      signal: run.signal,
    })
  })

async function collect(ctx: Ctx, repoId: RepoId, signal: AbortSignal): Promise<void> {
  const { olderThan, lastUpdatedMoreThanAgo, numberToCheckPerRepo } = ctx.config.cronGcLfs
  const now = nowUnix(ctx.clock)
  const unseen = await listUnseenObjects(
    ctx.db,
    repoId,
    now - Math.floor(lastUpdatedMoreThanAgo / 1000),
    numberToCheckPerRepo || maxObjects,
  )
  const repo = unseen.length > 0 ? await findRepoById(ctx.db, repoId) : undefined
  if (!repo) return
  try {
    await judge(ctx, repo, unseen, now, now - Math.floor(olderThan / 1000), signal)
  } catch (error) {
    // The repository or its git data was deleted meanwhile; the doctor reports other causes.
    if (!(error instanceof NotFound)) throw error
  }
}

async function judge(
  ctx: Ctx,
  repo: RepoRow,
  unseen: Awaited<ReturnType<typeof listUnseenObjects>>,
  now: Unix,
  beforeUnix: Unix,
  signal: AbortSignal,
): Promise<void> {
  const referencesNow = async (): Promise<string> => JSON.stringify(await ctx.git.readRefs(repo.git_key))
  const before = await referencesNow()
  const pointers = unseen.map((object) => ({ oid: object.oid, sizeBytes: object.size_bytes }))
  const needed = await findReferenced(ctx, repo, pointers, signal)
  const unneeded = unseen.filter((object) => !needed.has(object.oid) && object.seen_unix < beforeUnix)
  // A push during the scan may need these objects, so they are left for the next run.
  const isSame = unneeded.length === 0 || (await referencesNow()) === before
  await transaction(ctx.db, async (tx) => {
    await touchObjects(tx, repo.id, [...needed], now)
    if (!isSame) return
    const oids = unneeded.map(({ oid }) => oid)
    const { sizeBytes } = await deleteUnseenObjects(tx, repo.id, oids, beforeUnix, now)
    await chargeObjects(tx, repo.id, -sizeBytes)
  })
}
