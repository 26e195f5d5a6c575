import type { Db } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'

/** Returns whether an email address belongs to an account, in any letter case. */
export const hasEmail = async (db: Db, userId: UserId, email: string): Promise<boolean> =>
  (await db
    .selectFrom('email')
    .select('id')
    .where('user_id', '=', userId)
    .where('lower_email', '=', email.toLowerCase())
    .executeTakeFirst()) !== undefined
