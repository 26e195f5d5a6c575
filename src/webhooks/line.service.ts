import type { Tx } from '../db/database.ts'
import type { WebhookRow } from '../db/tables/webhooks.ts'
import { enqueueAll } from '../jobs/queue.ts'
import { planSending } from './deliver-webhook.job.ts'
import { hastenWaiting } from './delivery.store.ts'
import { updateHook } from './hook.store.ts'

/** Has whatever waits for a webhook sent now, as if its receiver were well. Gives the row as it is then. */
export async function callOnHook(tx: Tx, hook: WebhookRow, nowMs: number): Promise<WebhookRow> {
  await hastenWaiting(tx, hook.id)
  await enqueueAll(tx, [planSending(hook.id, hook.failures === 0, nowMs)])
  const change = { failures: 0, retry_at_ms: 0, paused_unix: 0, problem: '' }
  return (await updateHook(tx, hook.id, change)) ?? hook
}
