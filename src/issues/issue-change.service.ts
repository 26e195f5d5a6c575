import type { Tx } from '../db/database.ts'
import type { CommentRow, IssueRow, LabelRow, MilestoneRow } from '../db/tables/issues.ts'
import { publish } from '../events/hub.ts'
import type { LabelId, MilestoneId, Oid, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import { claimShownFiles } from './attachments/shown-files.service.ts'
import type { Attribution } from './attribution.ts'
import { insertTimelineEntries, insertTimelineEntry } from './timeline-entry.store.ts'
import { insertContentHistory } from './content-history.store.ts'
import {
  addToLabelCounters,
  addToMilestoneCounters,
  addToRepoCounters,
  deleteAssignees,
  findIssueForUpdate,
  hasOpenDependency,
  insertAssignees,
  listAssigneeIds,
  updateIssue,
} from './issue.store.ts'
import { deleteIssueLabels, insertIssueLabels, listSetLabels } from './labels/label.store.ts'
import { stopOwnWatch } from './time/stopwatch.service.ts'
import { furtherWordsOfIssue } from './search/further-words.parse.ts'

/**
 * Changes of an issue or pull request. Each function writes the row, the timeline entry, the counters and the event in the
 * caller's transaction. The caller checks rights.
 */

const facts = (issue: IssueRow, by: Attribution) => ({
  repoId: issue.repo_id,
  issueId: issue.id,
  doerId: by.doerId,
  isPull: issue.is_pull,
})

/** Returns the current row of an issue and locks it until the transaction ends. */
export async function holdIssue(tx: Tx, issue: IssueRow): Promise<IssueRow> {
  return (await findIssueForUpdate(tx, issue.id)) ?? issue
}

/** Changes the title. An empty or equal title changes nothing. */
export async function changeTitle(tx: Tx, by: Attribution, issue: IssueRow, title: string): Promise<IssueRow> {
  if (title === '' || title === issue.title) return issue
  await insertTimelineEntry(tx, by, issue.id, { type: 'change_title', old_title: issue.title, new_title: title })
  await publish(tx, 'issue.edited', { ...facts(issue, by), posterId: issue.poster_id, oldTitle: issue.title })
  return updateIssue(tx, issue.id, {
    title,
    further_words: furtherWordsOfIssue({ ...issue, title }),
    updated_unix: by.atUnix,
  })
}

/** Changes the text and keeps its previous version. An equal text changes nothing. */
export async function changeContent(tx: Tx, by: Attribution, issue: IssueRow, content: string): Promise<IssueRow> {
  if (content === issue.content) return issue
  const about = { issue_id: issue.id, comment_id: 0 }
  await insertContentHistory(tx, [
    ...(issue.content_version === 0
      ? [
          {
            ...about,
            poster_id: issue.poster_id,
            content: issue.content,
            edited_unix: issue.created_unix,
            is_first: true,
          },
        ]
      : []),
    { ...about, poster_id: by.doerId, content, edited_unix: by.atUnix, is_first: false },
  ])
  await publish(tx, 'issue.edited', { ...facts(issue, by), posterId: issue.poster_id, oldContent: issue.content })
  await claimShownFiles(tx, by.doerId, { ...issue, content }, undefined)
  return updateIssue(tx, issue.id, {
    content,
    further_words: furtherWordsOfIssue({ ...issue, content }),
    content_version: issue.content_version + 1,
    updated_unix: by.atUnix,
  })
}

const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, '')

/** Changes the branch of an issue. The same branch again writes an entry too (observed). */
export async function changeRef(tx: Tx, by: Attribution, issue: IssueRow, ref: string): Promise<IssueRow> {
  await insertTimelineEntry(tx, by, issue.id, {
    type: 'change_issue_ref',
    old_ref: shortRef(issue.ref),
    new_ref: shortRef(ref),
  })
  if (ref !== issue.ref) await publish(tx, 'issue.edited', { ...facts(issue, by), oldRef: issue.ref })
  return updateIssue(tx, issue.id, { ref, updated_unix: by.atUnix })
}

const dayOf = (unix: Unix): string => new Date(unix * 1000).toISOString().slice(0, 10)

/** @param dueUnix 0 removes the date */
export async function changeDue(tx: Tx, by: Attribution, issue: IssueRow, dueUnix: Unix): Promise<IssueRow> {
  if (dueUnix === issue.due_unix) return issue
  const entry =
    dueUnix === 0
      ? { type: 'removed_deadline' as const, content: dayOf(issue.due_unix) }
      : issue.due_unix === 0
        ? { type: 'added_deadline' as const, content: dayOf(dueUnix) }
        : { type: 'modified_deadline' as const, content: `${dayOf(dueUnix)}|${dayOf(issue.due_unix)}` }
  await insertTimelineEntry(tx, by, issue.id, entry)
  await publish(tx, 'issue.edited', { ...facts(issue, by), oldDueUnix: issue.due_unix })
  return updateIssue(tx, issue.id, { due_unix: dueUnix, updated_unix: by.atUnix })
}

