import type { SignedInRepoCtx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { UserId } from '../lib/ids.ts'
import { must } from '../lib/verdict.ts'
import { changeAssignees, holdIssue } from './issue-change.service.ts'
import { mayManage } from './issue.policy.ts'
import { attributionNow, changing, getAssignable } from './issue.service.ts'
import { listAssigneeIds } from './issue.store.ts'

/**
 * Replaces an assignee; the others stay, also those who are assigned meanwhile.
 * @param from who is unassigned; undefined: nobody
 * @param to the name of the new assignee; undefined: nobody
 * @throws Invalid when the account does not exist or cannot be assigned
 */
export async function replaceAssignee(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  from: UserId | 'everybody' | undefined,
  to: string | undefined,
): Promise<void> {
  must(mayManage(ctx.rights, issue))
  const added = to === undefined ? [] : await getAssignable(ctx, [to])
  await changing(() =>
    transaction(ctx.db, async (tx) => {
      const held = await holdIssue(tx, issue)
      const kept = from === 'everybody' ? [] : (await listAssigneeIds(tx, issue.id)).filter((id) => id !== from)
      await changeAssignees(tx, attributionNow(ctx), held, [...kept, ...added])
    }),
  )
}
