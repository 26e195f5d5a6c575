import { listUsersWhoMay } from '../access/conditions/repo-condition.store.ts'
import type { Ctx, RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { isForeignKeyViolation, transaction, type Tx } from '../db/database.ts'
import type { IssueRow, MilestoneRow } from '../db/tables/issues.ts'
import { publish } from '../events/hub.ts'
import { BadRequest, Conflict, Forbidden, Invalid, NotFound, PreconditionFailed, type Refusal } from '../lib/errors.ts'
import type { LabelId, MilestoneId, UserId } from '../lib/ids.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { must } from '../lib/verdict.ts'
import { claimShownFiles } from './attachments/shown-files.service.ts'
import type { Attribution } from './attribution.ts'
import { endOfDay, optionalTime } from './due-date.rules.ts'
import {
  changeAssignees,
  changeContent,
  changeDue,
  changeLock,
  changeMilestone,
  changeRef,
  changeState,
  changeTitle,
  holdIssue,
  setFirstLabels,
} from './issue-change.service.ts'
import { mayEditIssue, mayManage, mayReadIssue } from './issue.policy.ts'
import type { RepoWithOwner } from './repo-with-owner.ts'
import {
  addToRepoCounters,
  findIssue,
  findIssueState,
  insertIssue,
  insertMentions,
  listBlockers,
  listUsersByName,
  takeNumber,
  type IssueState,
} from './issue.store.ts'
import { listUsableLabels } from './labels/label.store.ts'
import { findMilestone } from './milestones/milestone.store.ts'
import {
  findMentioned,
  findReferenced,
  namedByIssue,
  recordReferences,
  type Reference,
} from './references/reference.service.ts'
import { removeIssue } from './removal.service.ts'
import { keptTitle } from './title.rules.ts'
import { datedAttribution } from './updated-at.rules.ts'

export const noIssue = () => new NotFound('the issue does not exist', 'issue_not_found')

/**
 * Returns an issue or pull request by number without a check of rights.
 * @throws NotFound when it does not exist
 */
export async function getIssue(ctx: RepoCtx, index: number): Promise<IssueRow> {
  const issue = await findIssue(ctx.db, ctx.repo.id, index)
  if (!issue) throw noIssue()
  return issue
}

/**
 * Returns an issue or pull request by number.
 * @throws NotFound when it does not exist or the viewer may not read it
 */
export async function getReadableIssue(ctx: RepoCtx, index: number): Promise<IssueRow> {
  const issue = await getIssue(ctx, index)
  if (!mayReadIssue(ctx.rights, issue).allowed) throw noIssue()
  return issue
}

/**
 * Returns the revision state of an issue that the viewer may read.
 * @param wanted the state that an earlier query returned for the same path
 * @throws NotFound when the issue does not exist or the viewer may not read it
 */
export async function getReadableState(
  ctx: RepoCtx,
  index: number,
  wanted: IssueState | undefined,
): Promise<IssueState> {
  // The path may have belonged to another repository when the earlier query ran.
  const isOfRepo = wanted?.repo_id === ctx.repo.id
  const state = isOfRepo ? wanted : await findIssueState(ctx.db, ctx.repo.id, index)
  if (!state || !mayReadIssue(ctx.rights, state).allowed) throw noIssue()
  return state
}

export const attributionNow = (ctx: SignedInRepoCtx): Attribution => ({
  doerId: ctx.viewer.id,
  atUnix: nowUnix(ctx.clock),
  isDated: false,
})

/** Returns the account and the time of a request that may set its time (`updated_at`). */
export const attributionAt = (ctx: SignedInRepoCtx, issue: IssueRow, given: string | undefined): Attribution =>
  datedAttribution(given, { viewer: ctx.viewer, rights: ctx.rights, issue, nowUnix: nowUnix(ctx.clock) })

/**
 * Returns the accounts to assign, each once, in the order of the names. Readers of pull requests and writers of any unit
 * can be assigned (contract, issues: create).
 * @throws Invalid for an unknown name and for an account that cannot be assigned
 */
export async function getAssignable(ctx: Ctx & RepoWithOwner, names: readonly string[]): Promise<UserId[]> {
  const wanted = [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))]
  if (wanted.length === 0) return []
  const users = new Map((await listUsersByName(ctx.db, wanted)).map((user) => [user.lower_name, user]))
  const ids = wanted.map((name) => {
    const user = users.get(name)
    if (!user) throw new Invalid(`[assignees]: there is no user ${name}`, 'assignee_unknown', { field: 'assignees' })
    return user.id
  })
  // The unit of pull requests may be disabled (contract, issues: creating).
  const [readers, writers] = await Promise.all([
    listUsersWhoMay(ctx.db, ctx, ids, { units: ['pulls'], mode: 1, evenIfOff: true }),
    listUsersWhoMay(ctx.db, ctx, ids, { mode: 2, evenIfOff: true }),
  ])
  const assignable = new Set([...readers, ...writers].map((user) => user.id))
  const refused = ids.find((id) => !assignable.has(id))
  if (refused !== undefined) {
    const name = wanted[ids.indexOf(refused)]
    throw new Invalid(`[assignees]: ${name} cannot be assigned here`, 'assignee_refused', { field: 'assignees' })
  }
  return ids
}