/** Replaces the assignees; those who stay keep their order. Each change writes one entry and one event. */
export async function changeAssignees(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  userIds: readonly UserId[],
): Promise<IssueRow> {
  const current = await listAssigneeIds(tx, issue.id)
  const removed = current.filter((id) => !userIds.includes(id))
  const added = [...new Set(userIds)].filter((id) => !current.includes(id))
  if (removed.length === 0 && added.length === 0) return issue
  await deleteAssignees(tx, issue.id, removed)
  await insertAssignees(tx, issue.id, added)
  const changes = [
    ...removed.map((assigneeId) => ({ assigneeId, removed: true })),
    ...added.map((assigneeId) => ({ assigneeId, removed: false })),
  ]
  await insertTimelineEntries(
    tx,
    by,
    changes.map((change) => ({
      issue_id: issue.id,
      type: 'assignees',
      assignee_id: change.assigneeId,
      removed_assignee: change.removed,
    })),
  )
  for (const change of changes) await publish(tx, 'issue.assigned', { ...facts(issue, by), ...change })
  return updateIssue(tx, issue.id, { updated_unix: by.atUnix })
}

const countsOf = (issue: IssueRow, sign: 1 | -1) => ({ total: sign, closed: issue.is_closed ? sign : 0 })

/** Moves an issue to another milestone, or to none. Both milestones get the later time of change. */
export async function changeMilestone(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  milestone: MilestoneRow | undefined,
): Promise<IssueRow> {
  const milestoneId = milestone?.id ?? null
  if (milestoneId === issue.milestone_id) return issue
  const time = { unix: by.atUnix, onlyLater: true }
  if (issue.milestone_id !== null) await addToMilestoneCounters(tx, issue.milestone_id, countsOf(issue, -1), time)
  if (milestoneId !== null) await addToMilestoneCounters(tx, milestoneId, countsOf(issue, 1), time)
  await insertTimelineEntry(tx, by, issue.id, {
    type: 'milestone',
    milestone_id: milestoneId,
    old_milestone_id: issue.milestone_id,
  })
  await publish(tx, 'issue.milestoned', {
    ...facts(issue, by),
    milestoneId: milestoneId ?? (0 as MilestoneId),
    oldMilestoneId: issue.milestone_id ?? (0 as MilestoneId),
  })
  return updateIssue(tx, issue.id, { milestone_id: milestoneId, updated_unix: by.atUnix })
}

/** Publishes that an issue got a relation, or lost one. */
export const publishRelation = (tx: Tx, by: Attribution, issue: IssueRow): Promise<unknown> =>
  publish(tx, 'issue.edited', { ...facts(issue, by), posterId: issue.poster_id, relates: true })

/** The result of closing or reopening; `blocked` when a dependency is open. */
export type StateChange = { readonly kind: 'changed' | 'same' | 'blocked'; readonly issue: IssueRow }

/**
 * Closes or reopens an issue. Closing stops the doer's own stopwatch, even when an open dependency refuses it.
 * @param entry the type of the timeline entry; a merge writes `merge_pull`
 * @param commit the commit whose message closes the issue
 */
export async function changeState(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  isClosed: boolean,
  entry: 'close' | 'merge_pull' = 'close',
  commit?: Oid,
): Promise<StateChange> {
  if (issue.is_closed === isClosed) return { kind: 'same', issue }
  if (isClosed && entry === 'close' && (await hasOpenDependency(tx, issue.id))) {
    await stopOwnWatch(tx, by, issue)
    return { kind: 'blocked', issue }
  }
  const change = { total: 0, closed: isClosed ? 1 : -1 }
  await addToRepoCounters(tx, issue.repo_id, issue.is_pull, change)
  if (issue.milestone_id !== null) {
    await addToMilestoneCounters(tx, issue.milestone_id, change, { unix: by.atUnix, onlyLater: false })
  }
  await addToLabelCounters(
    tx,
    (await listSetLabels(tx, issue.id)).map((label) => label.id),
    change,
  )
  await insertTimelineEntry(tx, by, issue.id, { type: isClosed ? entry : 'reopen' })
  if (isClosed) await stopOwnWatch(tx, by, issue)
  const changed = await updateIssue(tx, issue.id, {
    is_closed: isClosed,
    closed_unix: isClosed ? by.atUnix : 0,
    updated_unix: by.atUnix,
  })
  if (isClosed) await publish(tx, 'issue.closed', { ...facts(issue, by), ...(commit ? { commit } : {}) })
  else await publish(tx, 'issue.reopened', facts(issue, by))
  return { kind: 'changed', issue: changed }
}

/** The scope of an exclusive label: its name up to the last slash; none without a slash, or with one at an end. */
export function scopeOf(label: LabelRow): string | undefined {
  const at = label.name.lastIndexOf('/')
  return label.is_exclusive && at > 0 && at < label.name.length - 1 ? label.name.slice(0, at) : undefined
}

