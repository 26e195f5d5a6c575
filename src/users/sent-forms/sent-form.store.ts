import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { SentFormRow } from '../../db/tables/sign-in.ts'
import type { Unix } from '../../lib/time.ts'

/** What identifies a form that was sent. */
export type FormKey = Pick<SentFormRow, 'user_id' | 'key'>

/** Inserts the row of a form. Returns false when the form was sent before. */
export const insertSentForm = (tx: Tx, form: Pick<SentFormRow, 'user_id' | 'key' | 'digest' | 'created_unix'>) =>
  changesRow(
    tx
      .insertInto('sent_form')
      .values({ ...form, location: '', notice: '' })
      .onConflict((on) => on.doNothing()),
  )

export const findSentForm = (db: Db, { user_id: userId, key }: FormKey): Promise<SentFormRow | undefined> =>
  db.selectFrom('sent_form').selectAll().where('user_id', '=', userId).where('key', '=', key).executeTakeFirst()

/** Sets the time of a form that has not ended. */
export async function abandonSentForm(tx: Tx, { user_id: userId, key }: FormKey, atUnix: Unix): Promise<void> {
  await tx
    .updateTable('sent_form')
    .set({ created_unix: atUnix })
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('location', '=', '')
    .execute()
}

/** Records where a form led. */
export async function finishSentForm(
  tx: Tx,
  { user_id: userId, key, ...ended }: FormKey & Pick<SentFormRow, 'location' | 'notice'>,
): Promise<void> {
  await tx.updateTable('sent_form').set(ended).where('user_id', '=', userId).where('key', '=', key).execute()
}

export async function deleteSentForm(tx: Tx, { user_id: userId, key }: FormKey): Promise<void> {
  await tx.deleteFrom('sent_form').where('user_id', '=', userId).where('key', '=', key).execute()
}

/** Deletes the forms that were sent before a time. */
export async function deleteSentFormsBefore(tx: Tx, before: Unix): Promise<void> {
  await tx.deleteFrom('sent_form').where('created_unix', '<', before).execute()
}
