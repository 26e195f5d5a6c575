import type { Feature } from '../access/feature.ts'
import { fileUsage } from './attachment-row.service.ts'
import { removeAttachmentFile, removeAttachmentsOfRepo } from './attachment.subscribers.ts'
import * as downloadRoutes from './download.routes.ts'

/** Attached files. */
export const attachments: Feature = {
  routes: [downloadRoutes],
  subscribers: [removeAttachmentFile, removeAttachmentsOfRepo],
  files: [{ table: 'attachment', column: 'blob_key', store: 'attachments' }],
  usage: [fileUsage],
}
