import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { allAudiences, visibleParts, findGiven, widestOpen } from '../../access/conditions/visible-repos.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import { mergedPage } from '../../db/merged-page.ts'
import { lowerContains } from '../../db/like.ts'
import { jsonRows } from '../../db/portable.ts'
import type { Schema } from '../../db/schema.ts'
import type { TopicRow } from '../../db/tables/repo-relations.ts'
import type { TopicId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** A topic and the number of its repositories. */
export type CountedTopic = Pick<TopicRow, 'id' | 'name' | 'created_unix' | 'updated_unix'> & {
  readonly repo_count: number
}

type Piece = SelectQueryBuilder<Schema, 'topic', { id: TopicId; name: string; repo_count: number }>

/** Most used topics first. */
const order = [
  { name: 'repo_count', direction: 'desc' },
  { name: 'name', direction: 'asc' },
] as const

/**
 * Returns a page of the topics whose name contains a text, the most used first, with their numbers of visible
 * repositories, and the number of topics. Topics without visible repositories are left out. Kept counts cover the
 * repositories that are open to the viewer; the given ones are counted here.
 */
export async function searchTopics(
  db: Db,
  viewer: Viewer | undefined,
  part: string,
  page: Page,
): Promise<{ topics: CountedTopic[]; total: number }> {
  const most = widestOpen(viewer, allAudiences)
  const seen = most < 0 ? sql<number>`0` : sql<number>`${sql.ref(`topic.num_seen_${most}`)}`
  const isNamed = part === '' ? undefined : lowerContains('topic.name', part)
  const beside = await countBeside(db, viewer, most)
  const pieces = [
    ...(most < 0 ? [] : [seenTopics(db, most, seen, beside)]),
    ...(beside === undefined ? [] : [topicsBeside(db, seen, beside)]),
  ].map((piece) => (isNamed ? piece.where(isNamed) : piece))
  if (pieces.length === 0) return { topics: [], total: 0 }
  const counts = pieces.map(
    (piece) => sql<number>`(${piece.clearSelect().select((select) => select.fn.countAll<number>().as('count'))})`,
  )
  const window = mergedPage(db, pieces, order, page)
  const [topics, { total }] = await Promise.all([
    db
      .selectFrom(window.as('place'))
      .innerJoin('topic', 'topic.id', 'place.id')
      .select(['topic.id', 'topic.name', 'topic.created_unix', 'topic.updated_unix', 'place.repo_count'])
      .orderBy('place.repo_count', 'desc')
      .orderBy('topic.name')
      .execute(),
    db.selectNoFrom(sql<number>`${sql.join(counts, sql` + `)}`.as('total')).executeTakeFirstOrThrow(),
  ])
  return { topics, total }
}

/**
 * Returns topics of repositories that are open to the viewer. The kept count orders them; the rows decide which are
 * shown.
 */
const seenTopics = (db: Db, most: number, seen: RawBuilder<number>, beside: RawBuilder<unknown> | undefined): Piece => {
  const query = db.selectFrom('topic').where(
    sql<SqlBool>`(select 1 from repo_topic cross join repo where repo_topic.topic_id = topic.id
      and repo.id = repo_topic.repo_id and repo.audience <= ${sql.lit(most)} limit 1) is not null`,
  )
  const others = beside ? query.where(sql<SqlBool>`topic.id not in (select topic_id from ${beside} as beside)`) : query
  return others.select(['topic.id', 'topic.name', seen.as('repo_count')])
}

/** Returns topics of repositories that the viewer was given, with the sum of both counts. */
const topicsBeside = (db: Db, seen: RawBuilder<number>, beside: RawBuilder<unknown>): Piece =>
  db
    .selectFrom(sql<{ topic_id: TopicId; total: number }>`${beside}`.as('beside'))
    .crossJoin('topic')
    .whereRef('topic.id', '=', 'beside.topic_id')
    .select(['topic.id', 'topic.name', sql<number>`${seen} + beside.total`.as('repo_count')])

/** Returns topics with their numbers of repositories that the viewer was given; undefined: there are none. */
async function countBeside(db: Db, viewer: Viewer | undefined, most: number): Promise<RawBuilder<unknown> | undefined> {
  const audiences = { least: most + 1, most: allAudiences.most }
  const given = await findGiven(db, viewer, audiences)
  if (given === 'none' && !viewer?.limit.repo) return undefined
  const [part] = visibleParts(viewer, { audiences, isOrdered: false, given, db })
  if (!part) return undefined
  const rows = await db
    .selectFrom('repo')
    .crossJoin('repo_topic')
    .whereRef('repo_topic.repo_id', '=', 'repo.id')
    .where(part)
    .select((select) => ['repo_topic.topic_id', select.fn.countAll<number>().as('total')])
    .groupBy('repo_topic.topic_id')
    .execute()
  if (rows.length === 0) return undefined
  const text = JSON.stringify(rows.map(({ topic_id, total }) => [topic_id, total]))
  return sql`(select cast(value ->> 0 as bigint) as topic_id, cast(value ->> 1 as bigint) as total
    from ${jsonRows(db, text)} as pair)`
}
