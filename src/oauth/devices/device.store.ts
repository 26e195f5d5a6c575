import type { Db, Tx } from '../../db/database.ts'
import type { NewOAuthDeviceRow, OAuthApplicationRow, OAuthDeviceRow } from '../../db/tables/oauth.ts'
import type { OAuthDeviceId, OAuthGrantId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const insertDevice = (tx: Tx, values: NewOAuthDeviceRow) =>
  tx.insertInto('oauth_device').values(values).execute()

export const findDevice = (db: Db, deviceHash: string): Promise<OAuthDeviceRow | undefined> =>
  db.selectFrom('oauth_device').selectAll().where('device_hash', '=', deviceHash).executeTakeFirst()

/** A device that nobody has answered yet, by what the person types, with its application. */
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

/** Writes down what the person said; false when somebody did so before, or it is too late. */
export const answerDevice = async (
  tx: Tx,
  id: OAuthDeviceId,
  answer: (Pick<OAuthDeviceRow, 'auth_unix'> & { readonly grant_id: OAuthGrantId }) | { readonly is_denied: true },
  nowUnix: Unix,
): Promise<boolean> =>
  (
    await tx
      .updateTable('oauth_device')
      .set(answer)
      .where('id', '=', id)
      .where('grant_id', 'is', null)
      .where('is_denied', '=', false)
      .where('expires_unix', '>', nowUnix)
      .executeTakeFirst()
  ).numUpdatedRows > 0n

/** Notes a question of a device; false when another one came at once. */
export const notePoll = async (
  tx: Tx,
  { id, polled_ms, interval_seconds }: Pick<OAuthDeviceRow, 'id' | 'polled_ms' | 'interval_seconds'>,
  change: Partial<Pick<OAuthDeviceRow, 'polled_ms' | 'interval_seconds'>>,
): Promise<boolean> =>
  (
    await tx
      .updateTable('oauth_device')
      .set(change)
      .where('id', '=', id)
      .where('polled_ms', '=', polled_ms)
      .where('interval_seconds', '=', interval_seconds)
      .executeTakeFirst()
  ).numUpdatedRows > 0n

/** A device that is let in gets its tokens once; false when it has them already. */
export const takeDevice = async (tx: Tx, id: OAuthDeviceId): Promise<boolean> =>
  (await tx.deleteFrom('oauth_device').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n

export const deleteDevicesBefore = (tx: Tx, unix: Unix) =>
  tx.deleteFrom('oauth_device').where('expires_unix', '<=', unix).execute()
