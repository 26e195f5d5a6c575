import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { FederatedAccountRow, FederatedWritingRow, SentWritingRow } from '../../db/tables/federation.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** Finds the issue or comment that was received under an address. */
export const findWriting = (db: Db | Tx, objectUrl: string): Promise<FederatedWritingRow | undefined> =>
  db.selectFrom('federated_writing').selectAll().where('object_url', '=', objectUrl).executeTakeFirst()

export const insertWriting = async (tx: Tx, row: FederatedWritingRow): Promise<void> =>
  void (await tx.insertInto('federated_writing').values(row).execute())

export type Participant = Pick<FederatedAccountRow, 'user_id' | 'actor_url' | 'inbox_url' | 'server_id'>

/** Lists the remote authors of an issue and its comments. */
export const listParticipants = (db: Db, issueId: IssueId, limit: number): Promise<Participant[]> =>
  db
    .selectFrom('federated_account')
    .select(['user_id', 'actor_url', 'inbox_url', 'server_id'])
    .where('federated_account.user_id', 'in', (from) =>
      from.selectFrom('federated_writing').select('federated_writing.actor_id').where('issue_id', '=', issueId),
    )
    .orderBy('federated_account.user_id')
    .limit(limit)
    .execute()

export const insertSentWriting = async (
  tx: Tx,
  row: Pick<SentWritingRow, 'user_id' | 'object_url' | 'repository_url' | 'title' | 'created_unix'>,
): Promise<void> => void (await tx.insertInto('sent_writing').values(row).execute())

/** Lists the issues that an account opened on other servers, newest first. */
export const listSentWritings = (db: Db, userId: UserId, page: Page): Promise<SentWritingRow[]> =>
  db
    .selectFrom('sent_writing')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countSentWritings = (db: Db, userId: UserId): Promise<number> =>
  countRows(db.selectFrom('sent_writing').where('user_id', '=', userId))

export const findSentWriting = (db: Db, userId: UserId, objectUrl: string): Promise<SentWritingRow | undefined> =>
  db
    .selectFrom('sent_writing')
    .selectAll()
    .where('user_id', '=', userId)
    .where('object_url', '=', objectUrl)
    .executeTakeFirst()

/** Stores the address of the issue on the other server. */
export const setResult = async (tx: Tx, id: SentWritingRow['id'], resultUrl: string): Promise<void> =>
  void (await tx.updateTable('sent_writing').set({ result_url: resultUrl }).where('id', '=', id).execute())
