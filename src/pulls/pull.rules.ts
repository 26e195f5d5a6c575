import type { Ctx } from '../access/context.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { Oid } from '../lib/ids.ts'
import { isDraftTitle } from '../issues/title.rules.ts'

/** True when the title says that it is no more than a draft. */
export const isDraft = (ctx: Pick<Ctx, 'config'>, issue: { readonly title: string }): boolean =>
  isDraftTitle(issue.title, ctx.config.repositoryPullRequest.workInProgressPrefixes)

/** The commit that head and base have in common, when there is one and it is known. */
export const mergeBaseOf = ({ merge_base }: Pick<PullRow, 'merge_base'>): Oid | undefined =>
  merge_base === '' ? undefined : merge_base
