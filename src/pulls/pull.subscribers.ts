import { Type } from 'typebox'
import type { Services } from '../access/context.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import { pluck } from '../lib/pluck.ts'
import type { EventData } from '../events/catalogue.ts'
import { subscriber, type Subscriber } from '../events/subscriber.ts'
import type { Attribution } from '../issues/attribution.ts'
import { changeState } from '../issues/issue-change.service.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { job } from '../jobs/job.ts'
import { enqueueAll, planned } from '../jobs/queue.ts'
import type { Oid, PullId } from '../lib/ids.ts'
import { branchOf, isZeroOid } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import { tryScheduledMerge } from './merge/auto-merge.service.ts'
import { listWaitingFor } from './merge/merge.store.ts'
import { checkPull, upToDate } from './pull-check.service.ts'
import { syncPull, writePullRef } from './pull-sync.service.ts'
import { followLines } from './reviews/follow-lines.service.ts'
import { hasLines } from './reviews/line.store.ts'
import {
  detachHeadRepo,
  findPullById,
  findPullByIssue,
  listOpenByBranch,
  listPullsFromRepo,
  renameBranchOfPulls,
  renameTopicsOf,
  requestChecks,
  resumeFollowing,
} from './pull.store.ts'
import { findRepoById } from '../repos/repo.store.ts'

interface BranchMove {
  readonly name: string
  readonly old: Oid
  readonly new: Oid
}

/** Returns the moved branches of the code. Branches of the wiki do not concern pull requests. */
function branchMoves({ kind, updates }: EventData<'refs.updated'>): BranchMove[] {
  if (kind === 'wiki') return []
  return updates.flatMap((update) => {
    const name = branchOf(update.ref)
    return name === undefined ? [] : [{ name, old: update.old, new: update.new }]
  })
}

/** Closes the open ones of the pull requests. */
async function closeAll(tx: Tx, by: Attribution, pulls: readonly PullRow[]): Promise<void> {
  const issues = await loadIssues(tx, pluck(pulls, 'issue_id'))
  for (const issue of issues.values()) {
    if (!issue.is_closed) await changeState(tx, by, issue, true)
  }
}

/**
 * In the transaction that records a move of branches: updates the heads of pull requests, closes those whose head or base
 * was deleted, and marks the others for a check.
 */
const followBranches = subscriber({
  name: 'followBranches',
  on: 'refs.updated',
  async inTransaction(tx, event, { clock }) {
    const { repoId, doerId } = event.data
    const moves = branchMoves(event.data)
    if (moves.length === 0) return
    const kept = new Map(moves.filter((move) => !isZeroOid(move.new)).map((move) => [move.name, move.new]))
    const gone = moves.filter((move) => isZeroOid(move.new)).map((move) => move.name)
    const names = [...kept.keys()]
    const [heads, bases] = [
      await listOpenByBranch(tx, 'head', repoId, names),
      await listOpenByBranch(tx, 'base', repoId, names),
    ]
    await requestChecks(tx, pluck(bases, 'id'))
    for (const [branch, followers] of Map.groupBy(heads, (pull) => pull.head_branch)) {
      const ids = followers.map((pull) => pull.id)
      await requestChecks(tx, ids, { head_oid: kept.get(branch) as Oid })
    }
    if (gone.length === 0) return
    const lost = [
      ...(await listOpenByBranch(tx, 'head', repoId, gone)),
      ...(await listOpenByBranch(tx, 'base', repoId, gone)),
    ]
    await closeAll(tx, { doerId, atUnix: nowUnix(clock), isDated: false }, lost)
  },
})

/** Brings one pull request up to date with its branches. */
export const checkPullJob = job({
  name: 'checkPull',
  pool: 'git',
  input: Type.Object({ pullId: Type.Unsafe<PullId>({ type: 'integer' }) }),
  merge: ({ pullId }) => String(pullId),
  async run(services: Services, { pullId }) {
    await checkPull(services, pullId)
  },
})

/** Synchronizes pull requests with each push to their heads in order, then enqueues the checks. */
const bringUpPulls = subscriber({
  name: 'bringUpPulls',
  pool: 'git',
  on: 'refs.updated',
  priority: 'high',
  lane: (event) => `refs-${event.data.repoId}`,
  async afterCommit(services: Services, event) {
    const { repoId, doerId } = event.data
    const moves = branchMoves(event.data).filter((move) => !isZeroOid(move.new))
    if (moves.length === 0) return
    const names = moves.map((move) => move.name)
    const heads = await listOpenByBranch(services.db, 'head', repoId, names)
    for (const pull of heads) {
      const move = moves.find((each) => each.name === pull.head_branch) as BranchMove
      await syncPull(services, pull.id, { old: move.old, new: move.new, doerId })
    }
    const bases = await listOpenByBranch(services.db, 'base', repoId, names)
    const waiting = [...heads, ...bases].filter((pull) => pull.check_state === 'checking')
    if (waiting.length === 0) return
    await transaction(services.db, (tx) =>
      enqueueAll(
        tx,
        waiting.map((pull) => planned(checkPullJob, { pullId: pull.id })),
      ),
    )
  },
})

