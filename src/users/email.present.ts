import type { EmailRow } from '../db/tables/accounts.ts'
import type { Email } from './email.schemas.ts'

/** An address as its account sees it; whose it is, is only told in the lists of the administration (observed). */
export const presentEmail = (row: Pick<EmailRow, 'email' | 'is_activated' | 'is_primary'>): Email => ({
  email: row.email,
  verified: row.is_activated,
  primary: row.is_primary,
  user_id: 0,
  username: '',
})
