import type { SignedInRepoCtx } from '../access/context.ts'
import { accessTo } from '../access/repo-access.ts'
import { transaction, type Db, type Tx } from '../db/database.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import { publish } from '../events/hub.ts'
import type { Attribution } from '../issues/attribution.ts'
import { endOfDay, optionalTime } from '../issues/due-date.rules.ts'
import { insertTimelineEntry } from '../issues/timeline-entry.store.ts'
import {
  changeAssignees,
  changeContent,
  changeDue,
  changeMilestone,
  changeTitle,
  holdIssue,
  replaceLabels,
} from '../issues/issue-change.service.ts'
import { mayEditIssue, mayManage } from '../issues/issue.policy.ts'
import { applyState, attributionNow, changing, getAssignable, refuseBlocked } from '../issues/issue.service.ts'
import { listUsableLabels } from '../issues/labels/label.store.ts'
import { findMilestone } from '../issues/milestones/milestone.store.ts'
import { findReferenced, namedByIssue, recordReferences } from '../issues/references/reference.service.ts'
import { keptTitle } from '../issues/title.rules.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '../lib/errors.ts'
import type { LabelId, MilestoneId, UserId } from '../lib/ids.ts'
import { must } from '../lib/verdict.ts'
import { findBranch } from '../code/branches/branch.store.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { findUserById } from '../users/user.store.ts'
import { findCodeOwners } from './reviews/code-owners.service.ts'
import { upToDate } from './pull-check.service.ts'
import { mayAllowMaintainerEdit } from './maintainer-edit.policy.ts'
import { factsOf } from './pull-sync.service.ts'
import { isDraft, mergeBaseOf } from './pull.rules.ts'
import { pairsOf } from './pull.service.ts'
import { findOpenBetween, findPullById, lockRepo, requestChecks, updatePull, type PullPair } from './pull.store.ts'
import { planRequests, recordRequests } from './reviews/review-request.service.ts'

/** The input of editing a pull request, with the API's names of fields. */
export interface EditPullInput {
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly base?: string | undefined
  readonly assignee?: string | undefined
  readonly assignees?: readonly string[] | undefined
  readonly milestone?: number | undefined
  readonly labels?: readonly number[] | undefined
  readonly state?: string | undefined
  readonly dueDate: string | undefined
  readonly unsetDueDate: boolean | undefined
  readonly allowsMaintainerEdit: boolean | undefined
}

/** Returns the requested due date in Unix seconds: 0 removes it, undefined keeps it. */
function dueWanted(input: EditPullInput): number | undefined {
  if (input.unsetDueDate) return 0
  if (input.dueDate === undefined) return undefined
  return optionalTime(input.dueDate, 'due_date') === 0 ? undefined : endOfDay(input.dueDate, 'given offset')
}

async function assigneesWanted(ctx: SignedInRepoCtx, input: EditPullInput): Promise<UserId[] | undefined> {
  if (input.assignees === undefined && input.assignee === undefined) return undefined
  return getAssignable(ctx, [...(input.assignees ?? []), ...(input.assignee ? [input.assignee] : [])])
}

/**
 * Edits a pull request in this order: title, text, due date, assignees, milestone, labels, state, base, maintainer edits.
 * A refused change keeps the changes before it. Source: contract (pulls: edit).
 * @throws Forbidden unless the caller is the author or has write access
 */
export async function editPull(ctx: SignedInRepoCtx, pair: PullPair, input: EditPullInput): Promise<PullPair> {
  const { issue, pull } = pair
  must(mayEditIssue(ctx.viewer, ctx.rights, issue))
  const by = attributionNow(ctx)
  const manages = mayManage(ctx.rights, issue).allowed
  const title = input.title === undefined ? undefined : keptTitle(input.title)
  if ((title !== undefined && title !== '' && title !== issue.title) || input.state !== undefined) {
    await refuseBlocked(ctx, [ctx.owner.id])
  }
  const dueUnix = dueWanted(input)
  const assigneeIds = manages ? await assigneesWanted(ctx, input) : undefined
  const milestone =
    manages && input.milestone ? await findMilestone(ctx.db, ctx.repo.id, input.milestone as MilestoneId) : undefined
  if (manages && input.milestone && !milestone) {
    throw new NotFound('the milestone does not exist', 'milestone_not_found')
  }
  const labelIds = manages ? (input.labels as readonly LabelId[] | undefined) : undefined
  const text = { title: title || issue.title, content: input.body ?? issue.content }
  const isReworded = text.title !== issue.title || text.content !== issue.content
  const references = isReworded ? await findReferenced(ctx, await namedByIssue(ctx, text)) : undefined
  const isReadied = isDraft(ctx, issue) && !isDraft(ctx, text) && !issue.is_closed
  const requests = isReadied ? await ownersOf(ctx, pair) : []
  const base = input.base === '' || pull.is_merged ? undefined : input.base
  // What the steps after the transaction would refuse is refused before it, and changes nothing. Only a state that dependencies
  // refuse keeps the other changes.
  if (base !== undefined) await checkBase(ctx, pair, base, input.state)
  if (input.allowsMaintainerEdit !== undefined) await checkMaintainerEdit(ctx, pair)

  const refusal = await changing(() =>
    transaction(ctx.db, async (tx) => {
      let row = await holdIssue(tx, issue)
      if (title !== undefined) row = await changeTitle(tx, by, row, title)
      if (input.body !== undefined) row = await changeContent(tx, by, row, input.body)
      if (references) await recordReferences(tx, by, { issue: row, comment: undefined }, references)
      if (isReadied) {
        await publish(tx, 'pull.readied', factsOf(pull, by.doerId))
        await recordRequests(tx, { ...by, doerId: issue.poster_id }, pull, requests)
      }
      if (dueUnix !== undefined) row = await changeDue(tx, by, row, dueUnix)
      if (assigneeIds) row = await changeAssignees(tx, by, row, assigneeIds)
      if (milestone) row = await changeMilestone(tx, by, row, milestone)
      if (labelIds) {
        const labels = labelIds.length === 0 ? [] : await listUsableLabels(tx, ctx.repo, { ids: labelIds })
        row = await replaceLabels(tx, by, row, labels)
      }
      return input.state === undefined ? undefined : (await applyState(tx, by, row, input.state)).refusal
    }),
  )
  if (refusal) throw refusal
  if (base !== undefined) await changeBase(ctx, pull, base)
  const { allowsMaintainerEdit } = input
  if (allowsMaintainerEdit !== undefined) {
    await transaction(ctx.db, (tx) => updatePull(tx, pull.id, { allow_maintainer_edit: allowsMaintainerEdit }))
  }
  return newest(ctx, pair)
}

