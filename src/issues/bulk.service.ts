import type { SignedInRepoCtx } from '../access/context.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import { BadRequest, Refusal } from '../lib/errors.ts'
import type { LabelId } from '../lib/ids.ts'
import { must } from '../lib/verdict.ts'
import { mayManage } from './issue.policy.ts'
import { editIssue, getReadableIssue, type EditIssueInput } from './issue.service.ts'
import { addIssueLabels, removeIssueLabel } from './labels/label.service.ts'

/** Most issues that one request changes. */
const changedAtMost = 100

const unchanged: EditIssueInput = { dueDate: undefined, unsetDueDate: undefined, updatedAt: undefined }

/**
 * Changes several issues, or pull requests, of a repository. Each is a change of its own; the first refusal ends the row.
 * @param change `close`, `reopen`, `label:ID`, `unlabel:ID`, `milestone:ID` (0: none) or `assign:NAME` (empty: nobody)
 * @returns the number of changed ones, and why the next one was refused
 * @throws BadRequest for an unknown change
 * @throws Forbidden without write access
 */
export async function changeMany(
  ctx: SignedInRepoCtx,
  isPull: boolean,
  indexes: readonly number[],
  change: string,
): Promise<{ readonly changed: number; readonly problem: string | undefined }> {
  must(mayManage(ctx.rights, { is_pull: isPull }))
  const apply = changeOf(ctx, change)
  let changed = 0
  for (const index of indexes.slice(0, changedAtMost)) {
    try {
      const issue = await getReadableIssue(ctx, index)
      if (issue.is_pull !== isPull) continue
      await apply(issue)
      changed++
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { changed, problem: `#${index}: ${error.message}.` }
    }
  }
  return { changed, problem: undefined }
}

function changeOf(ctx: SignedInRepoCtx, change: string): (issue: IssueRow) => Promise<unknown> {
  const [name = '', value = ''] = change.split(/:(.*)/s)
  const edit = (input: Partial<EditIssueInput>) => (issue: IssueRow) =>
    editIssue(ctx, issue, { ...unchanged, ...input })
  const id = /^\d{1,15}$/.test(value) ? Number(value) : undefined
  if (name === 'close') return edit({ state: 'closed' })
  if (name === 'reopen') return edit({ state: 'open' })
  if (name === 'assign') return edit({ assignees: value === '' ? [] : [value] })
  if (name === 'milestone' && id !== undefined) return edit({ milestone: id })
  if (name === 'label' && id !== undefined) {
    return (issue) => addIssueLabels(ctx, issue, { labels: [id], updatedAt: undefined })
  }
  if (name === 'unlabel' && id !== undefined) {
    return (issue) => removeIssueLabel(ctx, issue, id as LabelId, undefined)
  }
  throw new BadRequest('the change is unknown', 'bulk_change_unknown')
}