/** The data of a new issue or pull request. */
export interface NewIssue {
  readonly isPull: boolean
  readonly title: string
  readonly content: string
  readonly ref: string
  readonly dueUnix: Unix
  readonly milestoneId: MilestoneId | undefined
  readonly labelIds: readonly LabelId[]
  readonly assigneeIds: readonly UserId[]
  /** The references in its title and text, resolved by the caller. */
  readonly references: readonly Reference[]
  readonly mentioned: readonly UserId[]
}

/**
 * Creates an issue or pull request with its number, counters, labels, assignees, references and the event `issue.opened`.
 * It ignores labels and milestones that are deleted meanwhile.
 */
export async function openIssue(
  tx: Tx,
  by: Attribution,
  repoWithOwner: RepoWithOwner,
  input: NewIssue,
): Promise<IssueRow> {
  const { repo } = repoWithOwner
  const milestone = input.milestoneId === undefined ? undefined : await findMilestone(tx, repo.id, input.milestoneId)
  const labels = input.labelIds.length === 0 ? [] : await listUsableLabels(tx, repo, { ids: input.labelIds })
  const index = await takeNumber(tx, repo.id)
  let issue = await insertIssue(tx, {
    repo_id: repo.id,
    index,
    is_pull: input.isPull,
    poster_id: by.doerId,
    title: input.title,
    content: input.content,
    ref: input.ref,
    milestone_id: null,
    due_unix: input.dueUnix,
    created_unix: by.atUnix,
    updated_unix: by.atUnix,
  })
  await claimShownFiles(tx, by.doerId, issue, undefined)
  await addToRepoCounters(tx, repo.id, input.isPull, { total: 1, closed: 0 })
  await insertMentions(tx, issue.id, input.mentioned)
  await publish(tx, 'issue.opened', {
    repoId: repo.id,
    issueId: issue.id,
    doerId: by.doerId,
    isPull: issue.is_pull,
    mentioned: [...input.mentioned],
  })
  issue = await changeMilestone(tx, by, issue, milestone)
  issue = await setFirstLabels(tx, by, issue, labels)
  issue = await changeAssignees(tx, by, issue, input.assigneeIds)
  await recordReferences(tx, by, { issue, comment: undefined }, input.references)
  return issue
}

/** The fields of a request to create an issue, under the API's names. */
export interface CreateIssueInput {
  readonly title: string
  readonly body?: string | undefined
  readonly ref?: string | undefined
  readonly assignee?: string | undefined
  readonly assignees?: readonly string[] | undefined
  readonly dueDate: string | undefined
  readonly milestone?: number | undefined
  readonly labels?: readonly number[] | undefined
  readonly closed?: boolean | undefined
  /** Runs in the transaction that creates the issue. */
  readonly beside?: (tx: Tx, issue: IssueRow) => Promise<void>
}

/** Returns whether the owner of the repository or the author of the issue blocks the viewer. */
export const isBlockedFrom = async (
  ctx: SignedInRepoCtx,
  { poster_id: posterId }: Pick<IssueRow, 'poster_id'>,
): Promise<boolean> => (await listBlockers(ctx.db, [ctx.owner.id, posterId], ctx.viewer.id)).size > 0

