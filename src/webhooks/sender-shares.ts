import type { Ctx } from '../access/context.ts'
import { ownService } from '../access/own-service.ts'
import type { UserId } from '../lib/ids.ts'
import type { SendingHook } from './delivery.store.ts'

/** How many senders of this process each owner has now. */
export const senderShares = ownService('the shares of senders of webhooks', {
  open: () => new Map<UserId, number>(),
})

/** One owner has at most this part of the senders: receivers that hang take all that they get. */
const partOfOwner = 4

/**
 * Counts a sender for the owner of a webhook until it is disposed of; undefined when the owner has all that one gets. What the instance's
 * own webhooks take is nobody's share.
 */
export function takeSenderShare(ctx: Ctx, { payer_id: owner }: SendingHook): Disposable | undefined {
  if (owner === null) return { [Symbol.dispose]: () => {} }
  const shares = senderShares.of(ctx)
  const { jobWorkersWebhooks, jobWorkersWebhookRetries } = ctx.config.ingot
  const most = Math.max(1, Math.floor((jobWorkersWebhooks + jobWorkersWebhookRetries) / partOfOwner))
  const taken = shares.get(owner) ?? 0
  if (taken >= most) return undefined
  shares.set(owner, taken + 1)
  return {
    [Symbol.dispose]() {
      const left = (shares.get(owner) ?? 1) - 1
      if (left > 0) shares.set(owner, left)
      else shares.delete(owner)
    },
  }
}
