import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { TopicRow } from '../../db/tables/repo-relations.ts'

/** Names of topics are lower-case; the part stands for itself, so the signs of a pattern are escaped. */
function matching(db: Db, part: string) {
  const pattern = `%${part.toLowerCase().replace(/[!%_]/g, '!$&')}%`
  return db.selectFrom('topic').where(sql<SqlBool>`name like ${pattern} escape '!'`)
}

/** One page of the topics whose name has a part, the most used first. */
export const searchTopics = (db: Db, part: string, limit: number, offset: number): Promise<TopicRow[]> =>
  matching(db, part).selectAll().orderBy('repo_count', 'desc').orderBy('name').limit(limit).offset(offset).execute()

/** How many topics have a part in their name. */
export async function countTopics(db: Db, part: string): Promise<number> {
  const row = await matching(db, part)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}
