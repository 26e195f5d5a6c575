import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { inRepo, issuesOrPullsEnabled, notArchived } from '../../access/repo.requirements.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { pathNumber } from '../../http/schema.ts'
import { getReadableIssue, type EditIssueInput } from '../../issues/issue.service.ts'
import { type Page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { issuePage } from '../issues/issue.page.tsx'
import { pullPage } from '../pulls/pull.page.tsx'

export const indexParameter = { index: pathNumber } as const
export const indexAndId = { index: pathNumber, id: pathNumber } as const

/** Returns the page that shows a refused form again. Pull requests show code. */
async function conversationPage(input: {
  readonly ctx: RepoCtx
  readonly params: { readonly index: number }
}): Promise<Page | undefined> {
  const issue = await getReadableIssue(input.ctx, input.params.index)
  if (!issue.is_pull) return issuePage
  return input.ctx.rights.canRead('code') ? pullPage : undefined
}

/** What the acts declare. Each is for issues and pull requests. */
export const conversationAct = {
  requires: [inRepo, issuesOrPullsEnabled, notArchived],
  again: conversationPage,
} as const

export const unchangedIssue: EditIssueInput = { dueDate: undefined, unsetDueDate: undefined, updatedAt: undefined }

/** Returns the address of an issue or pull request, with the anchor of one of its texts. */
export const addressOf = (ctx: SignedInRepoCtx, issue: IssueRow, anchor = ''): string =>
  pathOf(ctx.owner.name, ctx.repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index) +
  (anchor === '' ? '' : `#${anchor}`)