async function newest(ctx: SignedInRepoCtx, pair: PullPair): Promise<PullPair> {
  const pull = await findPullById(ctx.db, pair.pull.id)
  const [found] = pull ? await pairsOf(ctx, [pull]) : []
  if (!found || found.issue.is_closed) return found ?? pair
  return { issue: found.issue, pull: await upToDate(ctx, found.pull) }
}

async function ownersOf(ctx: SignedInRepoCtx, { pull, issue }: PullPair) {
  const base = mergeBaseOf(pull)
  const files = await ctx.git.diffFiles(ctx.repo.git_key, { base, head: pull.synced_oid })
  return planRequests(ctx, pull, await findCodeOwners(ctx, files, issue.poster_id))
}

/** Changes the base of pull requests and marks them for a new check. */
export async function retarget(tx: Tx, by: Attribution, pulls: readonly PullRow[], newBase: string): Promise<void> {
  await requestChecks(
    tx,
    pulls.map((pull) => pull.id),
    { base_branch: newBase },
  )
  for (const pull of pulls) {
    await insertTimelineEntry(tx, by, pull.issue_id, {
      type: 'change_target_branch',
      old_ref: pull.base_branch,
      new_ref: newBase,
    })
    await publish(tx, 'pull.retargeted', { ...factsOf(pull, by.doerId), oldBase: pull.base_branch, newBase })
  }
}

/** Throws when the pull request cannot have the base in the state that the same edit gives it. */
async function checkBase(
  ctx: SignedInRepoCtx,
  { issue, pull }: PullPair,
  base: string,
  state: EditPullInput['state'],
): Promise<void> {
  if (base === pull.base_branch) return
  if (!(await findBranch(ctx.db, ctx.repo.id, base))) {
    throw new NotFound(`there is no branch ${base}`, 'branch_not_found')
  }
  if (pull.head_repo_id === pull.repo_id && pull.flow === 0 && base === pull.head_branch) {
    throw new Invalid('head and base are the same branch', 'same_branches')
  }
  const isClosed = state === undefined ? issue.is_closed : state === 'closed'
  await refuseBase(ctx.db, { pull, issue: { ...issue, is_closed: isClosed } }, base)
}

/** Throws when the pull request is closed, or when another one has the base and the same head. */
async function refuseBase(db: Db | Tx, { issue, pull }: PullPair, base: string): Promise<void> {
  if (issue.is_closed) throw new Invalid('the base of a closed pull request cannot be changed', 'pull_closed')
  if (pull.head_repo_id === null) return
  const other = await findOpenBetween(db, {
    repoId: pull.repo_id,
    baseBranch: base,
    headRepoId: pull.head_repo_id,
    headBranch: pull.head_branch,
    flow: pull.flow,
  })
  if (other) throw new Conflict(`pull request ${other.index} is already open for these branches`, 'pull_exists')
}

async function changeBase(ctx: SignedInRepoCtx, pull: PullRow, base: string): Promise<void> {
  if (base === pull.base_branch) return
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    await lockRepo(tx, ctx.repo.id)
    const now = await findPullById(tx, pull.id)
    if (!now || now.is_merged || now.base_branch === base) return
    const [pair] = await pairsOf({ db: tx }, [now])
    if (pair) await refuseBase(tx, pair, base)
    await retarget(tx, by, [now], base)
  })
}

/**
 * Throws when the caller may not decide whether maintainers of the base may push to the head: only an author with write access to
 * the head decides.
 */
async function checkMaintainerEdit(ctx: SignedInRepoCtx, { pull, issue }: PullPair): Promise<void> {
  const refused = new Forbidden(
    'only an author with write access to the head branch may allow maintainer edits',
    'maintainer_edit_forbidden',
  )
  if (issue.poster_id !== ctx.viewer.id || pull.head_repo_id === null) throw refused
  const repo = await findRepoById(ctx.db, pull.head_repo_id)
  const owner = repo && (await findUserById(ctx.db, repo.owner_id))
  if (!repo || !owner) throw refused
  const { rights } = await accessTo(ctx.db, ctx.viewer, owner, repo)
  must(mayAllowMaintainerEdit(rights))
}
