import type { Ctx } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import type { UserId } from '../../lib/ids.ts'
import type { SendingHook } from './delivery.store.ts'

/** The number of workers of this process that send for each account. */
export const senderShares = ownService('the shares of webhook senders', {
  open: () => new Map<UserId, number>(),
})

/** One account uses at most a quarter of the workers: receivers that hang hold each for the whole timeout. */
const shareDivisor = 4

/**
 * Takes a worker for the account of a webhook until it is disposed of; undefined when the account uses its whole share. Webhooks
 * of the instance have no share.
 */
export function takeSenderShare(ctx: Ctx, { payer_id: owner }: SendingHook): Disposable | undefined {
  if (owner === null) return { [Symbol.dispose]: () => {} }
  const shares = senderShares.of(ctx)
  const { jobWorkersWebhooks, jobWorkersWebhookRetries } = ctx.config.ingot
  const limit = Math.max(1, Math.floor((jobWorkersWebhooks + jobWorkersWebhookRetries) / shareDivisor))
  const taken = shares.get(owner) ?? 0
  if (taken >= limit) return undefined
  shares.set(owner, taken + 1)
  return {
    [Symbol.dispose]() {
      const left = (shares.get(owner) ?? 1) - 1
      if (left > 0) shares.set(owner, left)
      else shares.delete(owner)
    },
  }
}
