import type { Db } from '../db/database.ts'
import { hasRow } from '../db/rows.ts'
import type { UserId } from '../lib/ids.ts'

/** Returns whether an email address belongs to an account, in any letter case. */
export const hasEmail = (db: Db, userId: UserId, email: string): Promise<boolean> =>
  hasRow(db.selectFrom('email').where('user_id', '=', userId).where('lower_email', '=', email.toLowerCase()))
