import type { Ctx } from '../access/context.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { Oid } from '../lib/ids.ts'
import { isDraftTitle } from '../issues/title.rules.ts'

/** Returns whether the title marks the pull request as a draft. */
export const isDraft = (ctx: Pick<Ctx, 'config'>, issue: { readonly title: string }): boolean =>
  isDraftTitle(issue.title, ctx.config.repositoryPullRequest.workInProgressPrefixes)

/** Returns the merge base of head and base; undefined when none is known. */
export const mergeBaseOf = ({ merge_base }: Pick<PullRow, 'merge_base'>): Oid | undefined =>
  merge_base === '' ? undefined : merge_base