const byName = (one: LabelRow, other: LabelRow): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : one.id - other.id

/** Of several labels of one scope only the last by name, in the given order. */
function withoutRivals(labels: readonly LabelRow[]): LabelRow[] {
  const winners = new Map<string, LabelRow>()
  for (const label of labels.toSorted(byName)) {
    const scope = scopeOf(label)
    if (scope !== undefined) winners.set(scope, label)
  }
  return labels.filter((label) => {
    const scope = scopeOf(label)
    return scope === undefined || winners.get(scope) === label
  })
}

/** Adds and removes labels. The issue counts as changed when there is a step. */
async function changeLabels(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  change: {
    readonly steps: readonly { readonly label: LabelRow; readonly isSet: boolean }[]
    readonly cleared?: boolean
  },
): Promise<IssueRow> {
  if (change.steps.length === 0) return issue
  const idsOf = (isSet: boolean): LabelId[] =>
    change.steps.filter((step) => step.isSet === isSet).map((step) => step.label.id)
  const added = idsOf(true)
  const removed = idsOf(false)
  await deleteIssueLabels(tx, issue.id, removed)
  await insertIssueLabels(tx, issue.id, added)
  await addToLabelCounters(tx, added, countsOf(issue, 1))
  await addToLabelCounters(tx, removed, countsOf(issue, -1))
  await insertTimelineEntries(
    tx,
    by,
    change.steps.map(({ label, isSet }) => ({
      issue_id: issue.id,
      type: 'label',
      label_id: label.id,
      content: isSet ? '1' : '',
    })),
  )
  await publish(tx, 'issue.labelled', { ...facts(issue, by), added, removed, cleared: change.cleared ?? false })
  return updateIssue(tx, issue.id, { updated_unix: by.atUnix })
}

const set = (label: LabelRow) => ({ label, isSet: true })
const unset = (label: LabelRow) => ({ label, isSet: false })

/** Adds labels. An exclusive label replaces the labels of its scope. */
export async function addLabels(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  labels: readonly LabelRow[],
): Promise<IssueRow> {
  const current = await listSetLabels(tx, issue.id)
  const isOn = new Set(current.map((label) => label.id))
  const added = withoutRivals(labels.toSorted(byName)).filter((label) => !isOn.has(label.id))
  const steps = added.flatMap((label) => {
    const scope = scopeOf(label)
    const rivals = scope === undefined ? [] : current.filter((each) => scopeOf(each) === scope)
    return [...rivals.map(unset), set(label)]
  })
  return changeLabels(tx, by, issue, { steps })
}

/** Replaces the labels: adds the new ones first, then removes the others. */
export async function replaceLabels(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  labels: readonly LabelRow[],
): Promise<IssueRow> {
  const current = await listSetLabels(tx, issue.id)
  const wanted = withoutRivals(labels.toSorted(byName))
  const isOn = new Set(current.map((label) => label.id))
  const stays = new Set(wanted.map((label) => label.id))
  return changeLabels(tx, by, issue, {
    steps: [
      ...wanted.filter((label) => !isOn.has(label.id)).map(set),
      ...current.filter((label) => !stays.has(label.id)).map(unset),
    ],
    cleared: wanted.length === 0,
  })
}

/** Removes labels from an issue. */
export async function removeLabels(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  labelIds: readonly LabelId[] | 'all',
): Promise<IssueRow> {
  const current = await listSetLabels(tx, issue.id)
  const going = labelIds === 'all' ? current : current.filter((label) => labelIds.includes(label.id))
  return changeLabels(tx, by, issue, { steps: going.map(unset), cleared: labelIds === 'all' })
}

/** Locks or unlocks the conversation. */
export async function changeLock(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  isLocked: boolean,
  reason = '',
): Promise<IssueRow> {
  if (issue.is_locked === isLocked) return issue
  await insertTimelineEntry(tx, by, issue.id, { type: isLocked ? 'lock' : 'unlock', content: isLocked ? reason : '' })
  await publish(tx, 'issue.locked', { ...facts(issue, by), isLocked })
  return updateIssue(tx, issue.id, { is_locked: isLocked, updated_unix: by.atUnix })
}

/** Adds the given labels to a new issue, also several of one exclusive scope (contract, issues: create). */
export const setFirstLabels = (
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  labels: readonly LabelRow[],
): Promise<IssueRow> => changeLabels(tx, by, issue, { steps: labels.map(set) })

/** Returns the data of an event about a comment. */
export const factsOfComment = (issue: IssueRow, comment: CommentRow, by: Attribution) => ({
  ...facts(issue, by),
  commentId: comment.id,
})

/** Returns the data of an event about a deleted comment, with its author and content. */
export const factsOfGoneComment = (issue: IssueRow, comment: CommentRow, by: Attribution) => ({
  ...factsOfComment(issue, comment, by),
  content: comment.content,
  posterId: comment.poster_id,
  createdUnix: comment.created_unix,
  updatedUnix: comment.updated_unix,
})
