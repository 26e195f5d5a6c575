import type { Ctx } from '../access/context.ts'
import { isDraftTitle } from '../issues/title.rules.ts'

/** True when the title says that it is no more than a draft. */
export const isDraft = (ctx: Pick<Ctx, 'config'>, issue: { readonly title: string }): boolean =>
  isDraftTitle(issue.title, ctx.config.repositoryPullRequest.workInProgressPrefixes)
