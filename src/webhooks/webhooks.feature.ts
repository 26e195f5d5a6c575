import type { Feature } from '../access/feature.ts'
import { cleanupHookTasks } from './cleanup-hook-tasks.task.ts'
import { deleteUnusedPayloadsJob } from './delete-unused-payloads.job.ts'
import { deliverWebhook, retryWebhook } from './deliver-webhook.job.ts'
import * as deliveryRoutes from './delivery.routes.ts'
import { addressPurpose, authorizationPurpose, secretPurpose } from './hook-secrets.ts'
import * as hookRoutes from './hook.routes.ts'
import { copyDefaultHooks, copyTemplateHooks } from './hook.subscribers.ts'
import { recordLater } from './record-deliveries.ts'
import { deliveryRecorder } from './recorder.ts'
import { senderShares } from './sender-shares.ts'
import { webhookClient } from './webhook-client.ts'
import { payloadsOfAccounts, rememberedRepositories } from './webhook.owned.ts'

/** Other programs are told of what happens here. */
export const webhooks: Feature = {
  routes: [hookRoutes, deliveryRoutes],
  subscribers: [copyDefaultHooks, copyTemplateHooks],
  jobs: [deliverWebhook, retryWebhook, recordLater, deleteUnusedPayloadsJob],
  schedules: (config) => [cleanupHookTasks(config)],
  services: [deliveryRecorder, senderShares, webhookClient],
  sealed: [
    { table: 'webhook', column: 'sealed_secret', purpose: secretPurpose },
    { table: 'webhook', column: 'sealed_authorization', purpose: authorizationPurpose },
    { table: 'webhook', column: 'url', purpose: addressPurpose },
  ],
  owns: [rememberedRepositories, payloadsOfAccounts],
}
