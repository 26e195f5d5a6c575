import type { SignedInRepoCtx } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { PullRow, ScheduledMergeRow } from '../../db/tables/pulls.ts'
import { publish } from '../../events/hub.ts'
import { insertTimelineEntry } from '../../issues/timeline-entry.store.ts'
import { holdIssue } from '../../issues/issue-change.service.ts'
import { mayManage } from '../../issues/issue.policy.ts'
import { attributionNow } from '../../issues/issue.service.ts'
import { loadIssues, touchIssues } from '../../issues/issue.store.ts'
import { listClosingReferences } from '../../issues/references/reference.store.ts'
import { Conflict, Forbidden, MethodNotAllowed, NotFound } from '../../lib/errors.ts'
import type { IssueId } from '../../lib/ids.ts'
import { branchRef, isOid } from '../../lib/refs.ts'
import { refusalOf } from '../../code/branches/branch.service.ts'
import { pluck } from '../../lib/pluck.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { chargeObjects } from '../../refs/changes/object-charge.service.ts'
import { moveRefs } from '../../refs/changes/ref-door.service.ts'
import { maxAttempts, takeTurn } from '../../refs/push/push-turns.ts'
import { deleteHeadBranch } from './head-deletion.service.ts'
import { buildMerge } from './merge-build.service.ts'
import { mustBringSignedCommits, passGate } from './merge-gate.service.ts'
import { mergeEffect, recordMerge } from './merge-record.service.ts'
import { mergeSigning } from './merge-signing.service.ts'
import { mergeMessage } from './merge-template.service.ts'
import { deleteScheduledMerge, findScheduledMerge, insertScheduledMerge } from './merge.store.ts'
import { factsOf } from '../pull-sync.service.ts'
import type { BuildStyle, MergeStyle } from './merge-style.ts'
import { findPullForUpdate, type PullPair } from '../pull.store.ts'

/** The input of a merge. */
export interface MergeInput {
  readonly style: MergeStyle
  readonly title: string
  readonly message: string
  /** The resulting commit of a merge made by hand. */
  readonly mergeCommit: string
  /** '' accepts any head. */
  readonly expectedHead: string
  readonly isForced: boolean
  readonly whenChecksSucceed: boolean
  readonly deletesBranch: boolean
}

const notWaiting = () => new NotFound('no merge is waiting for its checks', 'merge_not_scheduled')

/**
 * Merges a pull request, or schedules the merge. Refusals follow the order of the contract.
 * @throws MethodNotAllowed (405) when the merge is not allowed or the pull request is not ready
 * @throws NotFound when the pull request is closed
 * @throws Conflict for merge conflicts and for a moved head or base
 */
export async function mergePull(
  ctx: SignedInRepoCtx,
  stored: PullPair,
  input: MergeInput,
  scheduled?: ScheduledMergeRow,
): Promise<'merged' | 'scheduled'> {
  const pair = await passGate(ctx, stored, {
    style: input.style,
    isForced: input.isForced,
    isScheduled: input.whenChecksSucceed,
  })
  if (input.style === 'manually-merged') {
    await markMerged(ctx, pair, input.mergeCommit)
    return 'merged'
  }
  if (input.expectedHead !== '' && input.expectedHead !== pair.pull.synced_oid) {
    throw new Conflict('the head is not the expected commit; look at the new commits and try again', 'head_moved', {
      head: pair.pull.synced_oid,
    })
  }
  if (input.whenChecksSucceed) {
    await schedule(ctx, pair, input)
    return 'scheduled'
  }
  await moveBase(ctx, pair, input.style, input, scheduled)
  if (input.deletesBranch) await deleteHeadBranch(ctx, pair.pull)
  return 'merged'
}