/** Checks a pull request again after a change of its base or a reopening. */
const checkChanged = subscriber({
  name: 'checkChangedPull',
  pool: 'git',
  on: ['pull.retargeted', 'issue.reopened'],
  async afterCommit(services: Services, event) {
    if (event.name === 'issue.reopened' && !event.data.isPull) return
    const pull = await findPullByIssue(services.db, event.data.issueId)
    if (pull) await checkPull(services, pull.id)
  },
})

/** Finds the lines of comments in the newest commits after each push, and after a change of the base. */
const moveLines = subscriber({
  name: 'moveLines',
  pool: 'git',
  on: ['pull.synchronized', 'pull.retargeted'],
  isNeeded: (tx, event) => hasLines(tx, event.data.issueId),
  merge: (event) => String(event.data.pullId),
  async afterCommit(services: Services, event) {
    const pull = await findPullById(services.db, event.data.pullId)
    if (!pull) return
    // Lines of the old version count in the merge base, which the check determines.
    await upToDate(services, pull)
    await followLines(services, pull.id)
  },
})

/** Updates the head of a reopened pull request, which may have moved while it was closed. */
const followReopened = subscriber({
  name: 'followReopened',
  on: 'issue.reopened',
  async inTransaction(tx, event) {
    if (event.data.isPull) await resumeFollowing(tx, event.data.issueId)
  },
})

/** Sets the reference of a new pull request when the request that opened it failed to. */
const setPullRef = subscriber({
  name: 'setPullRef',
  pool: 'git',
  on: 'pull.opened',
  // Without the reference, git garbage collection deletes the commits, so the retries last for days.
  attempts: 30,
  async afterCommit(services: Services, event) {
    const pull = await findPullById(services.db, event.data.pullId)
    const repo = pull && (await findRepoById(services.db, pull.repo_id))
    if (pull && repo) await writePullRef(services, repo, pull, pull.synced_oid, event.data.doerId)
  },
})

/** Changes pull requests from a renamed branch's old name to its new one. */
const followRenamedBranch = subscriber({
  name: 'followRenamedBranch',
  on: 'branch.renamed',
  inTransaction: (tx, event) => renameBranchOfPulls(tx, event.data.repoId, event.data),
})

/** Topic names begin with the login of the pusher and change with it. */
const followRenamedPusher = subscriber({
  name: 'followRenamedPusher',
  on: 'user.renamed',
  inTransaction: (tx, event) => renameTopicsOf(tx, event.data.userId, event.data),
})

/** Closes pull requests whose head repository is deleted; their changes stay readable. */
const closePullsOfGoneRepo = subscriber({
  name: 'closePullsOfGoneRepo',
  on: 'repo.deleted',
  async inTransaction(tx, event, { clock }) {
    const { repoId, doerId } = event.data
    const pulls = await listPullsFromRepo(tx, repoId)
    await closeAll(
      tx,
      { doerId, atUnix: nowUnix(clock), isDated: false },
      pulls.filter((pull) => !pull.is_merged),
    )
    await detachHeadRepo(tx, repoId)
  },
})

/** Retries scheduled merges after a status, an approval or a dismissed review. */
const mergeScheduled = subscriber({
  name: 'mergeScheduled',
  pool: 'git',
  on: ['status.created', 'review.submitted', 'review.dismissed'],
  async afterCommit(services: Services, event) {
    if (event.name === 'status.created') {
      const waiting = await listWaitingFor(services.db, event.data.repoId, event.data.sha)
      for (const pull of waiting) await tryScheduledMerge(services, pull.id)
      return
    }
    if (event.name === 'review.submitted' && event.data.type !== 'approve') return
    await tryScheduledMerge(services, event.data.pullId)
  },
})

/** The subscribers of pull requests, in the order of delivery. */
export const pullSubscribers: readonly Subscriber<Services>[] = [
  followBranches,
  followReopened,
  followRenamedBranch,
  followRenamedPusher,
  closePullsOfGoneRepo,
  setPullRef,
  bringUpPulls,
  checkChanged,
  moveLines,
  mergeScheduled,
]
