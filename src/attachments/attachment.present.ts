import type { Ctx } from '../access/context.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import { formatUnix } from '../lib/time.ts'
import type { Attachment } from './attachment.schemas.ts'

/** A file of an issue, a comment or a release. */
export const presentAttachment = ({ config }: Pick<Ctx, 'config'>, row: AttachmentRow): Attachment => ({
  id: row.id,
  name: row.name,
  size: row.size_bytes,
  download_count: row.download_count,
  created_at: formatUnix(row.created_unix),
  uuid: row.uuid,
  browser_download_url: row.external_url === '' ? `${config.server.rootUrl}attachments/${row.uuid}` : row.external_url,
  type: row.external_url === '' ? 'attachment' : 'external',
})
