import type { Db, Tx } from '../../db/database.ts'
import type {
  FederatedAccountRow,
  FederatedServerRow,
  FederatedWritingRow,
  SentWritingRow,
} from '../../db/tables/federation.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** What came from elsewhere under an address. */
export const findWriting = (db: Db | Tx, objectUrl: string): Promise<FederatedWritingRow | undefined> =>
  db.selectFrom('federated_writing').selectAll().where('object_url', '=', objectUrl).executeTakeFirst()

export const insertWriting = async (tx: Tx, row: FederatedWritingRow): Promise<void> =>
  void (await tx.insertInto('federated_writing').values(row).execute())

export type Participant = Pick<FederatedAccountRow, 'user_id' | 'actor_url' | 'inbox_url' | 'server_id'> &
  Pick<FederatedServerRow, 'failures' | 'retry_at_ms'>

/** People of other servers who wrote an issue, or something below it. */
export const listParticipants = (db: Db, issueId: IssueId, most: number): Promise<Participant[]> =>
  db
    .selectFrom('federated_account')
    .innerJoin('federated_server', 'federated_server.id', 'federated_account.server_id')
    .select([
      'federated_account.user_id',
      'federated_account.actor_url',
      'federated_account.inbox_url',
      'federated_account.server_id',
      'federated_server.failures',
      'federated_server.retry_at_ms',
    ])
    .where('federated_account.user_id', 'in', (from) =>
      from.selectFrom('federated_writing').select('federated_writing.actor_id').where('issue_id', '=', issueId),
    )
    .orderBy('federated_account.user_id')
    .limit(most)
    .execute()

export const insertSentWriting = async (
  tx: Tx,
  row: Pick<SentWritingRow, 'user_id' | 'object_url' | 'repository_url' | 'title' | 'created_unix'>,
): Promise<void> => void (await tx.insertInto('sent_writing').values(row).execute())

/** What somebody wrote elsewhere, the newest first. */
export const listSentWritings = (db: Db, userId: UserId, page: Page): Promise<SentWritingRow[]> =>
  db
    .selectFrom('sent_writing')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countSentWritings = async (db: Db, userId: UserId): Promise<number> =>
  (
    await db
      .selectFrom('sent_writing')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
  ).count

export const findSentWriting = (db: Db, userId: UserId, objectUrl: string): Promise<SentWritingRow | undefined> =>
  db
    .selectFrom('sent_writing')
    .selectAll()
    .where('user_id', '=', userId)
    .where('object_url', '=', objectUrl)
    .executeTakeFirst()

/** It was taken, and is there now. */
export const setResult = async (tx: Tx, id: SentWritingRow['id'], resultUrl: string): Promise<void> =>
  void (await tx.updateTable('sent_writing').set({ result_url: resultUrl }).where('id', '=', id).execute())
