import { randomUUID } from 'node:crypto'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { presentPayloadCommits } from '../../code/commits/commit.present.ts'
import { transaction } from '../../db/database.ts'
import type { WebhookRow } from '../../db/tables/webhooks.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import { PayloadPresenter } from '../../payloads/payload.present.ts'
import { writeDeliveries } from './record-deliveries.ts'

/**
 * Delivers the newest commit to a webhook as a push whose old and new commit are the same. Nothing is sent, and the result is
 * false, when the webhook is inactive or does not want pushes (contract, webhooks: test).
 * @param ref the reference as the request names it
 */
export async function sendTestPush(
  ctx: SignedInRepoCtx,
  hook: WebhookRow,
  head: Oid,
  ref: string | undefined,
): Promise<boolean> {
  if (!hook.is_active || !(JSON.parse(hook.events) as string[]).includes('push')) return false
  const [commit] = await presentPayloadCommits(ctx, await ctx.git.readCommits(ctx.repo.git_key, [head]))
  await transaction(ctx.db, async (tx) => {
    const presenter = await PayloadPresenter.load({ ...ctx, db: tx }, [
      { repoIds: [ctx.repo.id], userIds: [ctx.viewer.id] },
    ])
    const sender = presenter.person(ctx.viewer.id)
    const data = {
      ref: ref ?? branchRef(ctx.repo.default_branch),
      before: head,
      after: head,
      compare_url: `${repoWebUrl(ctx)}/compare/${head}...${head}`,
      commits: [commit],
      total_commits: 1,
      head_commit: commit,
      repository: await presenter.repository(ctx.repo.id, 'none'),
      pusher: sender,
      sender,
    }
    const payload = { eventId: null, data: JSON.stringify(data), pending: null }
    await writeDeliveries(ctx, tx, [{ payload, to: [{ hook, uuid: randomUUID() }], event: 'push', eventType: 'push' }])
  })
  return true
}