/** Builds the commits and moves the base. The merge is recorded in the same transaction. */
async function moveBase(
  ctx: SignedInRepoCtx,
  pair: PullPair,
  style: BuildStyle,
  given: Pick<MergeInput, 'title' | 'message'>,
  scheduled: ScheduledMergeRow | undefined,
): Promise<void> {
  const { git, repo } = ctx
  const { pull } = pair
  const ref = branchRef(pull.base_branch)
  const origin = { doerId: ctx.viewer.id, via: 'merge' } as const
  const issues = await issuesThatFollow(ctx, pair)
  const effect = mergeEffect({ pullId: pull.id, mergerId: ctx.viewer.id, ...issues })
  const leaveTurn = await takeTurn(ctx, repo.git_key, [ref])
  try {
    for (let attempt = 1; ; attempt++) {
      const base = await git.readRef(repo.git_key, ref)
      if (base === undefined) throw new NotFound('the base branch does not exist', 'branch_not_found')
      if (await git.isAncestor(repo.git_key, pull.synced_oid, base)) {
        throw new MethodNotAllowed('the base already contains the head', 'pull_not_mergeable')
      }
      const signing = style === 'fast-forward-only' ? undefined : await mergeSigning(ctx, pair, base)
      const made = await buildMerge(ctx, pair, style, base, signing, () => mergeMessage(ctx, pair, style, given))
      if (signing) await mustBringSignedCommits(ctx, pull, base, made)
      const change = { ref, old: base, new: made }
      const charge = await chargeObjects(
        ctx,
        codeOf(repo),
        () => git.bytesSince(repo.git_key, made, [base, pull.synced_oid]),
        'size:git:all',
      )
      const before = async (tx: Tx) => {
        await mustStillMerge(tx, pair, scheduled)
        await charge?.(tx)
      }
      const result = await moveRefs(ctx, codeOf(repo), [change], origin, { effect, before })
      if (result.ok) return
      if (result.reason !== 'stale' || attempt >= maxAttempts) throw refusalOf(result)
    }
  } finally {
    leaveTurn()
  }
}

/** Checks, in the transaction that moves the base, that nothing has prevented the merge meanwhile. */
async function mustStillMerge(
  tx: Tx,
  { pull, issue }: PullPair,
  scheduled: ScheduledMergeRow | undefined,
): Promise<void> {
  const held = await holdUnmerged(tx, pull)
  if (scheduled) {
    const waiting = await findScheduledMerge(tx, pull.id)
    if (!waiting || !isSameSchedule(waiting, scheduled)) throw notWaiting()
  }
  if ((await holdIssue(tx, issue)).is_closed) throw new NotFound('the pull request is closed', 'pull_closed')
  if (held.base_branch !== pull.base_branch) {
    throw new Conflict('the base was changed meanwhile; try again', 'base_changed')
  }
  if (held.head_oid !== pull.synced_oid) {
    throw new Conflict('the head moved meanwhile; look at the new commits and try again', 'head_moved', {
      head: held.head_oid,
    })
  }
}

/** Locks and returns the pull request. @throws MethodNotAllowed (405) when it is merged */
async function holdUnmerged(tx: Tx, pull: PullRow): Promise<PullRow> {
  const held = await findPullForUpdate(tx, pull.id)
  if (!held) throw new NotFound('the pull request does not exist', 'pull_not_found')
  if (held.is_merged) throw new MethodNotAllowed('the pull request is already merged', 'pull_merged')
  return held
}

const isSameSchedule = (one: ScheduledMergeRow, other: ScheduledMergeRow): boolean =>
  one.doer_id === other.doer_id &&
  one.style === other.style &&
  one.title === other.title &&
  one.message === other.message &&
  one.deletes_branch === other.deletes_branch &&
  one.created_unix === other.created_unix

/**
 * Returns the issues that the texts of a pull request close and reopen. For issues of this repository, the merger must have
 * the right to; for those of other repositories, the rights were checked when the text was written.
 * Source: contract (pulls: closing references).
 */
