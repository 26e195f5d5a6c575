import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { AttachmentChange, AttachmentRow, NewAttachmentRow } from '../db/tables/issues.ts'
import type { AttachmentId } from '../lib/ids.ts'

export const findAttachmentByUuid = (db: Db, uuid: string): Promise<AttachmentRow | undefined> =>
  db.selectFrom('attachment').selectAll().where('uuid', '=', uuid).executeTakeFirst()

/** Returns the keys that rows name. */
export const listUsedBlobKeys = async (db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> => {
  // A key ends with the id of its row, which is indexed.
  const uuids = keys.map((key) => key.slice(key.lastIndexOf('/') + 1))
  if (uuids.length === 0) return new Set()
  const rows = await db.selectFrom('attachment').select('blob_key').where('uuid', 'in', uuids).execute()
  return new Set(rows.map((row) => row.blob_key))
}

export const insertAttachment = (tx: Tx, values: NewAttachmentRow): Promise<AttachmentRow> =>
  tx.insertInto('attachment').values(values).returningAll().executeTakeFirstOrThrow()

export const updateAttachment = (
  tx: Tx,
  id: AttachmentId,
  change: AttachmentChange,
): Promise<AttachmentRow | undefined> =>
  tx.updateTable('attachment').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** Increments the download count; concurrent changes of the row are kept. */
export const countDownload = (tx: Tx, id: AttachmentId) =>
  tx
    .updateTable('attachment')
    .set({ download_count: sql`download_count + 1` })
    .where('id', '=', id)
    .execute()

export const deleteAttachments = async (tx: Tx, ids: readonly AttachmentId[]): Promise<AttachmentRow[]> =>
  ids.length === 0 ? [] : tx.deleteFrom('attachment').where('id', 'in', ids).returningAll().execute()
