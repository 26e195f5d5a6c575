import type { Feature } from '../access/feature.ts'
import { cleanupHookTasks } from './deliveries/cleanup-hook-tasks.task.ts'
import { deleteUnusedPayloadsJob } from './deliveries/delete-unused-payloads.job.ts'
import { deliverWebhook, retryWebhook } from './deliveries/deliver-webhook.job.ts'
import * as deliveryRoutes from './deliveries/delivery.routes.ts'
import { addressPurpose, authorizationPurpose, secretPurpose } from './hook-secrets.ts'
import * as hookRoutes from './hook.routes.ts'
import { copyDefaultHooks, copyTemplateHooks } from './hook.subscribers.ts'
import { recordDeliveriesLater } from './deliveries/record-deliveries.ts'
import { deliveryRecorder } from './deliveries/recorder.ts'
import { senderShares } from './deliveries/sender-shares.ts'
import { webhookClient } from './deliveries/webhook-client.ts'
import { hooksOfAccounts, hooksOfRepositories } from './webhook.owned.ts'

/** Sends events to other programs. */
export const webhooks: Feature = {
  routes: [hookRoutes, deliveryRoutes],
  subscribers: [copyDefaultHooks, copyTemplateHooks],
  jobs: [deliverWebhook, retryWebhook, recordDeliveriesLater, deleteUnusedPayloadsJob],
  schedules: (config) => [cleanupHookTasks(config)],
  services: [deliveryRecorder, senderShares, webhookClient],
  sealed: [
    { table: 'webhook', column: 'sealed_secret', purpose: secretPurpose },
    { table: 'webhook', column: 'sealed_authorization', purpose: authorizationPurpose },
    { table: 'webhook', column: 'url', purpose: addressPurpose },
  ],
  owns: [hooksOfRepositories, hooksOfAccounts],
}
