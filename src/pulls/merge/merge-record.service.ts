import { Type } from 'typebox'
import { refEffect } from '../../access/contributions/ref-effect.ts'
import type { Tx } from '../../db/database.ts'
import type { CheckState, PullRow } from '../../db/tables/pulls.ts'
import { publish } from '../../events/hub.ts'
import type { Attribution } from '../../issues/attribution.ts'
import { changeState, holdIssue } from '../../issues/issue-change.service.ts'
import { findIssueById, loadIssues, updateIssue } from '../../issues/issue.store.ts'
import { mergeEffectName } from '../../issues/merge-claim.store.ts'
import type { IssueId, Oid, PullId, UserId } from '../../lib/ids.ts'
import { deleteScheduledMerge } from './merge.store.ts'
import { findPullForUpdate, updatePull } from '../pull.store.ts'
import type { BuildStyle } from './merge-style.ts'
import { factsOf } from '../pull-sync.service.ts'

/** What is known of a merge that was made. */
export interface MergeFacts {
  readonly pullId: PullId
  /** The commit that the merge resulted in. */
  readonly mergeOid: Oid
  readonly mergerId: UserId
  /** Issues that the texts of the pull request say it closes and reopens, as far as the merger may. */
  readonly closes: readonly IssueId[]
  readonly reopens: readonly IssueId[]
  readonly nowMs: number
  readonly state?: CheckState
}

/**
 * Everything that follows from a merge in the database: the pull request is merged and closed, the
 * issues that it refers to follow, a waiting merge is forgotten. Part of the transaction that records the move of the base.
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
  await changeState(tx, by, { ...issue, merged_unix: by.atUnix }, true, 'merge_pull')
  await publish(tx, 'pull.merged', { ...factsOf(pull, facts.mergerId), mergeCommit: facts.mergeOid })
  const issues = await loadIssues(tx, [...facts.closes, ...facts.reopens])
  for (const [ids, isClosed] of [
    [facts.closes, true],
    [facts.reopens, false],
  ] as const) {
    for (const id of ids) {
      const issue = issues.get(id)
      // One that waits for another stays open; a pull request is never closed so.
      if (issue && !issue.is_pull) await changeState(tx, by, issue, isClosed)
    }
  }
  return pull
}

const issueIds = Type.Array(Type.Unsafe<IssueId>(Type.Integer()))

/** A merge, written down together with the move of its base: whoever records the move records the merge. */
export const mergeEffect = refEffect({
  name: mergeEffectName,
  data: Type.Object({
    pullId: Type.Unsafe<PullId>(Type.Integer()),
    doerId: Type.Unsafe<UserId>(Type.Integer()),
    /** Left out of merges that were begun by a release that did not write it down. */
    style: Type.Optional(Type.Unsafe<BuildStyle>(Type.String())),
    closes: issueIds,
    reopens: issueIds,
  }),
  about: ({ pullId }) => pullId,
  async apply(tx, { pullId, doerId, closes, reopens }, { moved, clock }) {
    const [base] = moved
    if (!base) throw new Error(`the merge of pull request ${pullId} moved nothing`)
    await recordMerge(tx, { pullId, mergeOid: base.new, mergerId: doerId, closes, reopens, nowMs: clock.nowMs() })
  },
})
