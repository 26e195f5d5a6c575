import type { EmailRow } from '../db/tables/accounts.ts'
import type { Email } from './email.schemas.ts'

/** Presents an address to its account. Only lists of the administration name the account (observed). */
export const presentEmail = (row: Pick<EmailRow, 'email' | 'is_activated' | 'is_primary'>): Email => ({
  email: row.email,
  verified: row.is_activated,
  primary: row.is_primary,
  user_id: 0,
  username: '',
})
