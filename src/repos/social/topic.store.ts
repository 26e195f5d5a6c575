import type { Db, Tx } from '../../db/database.ts'
import type { TopicRow } from '../../db/tables/repo-relations.ts'
import type { RepoId, TopicId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const listTopicIds = async (db: Db | Tx, repoId: RepoId): Promise<TopicId[]> =>
  (await db.selectFrom('repo_topic').select('topic_id').where('repo_id', '=', repoId).execute()).map(
    (row) => row.topic_id,
  )

/** Returns topics by name and inserts missing ones. */
export async function upsertTopics(tx: Tx, names: readonly string[], createdUnix: Unix): Promise<TopicRow[]> {
  if (names.length === 0) return []
  return tx
    .insertInto('topic')
    .values(names.map((name) => ({ name, created_unix: createdUnix, updated_unix: createdUnix })))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ updated_unix: createdUnix }))
    .returningAll()
    .execute()
}

export async function insertRepoTopics(tx: Tx, repoId: RepoId, ids: readonly TopicId[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .insertInto('repo_topic')
    .values(ids.map((topic_id) => ({ repo_id: repoId, topic_id })))
    .onConflict((conflict) => conflict.columns(['repo_id', 'topic_id']).doNothing())
    .execute()
}

export async function deleteRepoTopics(tx: Tx, repoId: RepoId, ids: readonly TopicId[]): Promise<void> {
  if (ids.length === 0) return
  await tx.deleteFrom('repo_topic').where('repo_id', '=', repoId).where('topic_id', 'in', ids).execute()
}

/** Deletes the topics of a repository. */
export const forgetTopics = async (tx: Tx, repoId: RepoId): Promise<void> =>
  deleteRepoTopics(tx, repoId, await listTopicIds(tx, repoId))
