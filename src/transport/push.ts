import type { GitService, UploadPackRequest } from '../git/git-service.ts'
import { codeOf, wikiOf } from '../refs/git-repository.ts'
import { receivePush } from '../refs/push/push.service.ts'
import { shareOfClient } from '../access/client-share.ts'
import { contributionsOf } from '../access/feature.ts'
import type { GitPushCtx } from './git-access.service.ts'
import { wikiPushExtras } from '../wiki/push-events.service.ts'
import { limitPushCommands } from './input-limits.ts'

/** Receives a push over HTTP or SSH, and ends it when git has ended. */
export async function pushInto(ctx: GitPushCtx, request: UploadPackRequest): Promise<GitService> {
  const push =
    ctx.unit === 'wiki'
      ? receivePush(ctx, wikiOf(ctx.repo, ctx.gitKey), wikiPushExtras(ctx, ctx.gitKey))
      : receivePush(ctx, codeOf(ctx.repo), contributionsOf(ctx).pushExtras(ctx))
  const share = shareOfClient(ctx, 'pushes')
  const running = await ctx.git.receivePack(ctx.gitKey, {
    ...request,
    ...(share && { share }),
    ...(request.body ? { body: limitPushCommands(request.body) } : {}),
    callbacks: push.callbacks,
  })
  return { output: running.output, finished: running.finished.finally(() => push.finish()) }
}
