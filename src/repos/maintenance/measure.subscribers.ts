import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { subscriber } from '../../events/subscriber.ts'
import { job } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { RepoId } from '../../lib/ids.ts'
import { recordGitUsage } from '../git-usage.service.ts'
import { updateGitSize } from './measure.store.ts'
import { findRepoById } from '../repo.store.ts'

/**
 * How much room a repository takes, for its owner's quota. Pushes that come while one waits are measured together; a new
 * one was measured when it was made.
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
    await measure(ctx, repo)
  },
})

async function measure(ctx: Ctx, repo: RepoRow): Promise<void> {
  const sizeBytes = await ctx.git.sizeBytes(repo.git_key)
  await transaction(ctx.db, async (tx) => {
    const changed = await updateGitSize(tx, repo.id, sizeBytes)
    if (changed) await recordGitUsage(tx, [changed])
  })
}

/** Packs references and objects of the code and the wiki when many are loose, and tells git of new commits for quick walks. */
export const maintainRepository = job({
  name: 'maintainRepository',
  pool: 'maintenance',
  input: Type.Object({ repoId: Type.Unsafe<RepoId>(Type.Integer()) }),
  attempts: 2,
  priority: 'low',
  timeoutMs: 3_600_000,
  merge: ({ repoId }) => String(repoId),
  lane: ({ repoId }) => `maintain ${repoId}`,
  async run(ctx: Ctx, { repoId }) {
    const repo = await findRepoById(ctx.db, repoId)
    if (!repo) return
    await ctx.git.maintain(repo.git_key, ['pack-refs', 'repack', 'commit-graph'])
    if (repo.wiki_git_key !== null) await ctx.git.maintain(repo.wiki_git_key, ['pack-refs', 'repack', 'commit-graph'])
    await measure(ctx, repo)
  },
})

/**
 * Gives what a large push brought a bitmap at once: clones, by machines that build it, follow soon, and each would walk its
 * whole history. Other pushes are looked at and left.
 */
export const bitmapAfterLargePush = subscriber({
  name: 'bitmapAfterLargePush',
  pool: 'maintenance',
  on: 'refs.updated',
  attempts: 2,
  priority: 'low',
  timeoutMs: 3_600_000,
  merge: ({ data }) => String(data.repoId),
  // Not the maintenance's own: what waits there for its time would hold this up.
  lane: ({ data }) => `bitmap ${data.repoId}`,
  async afterCommit(ctx: Ctx, { data }) {
    const repo = await findRepoById(ctx.db, data.repoId)
    if (repo) await ctx.git.maintain(repo.git_key, ['bitmap'])
  },
})

/**
 * Shortest time between two maintenances of a repository that is pushed to all the time, in milliseconds. Packing anew takes seconds of a
 * core after a large push, when people still work with what they pushed.
 */
const maintenanceDelayMs = 5 * 60_000

/** A while after references moved, so that a row of pushes is followed by one maintenance. */
export const maintainAfterChanges = subscriber({
  name: 'maintainAfterChanges',
  on: 'refs.updated',
  inTransaction: async (tx, { data }) => {
    await enqueue(tx, maintainRepository, { repoId: data.repoId }, { delayMs: maintenanceDelayMs })
  },
})
