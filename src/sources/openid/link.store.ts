import type { Db, Tx } from '../../db/database.ts'
import type { ExternalAccountRow } from '../../db/tables/sign-in.ts'
import type { ExternalAccountId, SourceId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const findLink = (db: Db, sourceId: SourceId, externalId: string): Promise<ExternalAccountRow | undefined> =>
  db
    .selectFrom('external_account')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('external_id', '=', externalId)
    .executeTakeFirst()

/** Returns the links of an account with the names of their sources. */
export const listLinks = (db: Db | Tx, userId: UserId): Promise<(ExternalAccountRow & { source: string })[]> =>
  db
    .selectFrom('external_account')
    .innerJoin('sign_in_source', 'sign_in_source.id', 'external_account.source_id')
    .selectAll('external_account')
    .select('sign_in_source.name as source')
    .where('external_account.user_id', '=', userId)
    .orderBy('external_account.id')
    .execute()

export const insertLink = (tx: Tx, values: Omit<ExternalAccountRow, 'id'>) =>
  tx.insertInto('external_account').values(values).execute()

export const updateLinkUsed = (tx: Tx, id: ExternalAccountId, name: string, usedUnix: Unix) =>
  tx.updateTable('external_account').set({ name, used_unix: usedUnix }).where('id', '=', id).execute()

export const deleteLink = (tx: Tx, id: ExternalAccountId) =>
  tx.deleteFrom('external_account').where('id', '=', id).executeTakeFirst()