/**
 * Refuses a viewer whom the owner of the repository blocks.
 * @throws Forbidden
 */
export async function refuseBlocked(ctx: SignedInRepoCtx, blockers: readonly UserId[]): Promise<void> {
  if ((await listBlockers(ctx.db, blockers, ctx.viewer.id)).size > 0) {
    throw new Forbidden('you are blocked by the owner of the repository or the author', 'blocked')
  }
}

/** Creates an issue. It ignores labels, milestone, assignees and due date unless the caller may write (contract). */
export async function createIssue(ctx: SignedInRepoCtx, input: CreateIssueInput): Promise<IssueRow> {
  await refuseBlocked(ctx, [ctx.owner.id])
  const isTrusted = ctx.rights.canWrite('issues')
  const title = keptTitle(input.title)
  const content = input.body ?? ''
  const names = [...(input.assignee ? [input.assignee] : []), ...(input.assignees ?? [])]
  const assigneeIds = isTrusted ? await getAssignable(ctx, names) : []
  const named = await namedByIssue(ctx, { title, content })
  const [references, mentioned] = await Promise.all([
    findReferenced(ctx, named),
    findMentioned(ctx, { is_pull: false }, named),
  ])
  const by = attributionNow(ctx)
  return changing(() =>
    transaction(ctx.db, async (tx) => {
      const issue = await openIssue(tx, by, ctx, {
        isPull: false,
        title,
        content,
        ref: input.ref ?? '',
        dueUnix: isTrusted ? optionalTime(input.dueDate, 'due_date') : 0,
        milestoneId: isTrusted && input.milestone ? (input.milestone as MilestoneId) : undefined,
        labelIds: isTrusted ? ((input.labels ?? []) as LabelId[]) : [],
        assigneeIds,
        references,
        mentioned,
      })
      await input.beside?.(tx, issue)
      return input.closed ? (await changeState(tx, by, issue, true)).issue : issue
    }),
  )
}

/** Runs a change. A label, milestone or account that another request deletes during the change gives a `Conflict`. */
export async function changing<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (isForeignKeyViolation(error)) {
      throw new Conflict('something that the request names was deleted at the same time; try again', 'just_deleted')
    }
    throw error
  }
}

/** The fields of a request to edit an issue, under the API's names. */
export interface EditIssueInput {
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly ref?: string | undefined
  readonly assignee?: string | undefined
  readonly assignees?: readonly string[] | undefined
  readonly milestone?: number | undefined
  readonly state?: string | undefined
  readonly dueDate: string | undefined
  readonly unsetDueDate: boolean | undefined
  readonly updatedAt: string | undefined
}

/** Returns the due date of an edit: undefined keeps the current one, 0 removes it. */
function dueWanted(input: EditIssueInput): Unix | undefined {
  if (input.unsetDueDate === false && input.dueDate === undefined) {
    throw new BadRequest('unset_due_date cannot be false without a due date', 'due_date_missing')
  }
  if (input.unsetDueDate) return 0
  if (input.dueDate === undefined) return undefined
  return optionalTime(input.dueDate, 'due_date') === 0 ? 0 : endOfDay(input.dueDate, 'given offset')
}

/** Returns the assignees of an edit: undefined keeps the current ones. */
async function assigneesWanted(ctx: SignedInRepoCtx, input: EditIssueInput): Promise<UserId[] | undefined> {
  if (input.assignees === undefined && input.assignee === undefined) return undefined
  return getAssignable(ctx, [...(input.assignees ?? []), ...(input.assignee ? [input.assignee] : [])])
}

/**
 * Edits an issue or pull request: title, text, branch, due date, assignees, milestone and state, in this order. A refused
 * change of state keeps the earlier changes.
 * @throws PreconditionFailed when a dependency is open or the pull request is merged
 */
