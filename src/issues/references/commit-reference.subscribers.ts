import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { viewerOf } from '../../auth/viewer.ts'
import { subscriber } from '../../events/subscriber.ts'
import { branchOf, isZeroOid } from '../../lib/refs.ts'
import { findUserById } from '../../users/user.store.ts'
import type { Attribution } from '../attribution.ts'
import { recordPush } from './commit-reference.service.ts'
import { listNewestBranches } from './reference.store.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'

/** Most branches of one push whose messages are read; each branch is compared with all others. */
const maxBranches = 100

/**
 * Reads the messages of pushed commits and records the issues that they name, on behalf of the pusher. The job is idempotent:
 * an issue has one entry for a commit, and closing a closed issue does nothing.
 */
export const readCommitMessages = subscriber({
  name: 'readCommitMessages',
  pool: 'git',
  on: 'refs.updated',
  lane: ({ data }) => `repo ${data.repoId}`,
  async afterCommit(ctx: Ctx, { data, atMs }, { signal }) {
    // Commits of a wiki close no issue.
    if (data.origin === 'mirror' || data.origin === 'internal' || data.kind === 'wiki') return
    const pushes = data.updates.flatMap((update) => {
      const branch = branchOf(update.ref)
      return branch === undefined || isZeroOid(update.new) ? [] : [{ branch, old: update.old, new: update.new }]
    })
    const doer = await findUserById(ctx.db, data.doerId)
    const repoWithOwner = (await loadReposWithOwners(ctx.db, [data.repoId])).get(data.repoId)
    if (pushes.length === 0 || !doer || !repoWithOwner) return
    const viewer = viewerOf(doer, { kind: 'password' })
    const access = await accessTo(ctx.db, viewer, repoWithOwner.owner, repoWithOwner.repo)
    const by: Attribution = { doerId: doer.id, atUnix: Math.floor(atMs / 1000), isDated: false }
    // The default branch is the one that closes issues.
    const main = repoWithOwner.repo.default_branch
    const read = pushes.toSorted((one, other) => Number(other.branch === main) - Number(one.branch === main))
    const branches = await listNewestBranches(ctx.db, data.repoId)
    for (const push of read.slice(0, maxBranches)) {
      signal.throwIfAborted()
      await recordPush({ ...ctx, viewer }, { ...repoWithOwner, ...access }, push, branches, by)
      // Requests run between the branches.
      await setImmediate()
    }
  },
})
