import type { Tx } from '../db/database.ts'
import type { CheckState, PullRow } from '../db/tables/pulls.ts'
import { publish } from '../events/hub.ts'
import type { Attribution } from '../issues/attribution.ts'
import { changeState, holdIssue } from '../issues/issue-change.service.ts'
import { findIssueById, loadIssues, updateIssue } from '../issues/issue.store.ts'
import type { IssueId, Oid, PullId, UserId } from '../lib/ids.ts'
import { deleteMerges, deleteScheduledMerge } from './merge.store.ts'
import { findPullForUpdate, updatePull } from './pull.store.ts'
import { factsOf } from './pull-sync.service.ts'

export interface MergeFacts {
  readonly pullId: PullId
  /** The commit that the merge resulted in. */
  readonly mergeOid: Oid
  readonly mergerId: UserId
  /** Issues that the pull request promised to close and to reopen, as far as the merger may. */
  readonly closes: readonly IssueId[]
  readonly reopens: readonly IssueId[]
  readonly nowMs: number
  readonly state?: CheckState
}

/**
 * Everything that follows from a merge in the database: the pull request is merged and closed, what it promised is
 * done, a waiting merge is forgotten. Part of the transaction that records the move of the base.
 * @returns the row; undefined when it was merged before
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
  await deleteMerges(tx, pull.id)
  await changeState(tx, by, { ...issue, merged_unix: by.atUnix }, true, 'merge_pull')
  await publish(tx, 'pull.merged', { ...factsOf(pull, facts.mergerId), mergeCommit: facts.mergeOid })
  const issues = await loadIssues(tx, [...facts.closes, ...facts.reopens])
  for (const [ids, isClosed] of [
    [facts.closes, true],
    [facts.reopens, false],
  ] as const) {
    for (const id of ids) {
      const promised = issues.get(id)
      // One that waits for another stays open; a pull request is never closed so.
      if (promised && !promised.is_pull) await changeState(tx, by, promised, isClosed)
    }
  }
  return pull
}