async function issuesThatFollow(
  ctx: SignedInRepoCtx,
  { issue }: PullPair,
): Promise<{ closes: IssueId[]; reopens: IssueId[] }> {
  const rows = await listClosingReferences(ctx.db, issue.id)
  const issues = await loadIssues(ctx.db, pluck(rows, 'issue_id'))
  const kept = rows.filter((row) => {
    const named = issues.get(row.issue_id)
    if (!named || named.is_pull) return false
    return named.repo_id !== ctx.repo.id || named.poster_id === ctx.viewer.id || mayManage(ctx.rights, named).allowed
  })
  const idsOf = (action: 'closes' | 'reopens') => [
    ...new Set(kept.filter((row) => row.ref_action === action).map((row) => row.issue_id)),
  ]
  return { closes: idsOf('closes'), reopens: idsOf('reopens') }
}

/** Marks a pull request as merged by hand. @throws Conflict when the base does not contain the commit */
async function markMerged(ctx: SignedInRepoCtx, pair: PullPair, oid: string): Promise<void> {
  const { git, repo } = ctx
  const none = new Conflict('the commit is not on the base branch', 'merge_commit_unknown')
  if (!isOid(oid)) throw none
  const base = await git.readRef(repo.git_key, branchRef(pair.pull.base_branch))
  const missing = await git.missingObjects(repo.git_key, [oid])
  if (base === undefined || missing.length > 0) throw none
  if (
    (await git.objectInfo(repo.git_key, oid))?.type !== 'commit' ||
    !(await git.isAncestor(repo.git_key, oid, base))
  ) {
    throw none
  }
  const issues = await issuesThatFollow(ctx, pair)
  const merged = await transaction(ctx.db, (tx) =>
    recordMerge(tx, {
      pullId: pair.pull.id,
      mergeOid: oid,
      mergerId: ctx.viewer.id,
      ...issues,
      nowMs: ctx.clock.nowMs(),
      state: 'manual',
    }),
  )
  if (!merged) throw new MethodNotAllowed('the pull request is already merged', 'pull_merged')
}

async function schedule(ctx: SignedInRepoCtx, { pull, issue }: PullPair, input: MergeInput): Promise<void> {
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    await holdUnmerged(tx, pull)
    if ((await holdIssue(tx, issue)).is_closed) throw new NotFound('the pull request is closed', 'pull_closed')
    const isNew = await insertScheduledMerge(tx, {
      pull_id: pull.id,
      doer_id: ctx.viewer.id,
      style: input.style,
      title: input.title,
      message: input.message,
      deletes_branch: input.deletesBranch,
      created_unix: by.atUnix,
    })
    if (!isNew) throw new Conflict('a merge is already waiting for its checks', 'merge_scheduled')
    await insertTimelineEntry(tx, by, pull.issue_id, { type: 'pull_scheduled_merge' })
    await touchIssues(tx, [pull.issue_id], by.atUnix)
    await publish(tx, 'pull.mergeScheduled', { ...factsOf(pull, by.doerId), isCancelled: false })
  })
}

/**
 * Cancels a scheduled merge.
 * @throws NotFound when no merge is scheduled
 * @throws Forbidden unless the caller scheduled it or is an administrator of the repository
 */
export async function cancelScheduledMerge(ctx: SignedInRepoCtx, { pull }: PullPair): Promise<void> {
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    const held = await findPullForUpdate(tx, pull.id)
    const waiting = held && (await findScheduledMerge(tx, pull.id))
    if (!waiting || held.is_merged) throw notWaiting()
    if (waiting.doer_id !== ctx.viewer.id && !ctx.rights.isAdmin) {
      throw new Forbidden(
        'only the person who scheduled the merge and administrators may cancel it',
        'cancel_forbidden',
      )
    }
    await deleteScheduledMerge(tx, pull.id)
    await insertTimelineEntry(tx, by, pull.issue_id, { type: 'pull_cancel_scheduled_merge' })
    await touchIssues(tx, [pull.issue_id], by.atUnix)
    await publish(tx, 'pull.mergeScheduled', { ...factsOf(pull, by.doerId), isCancelled: true })
  })
}
