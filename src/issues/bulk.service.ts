import type { SignedInRepoCtx } from '../access/context.ts'
import type { IssueRow, LabelRow } from '../db/tables/issues.ts'
import { BadRequest, Invalid, Refusal } from '../lib/errors.ts'
import type { LabelId } from '../lib/ids.ts'
import { must } from '../lib/verdict.ts'
import { changedAtMost } from './bulk.rules.ts'
import { scopeOf } from './issue-change.service.ts'
import { mayManage } from './issue.policy.ts'
import { editIssue, getReadableIssue, type EditIssueInput } from './issue.service.ts'
import { loadAroundIssues, listIssuesByNumbers, type AroundIssues } from './issue.store.ts'
import { addIssueLabels, removeIssueLabel } from './labels/label.service.ts'
import { listUsableLabels } from './labels/label.store.ts'

const unchanged: EditIssueInput = { dueDate: undefined, unsetDueDate: undefined, updatedAt: undefined }

/** A change of several issues. */
export interface BulkChange {
  /** `close`, `reopen`, `label:ID`, `unlabel:ID`, `milestone:ID` (0: none) or `assign:NAME` (empty: nobody). */
  readonly change: string
  /** Numbers of the issues. */
  readonly indexes: readonly number[]
}

/** What a change of several issues did. */
export interface BulkResult {
  /** Numbers of the issues that are not as they were. */
  readonly changed: readonly number[]
  /** Number of those that could not be changed, and why the first one could not. */
  readonly refused: number
  readonly problem: string | undefined
  /** The changes that take it back, in this order; empty for milestones and assignees. */
  readonly undo: readonly BulkChange[]
}

/** What a change means for an issue. */
interface Act {
  readonly isNeeded: (issue: IssueRow, around: AroundIssues) => boolean
  readonly apply: (issue: IssueRow) => Promise<unknown>
  /** The change that takes it back, and those that give the issue back what the change replaced. */
  readonly undo?: (issue: IssueRow, around: AroundIssues) => readonly string[]
}

/**
 * Changes several issues, or pull requests, of a repository. Each is a change of its own, which may be refused.
 * @throws BadRequest for an unknown change
 * @throws Forbidden without write access
 */
export async function changeMany(ctx: SignedInRepoCtx, isPull: boolean, wanted: BulkChange): Promise<BulkResult> {
  return applyToMany(ctx, isPull, wanted, await actOf(ctx, wanted.change))
}

/**
 * Takes a change of several issues back, where it still stands: an issue that somebody has changed again stays.
 * @param steps what `changeMany` said; a later step concerns only what the first one changed
 */
export async function undoMany(
  ctx: SignedInRepoCtx,
  isPull: boolean,
  [first, ...further]: readonly BulkChange[],
): Promise<BulkResult> {
  if (first === undefined) throw new Invalid('there is nothing to undo', 'bulk_undo_empty')
  const act = await actOf(ctx, first.change)
  const done = await applyToMany(ctx, isPull, first, await onlyWhereFree(ctx, first.change, act))
  const open = new Set(done.changed)
  for (const { change, indexes } of further) {
    const rest = indexes.filter((index) => open.has(index))
    if (rest.length > 0) await changeMany(ctx, isPull, { change, indexes: rest })
  }
  return done
}

async function applyToMany(
  ctx: SignedInRepoCtx,
  isPull: boolean,
  { indexes }: BulkChange,
  act: Act,
): Promise<BulkResult> {
  must(mayManage(ctx.rights, { is_pull: isPull }))
  const rows = await listIssuesByNumbers(ctx.db, ctx.repo.id, isPull, indexes.slice(0, changedAtMost))
  const around = await loadAroundIssues(ctx.db, rows)
  const changed: number[] = []
  const undo = new Map<string, number[]>()
  let refused = 0
  let problem: string | undefined
  for (const row of rows) {
    if (!act.isNeeded(row, around)) continue
    ctx.budget.signal?.throwIfAborted()
    try {
      // The state of now: the changes before it took time.
      await act.apply(await getReadableIssue(ctx, row.index))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused += 1
      problem ??= `#${row.index}: ${error.message}.`
      continue
    }
    changed.push(row.index)
    for (const change of act.undo?.(row, around) ?? []) undo.set(change, [...(undo.get(change) ?? []), row.index])
  }
  return { changed, refused, problem, undo: [...undo].map(([change, numbers]) => ({ change, indexes: numbers })) }
}

const labelsOf = (issue: IssueRow, around: AroundIssues): readonly LabelRow[] => around.labels.get(issue.id) ?? []

/** The other labels of an exclusive label's scope that an issue has. */
const rivalsOf = (label: LabelRow, issue: IssueRow, around: AroundIssues): readonly LabelRow[] =>
  scopeOf(label) === undefined
    ? []
    : labelsOf(issue, around).filter((each) => each.id !== label.id && scopeOf(each) === scopeOf(label))

async function labelNamed(ctx: SignedInRepoCtx, id: number): Promise<LabelRow> {
  const [label] = await listUsableLabels(ctx.db, ctx.repo, { ids: [id as LabelId] })
  if (!label) throw new Invalid('the label does not exist', 'label_not_found')
  return label
}

async function actOf(ctx: SignedInRepoCtx, change: string): Promise<Act> {
  const [name = '', value = ''] = change.split(/:(.*)/s)
  const edit = (input: Partial<EditIssueInput>) => (issue: IssueRow) =>
    editIssue(ctx, issue, { ...unchanged, ...input })
  const id = /^\d{1,15}$/.test(value) ? Number(value) : undefined
  if (name === 'close') {
    return { isNeeded: (issue) => !issue.is_closed, apply: edit({ state: 'closed' }), undo: () => ['reopen'] }
  }
  if (name === 'reopen') {
    return { isNeeded: (issue) => issue.is_closed, apply: edit({ state: 'open' }), undo: () => ['close'] }
  }
  if (name === 'assign') return { isNeeded: () => true, apply: edit({ assignees: value === '' ? [] : [value] }) }
  if (name === 'milestone' && id !== undefined) {
    return { isNeeded: (issue) => (issue.milestone_id ?? 0) !== id, apply: edit({ milestone: id }) }
  }
  if (name === 'label' && id !== undefined) {
    const label = await labelNamed(ctx, id)
    return {
      isNeeded: (issue, around) => labelsOf(issue, around).every((each) => each.id !== label.id),
      apply: (issue) => addIssueLabels(ctx, issue, { labels: [id], updatedAt: undefined }),
      undo: (issue, around) => [`unlabel:${id}`, ...rivalsOf(label, issue, around).map((rival) => `label:${rival.id}`)],
    }
  }
  if (name === 'unlabel' && id !== undefined) {
    const label = await labelNamed(ctx, id)
    return {
      isNeeded: (issue, around) => labelsOf(issue, around).some((each) => each.id === label.id),
      apply: (issue) => removeIssueLabel(ctx, issue, label.id, undefined),
      undo: () => [`label:${id}`],
    }
  }
  throw new BadRequest('the change is unknown', 'bulk_change_unknown')
}

/** Leaves issues alone that have another label of an exclusive label's scope by now. */
async function onlyWhereFree(ctx: SignedInRepoCtx, change: string, act: Act): Promise<Act> {
  const [name, value] = change.split(':')
  if (name !== 'label') return act
  const label = await labelNamed(ctx, Number(value))
  return {
    ...act,
    isNeeded: (issue, around) => act.isNeeded(issue, around) && rivalsOf(label, issue, around).length === 0,
  }
}
