import type { ActionSecretRow } from '../../db/tables/actions.ts'
import { formatUnix } from '../../lib/time.ts'
import type { Secret } from './secret.schemas.ts'

export const presentSecrets = (rows: readonly Pick<ActionSecretRow, 'name' | 'created_unix'>[]): Secret[] =>
  rows.map((row) => ({ name: row.name, created_at: formatUnix(row.created_unix) }))
