import { randomUUID } from 'node:crypto'
import type { SignedInRepoCtx } from '../access/context.ts'
import { presentPayloadCommits } from '../code/commits/commit.present.ts'
import { transaction } from '../db/database.ts'
import type { WebhookRow } from '../db/tables/webhooks.ts'
import type { Oid } from '../lib/ids.ts'
import { branchRef } from '../lib/refs.ts'
import { repoWebUrl } from '../repos/repo-url.ts'
import { PayloadPresenter } from '../payloads/payload.present.ts'
import { writeDeliveries } from './record-deliveries.ts'

/**
 * Sends a webhook the newest commit as if it had just been pushed, to where it is already. Nothing is sent to one that is switched off
 * or wants no pushes (contract, webhooks: test).
 * @param asked the reference as it was named
 */
export async function testHook(
  ctx: SignedInRepoCtx,
  hook: WebhookRow,
  head: Oid,
  asked: string | undefined,
): Promise<void> {
  if (!hook.is_active || !(JSON.parse(hook.events) as string[]).includes('push')) return
  const [commit] = await presentPayloadCommits(ctx, await ctx.git.readCommits(ctx.repo.git_key, [head]))
  await transaction(ctx.db, async (tx) => {
    const kit = await PayloadPresenter.load({ ...ctx, db: tx }, [{ repoIds: [ctx.repo.id], userIds: [ctx.viewer.id] }])
    const sender = kit.person(ctx.viewer.id)
    const data = {
      ref: asked ?? branchRef(ctx.repo.default_branch),
      before: head,
      after: head,
      compare_url: `${repoWebUrl(ctx)}/compare/${head}...${head}`,
      commits: [commit],
      total_commits: 1,
      head_commit: commit,
      repository: await kit.repository(ctx.repo.id, 'none'),
      pusher: sender,
      sender,
    }
    const payload = { eventId: null, data: JSON.stringify(data), pending: null }
    await writeDeliveries(ctx, tx, [{ payload, to: [{ hook, uuid: randomUUID() }], event: 'push', eventType: 'push' }])
  })
}
