import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { job } from '../jobs/job.ts'
import { enqueue } from '../jobs/queue.ts'
import type { Oid, RepoId, UserId } from '../lib/ids.ts'
import { isZeroOid } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import { findPullById } from '../pulls/pull.store.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { linkFromRepo, linkReadable } from './objects/link-objects.service.ts'
import { chargeObjects } from './objects/object.service.ts'
import { copyObjects, hasObjects } from './objects/object.store.ts'
import { sweepLfsBlobs } from './retention/release.job.ts'
import { findForkBase, hasCommits } from './repo-origin.store.ts'

/** Links the objects of the base to a fork; anyone who forks may read them. */
export const copyObjectsToFork = subscriber({
  name: 'copyObjectsToFork',
  on: 'repo.forked',
  async inTransaction(tx, { data }, { clock }) {
    await chargeObjects(tx, data.repoId, await copyObjects(tx, data.baseId, data.repoId, nowUnix(clock)))
  },
})

/** Links the objects of a template to a generated repository with files. */
export const copyObjectsOfTemplate = subscriber({
  name: 'copyObjectsOfTemplate',
  on: 'repo.generated',
  async inTransaction(tx, { data }, { clock }) {
    if (!(await hasCommits(tx, data.repoId))) return
    await chargeObjects(tx, data.repoId, await copyObjects(tx, data.templateId, data.repoId, nowUnix(clock)))
  },
})

/** Links the objects that a merged pull request brought from another repository. */
export const linkObjectsOfMerge = subscriber({
  name: 'linkObjectsOfMerge',
  pool: 'git',
  on: 'pull.merged',
  async afterCommit(ctx: Ctx, { data }, { signal }) {
    const [pull, repo] = await Promise.all([findPullById(ctx.db, data.pullId), findRepoById(ctx.db, data.repoId)])
    if (!pull || !repo || pull.head_repo_id === null || pull.head_repo_id === repo.id) return
    const range = {
      from: [...new Set([data.mergeCommit, pull.synced_oid])],
      not: pull.merge_base === '' ? [] : [pull.merge_base],
    }
    await linkFromRepo(ctx, repo, pull.head_repo_id, range, signal)
  },
})

/**
 * Links objects of commits that came without an LFS client to a fork, as far as the person who brought them may read
 * them.
 */
export const linkLfsObjects = job({
  name: 'linkLfsObjects',
  pool: 'git',
  input: Type.Object({
    repoId: Type.Unsafe<RepoId>(Type.Integer()),
    doerId: Type.Unsafe<UserId>(Type.Integer()),
    from: Type.Array(Type.Unsafe<Oid>(Type.String())),
    not: Type.Array(Type.Unsafe<Oid>(Type.String())),
  }),
  async run(ctx: Ctx, { repoId, doerId, from, not }, { signal }) {
    const repo = await findRepoById(ctx.db, repoId)
    if (repo) await linkReadable(ctx, repo, doerId, { from, not }, signal)
  },
})

/** A branch of a fork that the server updated may refer to objects that only the base has. */
export const linkObjectsOfBase = subscriber({
  name: 'linkObjectsOfBase',
  on: 'refs.updated',
  async inTransaction(tx, { data }) {
    if (data.kind !== 'code' || data.origin === 'push' || data.origin === 'mirror') return
    const moved = data.updates.filter((update) => !isZeroOid(update.old) && !isZeroOid(update.new))
    if (moved.length === 0) return
    const baseId = await findForkBase(tx, data.repoId)
    if (baseId === undefined || !(await hasObjects(tx, baseId))) return
    await enqueue(tx, linkLfsObjects, {
      repoId: data.repoId,
      doerId: data.doerId,
      from: moved.map((update) => update.new),
      not: moved.map((update) => update.old),
    })
  },
})

/** Deletes contents that only a deleted repository had. */
export const sweepAfterRepo = subscriber({
  name: 'sweepAfterRepo',
  on: ['repo.deleted', 'repo.importAbandoned'],
  inTransaction: async (tx) => void (await enqueue(tx, sweepLfsBlobs, {})),
})