export async function editIssue(ctx: SignedInRepoCtx, issue: IssueRow, input: EditIssueInput): Promise<IssueRow> {
  must(mayEditIssue(ctx.viewer, ctx.rights, issue))
  const by = attributionAt(ctx, issue, input.updatedAt)
  const manages = mayManage(ctx.rights, issue).allowed
  const title = input.title === undefined ? undefined : keptTitle(input.title)
  if ((title !== undefined && title !== '' && title !== issue.title) || input.state !== undefined) {
    await refuseBlocked(ctx, [ctx.owner.id])
  }
  const dueUnix = dueWanted(input)
  const assigneeIds = manages ? await assigneesWanted(ctx, input) : undefined
  const milestone = manages ? await milestoneWanted(ctx, input.milestone) : undefined
  const content = input.body
  const namesOthers =
    (title !== undefined && title !== issue.title) || (content !== undefined && content !== issue.content)
  const references = namesOthers
    ? await findReferenced(
        ctx,
        await namedByIssue(ctx, { title: title || issue.title, content: content ?? issue.content }),
      )
    : undefined
  const { changed, refusal } = await changing(() =>
    transaction(ctx.db, async (tx) => {
      let row = await holdIssue(tx, issue)
      if (title !== undefined) row = await changeTitle(tx, by, row, title)
      if (content !== undefined) row = await changeContent(tx, by, row, content)
      if (references) await recordReferences(tx, by, { issue: row, comment: undefined }, references)
      if (input.ref !== undefined) row = await changeRef(tx, by, row, input.ref)
      if (manages && dueUnix !== undefined) row = await changeDue(tx, by, row, dueUnix)
      if (assigneeIds) row = await changeAssignees(tx, by, row, assigneeIds)
      if (milestone) row = await changeMilestone(tx, by, row, milestone.row)
      return input.state === undefined ? { changed: row, refusal: undefined } : applyState(tx, by, row, input.state)
    }),
  )
  if (refusal) throw refusal
  return changed
}

async function milestoneWanted(
  ctx: SignedInRepoCtx,
  id: number | undefined,
): Promise<{ readonly row: MilestoneRow | undefined } | undefined> {
  if (id === undefined) return undefined
  if (id === 0) return { row: undefined }
  const row = await findMilestone(ctx.db, ctx.repo.id, id as MilestoneId)
  if (!row) throw new NotFound('the milestone does not exist', 'milestone_not_found')
  return { row }
}

/**
 * Closes or reopens an issue or pull request that the transaction holds.
 * @param state `closed` closes; anything else reopens
 */
export async function applyState(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  state: string,
): Promise<{ readonly changed: IssueRow; readonly refusal: Refusal | undefined }> {
  if (issue.merged_unix > 0) {
    return {
      changed: issue,
      refusal: new PreconditionFailed('the state of a merged pull request cannot be changed', 'pull_merged'),
    }
  }
  const { kind, issue: changed } = await changeState(tx, by, issue, state === 'closed')
  const refusal =
    kind === 'blocked'
      ? new PreconditionFailed('an issue that this one depends on is still open', 'dependency_open')
      : undefined
  return { changed, refusal }
}

/**
 * Sets the due date to the last second of the given day in the server's zone, or removes it.
 * @returns the due date, 0 after removal
 */
export async function setDeadline(ctx: SignedInRepoCtx, issue: IssueRow, dueDate: string | undefined): Promise<Unix> {
  if (!mayManage(ctx.rights, issue).allowed) {
    throw new Forbidden('only people with write access may set a due date', 'deadline_forbidden')
  }
  const dueUnix = optionalTime(dueDate, 'due_date') === 0 ? 0 : endOfDay(dueDate as string, 'server')
  await transaction(ctx.db, async (tx) => changeDue(tx, attributionNow(ctx), await holdIssue(tx, issue), dueUnix))
  return dueUnix
}

/** Locks the conversation of an issue, or unlocks it. */
export async function setLock(ctx: SignedInRepoCtx, issue: IssueRow, isLocked: boolean): Promise<void> {
  must(mayManage(ctx.rights, issue))
  await transaction(ctx.db, async (tx) => changeLock(tx, attributionNow(ctx), await holdIssue(tx, issue), isLocked))
}

/** Deletes an issue or pull request with its rows and the entries about it in other timelines. */
export async function deleteIssue(ctx: SignedInRepoCtx, issue: IssueRow): Promise<void> {
  if (!(await transaction(ctx.db, (tx) => removeIssue(tx, attributionNow(ctx), issue)))) throw noIssue()
}
