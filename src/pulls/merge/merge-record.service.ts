import type { RefEffect } from '../../access/contributions/ref-effect.ts'
import type { Tx } from '../../db/database.ts'
import type { CheckState, PullRow } from '../../db/tables/pulls.ts'
import { publish } from '../../events/hub.ts'
import type { Attribution } from '../../issues/attribution.ts'
import { changeState, holdIssue } from '../../issues/issue-change.service.ts'
import { findIssueById, loadIssues, updateIssue } from '../../issues/issue.store.ts'
import type { IssueId, Oid, PullId, UserId } from '../../lib/ids.ts'
import { deleteScheduledMerge } from './merge.store.ts'
import { findPullForUpdate, updatePull } from '../pull.store.ts'
import { factsOf } from '../pull-sync.service.ts'

/** The facts of a completed merge. */
export interface MergeFacts {
  readonly pullId: PullId
  /** The resulting commit of the base branch. */
  readonly mergeOid: Oid
  readonly mergerId: UserId
  /** Issues that the texts of the pull request close and reopen, limited by the merger's rights. */
  readonly closes: readonly IssueId[]
  readonly reopens: readonly IssueId[]
  readonly nowMs: number
  readonly state?: CheckState
}

/**
 * Records a merge: marks the pull request merged and closed, closes and reopens the referenced issues and deletes a
 * scheduled merge. Runs in the transaction that moves the base.
 * @returns the row; undefined when the pull request is already merged
 */
export async function recordMerge(tx: Tx, facts: MergeFacts): Promise<PullRow | undefined> {
  const before = await findPullForUpdate(tx, facts.pullId)
  if (!before || before.is_merged) return undefined
  const by: Attribution = { doerId: facts.mergerId, atUnix: Math.floor(facts.nowMs / 1000), isDated: false }
  const found = await findIssueById(tx, before.issue_id)
  if (!found) return undefined
  const issue = await holdIssue(tx, found)
  const pull = await updatePull(tx, before.id, {
    is_merged: true,
    merge_oid: facts.mergeOid,
    merger_id: facts.mergerId,
    merged_unix: by.atUnix,
    ...(facts.state ? { check_state: facts.state } : {}),
  })
  await updateIssue(tx, issue.id, { merged_unix: by.atUnix })
  await deleteScheduledMerge(tx, pull.id)
  await changeState(tx, by, { ...issue, merged_unix: by.atUnix }, true, 'merge_pull')
  await publish(tx, 'pull.merged', { ...factsOf(pull, facts.mergerId), mergeCommit: facts.mergeOid })
  const issues = await loadIssues(tx, [...facts.closes, ...facts.reopens])
  for (const [ids, isClosed] of [
    [facts.closes, true],
    [facts.reopens, false],
  ] as const) {
    for (const id of ids) {
      const issue = issues.get(id)
      // An issue with an open dependency stays open. References never close pull requests.
      if (issue && !issue.is_pull) await changeState(tx, by, issue, isClosed)
    }
  }
  return pull
}

/** Records a merge in the transaction that moves the base. */
export const mergeEffect =
  (facts: Pick<MergeFacts, 'pullId' | 'mergerId' | 'closes' | 'reopens'>): RefEffect =>
  async (tx, { moved, clock }) => {
    const [base] = moved
    if (!base) throw new Error(`the merge of pull request ${facts.pullId} moved no reference`)
    await recordMerge(tx, { ...facts, mergeOid: base.new, nowMs: clock.nowMs() })
  }
