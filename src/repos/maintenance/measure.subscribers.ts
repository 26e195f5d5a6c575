import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { subscriber } from '../../events/subscriber.ts'
import { job } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { RepoId } from '../../lib/ids.ts'
import { compactPacks } from '../../refs/changes/compact-packs.service.ts'
import { countPacks } from '../../refs/changes/pack.store.ts'
import { dividePacks, unreachableSeconds, type Division } from '../../refs/changes/divide-packs.service.ts'
import { gitRepositoriesOf } from '../../refs/git-repository.ts'
import { recordGitUsage } from '../git-usage.service.ts'
import { updateGitSize } from './measure.store.ts'
import { findRepoById } from '../repo.store.ts'

/**
 * Measures the size of a repository for its owner's quota. Pushes that arrive while a measurement waits share it.
 * The creation measures a new repository.
 */
export const measureRepository = subscriber({
  name: 'measureRepository',
  pool: 'git',
  on: 'refs.updated',
  priority: 'low',
  merge: ({ data }) => String(data.repoId),
  lane: ({ data }) => `measure ${data.repoId}`,
  async afterCommit(ctx: Ctx, { data }) {
    const repo = await findRepoById(ctx.db, data.repoId)
    if (!repo) return
    await joinSoon(ctx, repo)
    await measure(ctx, repo)
  },
})

/** Packs of one repository in a storage from which their maintenance comes soon: each copy fetches every pack. */
const manyPacks = 64
const joinDelayMs = 10_000

async function joinSoon({ db, packs }: Ctx, repo: RepoRow): Promise<void> {
  if (!packs || (await countPacks(db, repo.id)) < manyPacks) return
  await transaction(db, (tx) => enqueue(tx, maintainRepository, { repoId: repo.id }, { delayMs: joinDelayMs }))
}

async function measure(ctx: Ctx, repo: RepoRow): Promise<void> {
  const sizeBytes = await ctx.git.sizeBytes(repo.git_key)
  await transaction(ctx.db, async (tx) => {
    const changed = await updateGitSize(tx, repo, sizeBytes)
    if (changed) await recordGitUsage(tx, [changed])
  })
}

/**
 * Returns a job that maintains a repository, in a lane of its own: a job that waits, such as a division for two weeks, would
 * hold those behind it.
 */
const maintenanceJob = (name: string, work: (ctx: Ctx, repo: RepoRow) => Promise<void>) =>
  job({
    name,
    pool: 'maintenance',
    input: Type.Object({ repoId: Type.Unsafe<RepoId>(Type.Integer()) }),
    attempts: 2,
    priority: 'low',
    timeoutMs: 3_600_000,
    merge: ({ repoId }) => String(repoId),
    lane: ({ repoId }) => `${name} ${repoId}`,
    async run(ctx: Ctx, { repoId }) {
      const repo = await findRepoById(ctx.db, repoId)
      if (repo) await work(ctx, repo)
    },
  })

/** Packs references and objects of the code and the wiki when many are loose, and updates the commit graph. */
export const maintainRepository = maintenanceJob('maintainRepository', async (ctx, repo) => {
  for (const repository of gitRepositoriesOf(repo)) {
    await ctx.git.maintain(repository.gitKey, ['pack-refs', 'repack', 'commit-graph'])
    await compactPacks(ctx, repository)
  }
  if (ctx.packs) await divideLater(ctx, repo.id, unreachableSeconds * 1000)
  await measure(ctx, repo)
})

/** Sets unreachable objects apart in the storage, and removes those of the time before. */
export const dividePacksOfRepository = maintenanceJob('dividePacksOfRepository', async (ctx, repo) => {
  const found = new Set<Division>()
  for (const repository of gitRepositoriesOf(repo)) found.add(await dividePacks(ctx, repository))
  if (found.has('busy')) await divideLater(ctx, repo.id, busyDelayMs)
  else if (found.has('kept')) await divideLater(ctx, repo.id, unreachableSeconds * 1000)
  // The key of the repository may have changed.
  const present = await findRepoById(ctx.db, repo.id)
  if (present) await measure(ctx, present)
})

/** Until objects are removed from a repository whose references changed during the first try, in milliseconds. */
const busyDelayMs = 8 * 3_600_000

const divideLater = ({ db }: Ctx, repoId: RepoId, delayMs: number): Promise<unknown> =>
  transaction(db, (tx) => enqueue(tx, dividePacksOfRepository, { repoId }, { delayMs }))

/**
 * Writes a bitmap right after a large push, because build machines clone soon and would each walk the history, and packs
 * many references, because each reader would open the file of each. Small pushes change nothing.
 */
export const bitmapAfterLargePush = subscriber({
  name: 'bitmapAfterLargePush',
  pool: 'maintenance',
  on: 'refs.updated',
  attempts: 2,
  priority: 'low',
  timeoutMs: 3_600_000,
  merge: ({ data }) => String(data.repoId),
  // A separate key: a delayed maintenance must not hold this job.
  lane: ({ data }) => `bitmap ${data.repoId}`,
  async afterCommit(ctx: Ctx, { data }) {
    const repo = await findRepoById(ctx.db, data.repoId)
    if (repo) await ctx.git.maintain(repo.git_key, ['pack-refs', 'bitmap'])
  },
})

/**
 * Shortest time between two maintenances of a repository, in milliseconds. Repacking takes seconds of CPU after a
 * large push.
 */
const maintenanceDelayMs = 5 * 60_000

/** Enqueues a delayed maintenance, so that several pushes share one. */
export const maintainAfterChanges = subscriber({
  name: 'maintainAfterChanges',
  on: 'refs.updated',
  inTransaction: async (tx, { data }) => {
    await enqueue(tx, maintainRepository, { repoId: data.repoId }, { delayMs: maintenanceDelayMs })
  },
})
