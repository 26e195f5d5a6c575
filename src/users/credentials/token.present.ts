import type { AccessTokenRow } from '../../db/tables/accounts.ts'
import { formatUnix } from '../../lib/time.ts'
import type { AccessToken } from './token.schemas.ts'

/** @param token the token itself, only in the reply to its creation */
export const presentToken = (row: AccessTokenRow, token = ''): AccessToken => ({
  id: row.id,
  name: row.name,
  sha1: token,
  token_last_eight: row.token_last_eight,
  scopes: row.scopes.split(','),
  created_at: formatUnix(row.created_unix),
  last_used_at: formatUnix(row.last_used_unix),
})
