import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { NewOAuthDeviceRow, OAuthApplicationRow, OAuthDeviceRow } from '../../db/tables/oauth.ts'
import type { OAuthDeviceId, OAuthGrantId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const insertDevice = (tx: Tx, values: NewOAuthDeviceRow) =>
  tx.insertInto('oauth_device').values(values).execute()

export const findDevice = (db: Db, deviceHash: string): Promise<OAuthDeviceRow | undefined> =>
  db.selectFrom('oauth_device').selectAll().where('device_hash', '=', deviceHash).executeTakeFirst()

/** Returns the waiting device of a user code, with its application. */
export async function findWaitingDevice(
  db: Db,
  userCodeHash: string,
  nowUnix: Unix,
): Promise<{ readonly device: OAuthDeviceRow; readonly application: OAuthApplicationRow } | undefined> {
  const device = await db
    .selectFrom('oauth_device')
    .selectAll()
    .where('user_code_hash', '=', userCodeHash)
    .where('grant_id', 'is', null)
    .where('is_denied', '=', false)
    .where('expires_unix', '>', nowUnix)
    .executeTakeFirst()
  const application =
    device &&
    (await db.selectFrom('oauth_application').selectAll().where('id', '=', device.application_id).executeTakeFirst())
  return device && application && { device, application }
}

/** Records the person's answer. Returns false when the device has an answer or has expired. */
export const answerDevice = (
  tx: Tx,
  id: OAuthDeviceId,
  answer: (Pick<OAuthDeviceRow, 'auth_unix'> & { readonly grant_id: OAuthGrantId }) | { readonly is_denied: true },
  nowUnix: Unix,
): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('oauth_device')
      .set(answer)
      .where('id', '=', id)
      .where('grant_id', 'is', null)
      .where('is_denied', '=', false)
      .where('expires_unix', '>', nowUnix),
  )

/** Records a poll of a device. Returns false when a concurrent poll was recorded. */
export const updatePoll = (
  tx: Tx,
  { id, polled_ms, interval_seconds }: Pick<OAuthDeviceRow, 'id' | 'polled_ms' | 'interval_seconds'>,
  change: Partial<Pick<OAuthDeviceRow, 'polled_ms' | 'interval_seconds'>>,
): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('oauth_device')
      .set(change)
      .where('id', '=', id)
      .where('polled_ms', '=', polled_ms)
      .where('interval_seconds', '=', interval_seconds),
  )

/** Deletes a device that gets its tokens. Returns false when a concurrent request deleted it. */
export const deleteDevice = (tx: Tx, id: OAuthDeviceId): Promise<boolean> =>
  changesRow(tx.deleteFrom('oauth_device').where('id', '=', id))

export const deleteDevicesBefore = (tx: Tx, unix: Unix) =>
  tx.deleteFrom('oauth_device').where('expires_unix', '<=', unix).execute()
