import { sql, type SqlBool } from 'kysely'
import { mayEnter } from '../../access/access-rule.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import type { TopicRow } from '../../db/tables/repo-relations.ts'

/** A topic, and the number of repositories that it stands on. */
type CountedTopic = TopicRow & { readonly repo_count: number }

/**
 * Topics whose name has a part, with the repositories that the viewer may see: one that stands on none of these is not there.
 * Names of topics are lower-case; the part stands for itself, so the signs of a pattern are escaped.
 */
function matching(db: Db, viewer: Viewer | undefined, part: string) {
  const pattern = `%${part.toLowerCase().replace(/[!%_]/g, '!$&')}%`
  return db
    .selectFrom('topic')
    .innerJoin('repo_topic', 'repo_topic.topic_id', 'topic.id')
    .innerJoin('repo', 'repo.id', 'repo_topic.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where(sql<SqlBool>`topic.name like ${pattern} escape '!'`)
    .where(mayEnter(viewer, 'repo'))
}

/** One page of the topics whose name has a part, the most used first, with the number of repositories that the viewer may see. */
export const searchTopics = (
  db: Db,
  viewer: Viewer | undefined,
  part: string,
  limit: number,
  offset: number,
): Promise<CountedTopic[]> =>
  matching(db, viewer, part)
    .select(['topic.id', 'topic.name', 'topic.created_unix', 'topic.updated_unix'])
    .select((select) => select.fn.countAll<number>().as('repo_count'))
    .groupBy('topic.id')
    .orderBy('repo_count', 'desc')
    .orderBy('topic.name')
    .limit(limit)
    .offset(offset)
    .execute()

/** How many topics of repositories that the viewer may see have a part in their name. */
export async function countTopics(db: Db, viewer: Viewer | undefined, part: string): Promise<number> {
  const row = await matching(db, viewer, part)
    .select((select) => select.fn.count<number>('topic.id').distinct().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}
