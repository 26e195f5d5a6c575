import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import type { RepoUnit } from '../db/tables/repositories.ts'
import type { RepoId } from '../lib/ids.ts'
import { mayAccess, mayEnter } from './access-rule.store.ts'

/*
 * Rows about what lies in repositories, each read by whoever reads a unit of its repository: for lists that go through many
 * of them and know few repositories.
 */

type Condition = RawBuilder<SqlBool>

/** How rows say by what they are read. */
export interface Reading {
  /** The column with the repository. */
  readonly repo: string
  /** The column with the word for the unit. */
  readonly word: string
  /** The unit that each word stands for; undefined: who may enter the repository at all reads the row. */
  readonly units: Readonly<Record<string, RepoUnit | undefined>>
}

const readBy = (viewer: Viewer | undefined, unit: RepoUnit | undefined): Condition =>
  unit === undefined ? mayEnter(viewer, 'repo') : mayAccess(viewer, 'repo', { units: [unit], mode: 1 })

/** That the viewer may read a row now, for queries that join it with its `repo` and the `owner` of that. */
export const isReadable = (viewer: Viewer | undefined, { word, units }: Reading): Condition =>
  sql<SqlBool>`case ${sql.ref(word)} ${sql.join(
    Object.entries(units).map(([text, unit]) => sql`when ${sql.lit(text)} then ${readBy(viewer, unit)}`),
    sql` `,
  )} else ${sql.lit(false)} end`

/** Of each word the repositories in which the viewer may not read what has it. */
export type HiddenRepos = ReadonlyMap<string, readonly RepoId[]>

/** Repositories that are asked about before a list is gone through; of more each row is asked. */
const mostPlaces = 1000

/**
 * What a viewer may not read of the rows in some repositories. What is told may have changed when a list has been gone
 * through: the rows that are shown are asked once more (`isReadable`).
 * @param places a table with the `id` of each of the repositories
 * @param also what else rows of `repo` must be, or their rows are hidden
 * @returns undefined when there are too many to be asked
 */
export async function findHidden(
  db: Db,
  viewer: Viewer | undefined,
  { units }: Reading,
  places: RawBuilder<unknown>,
  also: Condition = sql<SqlBool>`${sql.lit(true)}`,
): Promise<HiddenRepos | undefined> {
  const words = Object.keys(units)
  const columns = words.map(
    (word, index) =>
      sql`case when ${readBy(viewer, units[word])} and ${also} then 0 else 1 end as ${sql.ref(`word_${index}`)}`,
  )
  // In this order: from the places to their rows.
  const { rows } = await sql<{ id: RepoId } & Record<`word_${number}`, number>>`
    select place.id, ${sql.join(columns)} from (select id from ${places} as found limit ${sql.lit(mostPlaces + 1)}) as place
      cross join repo cross join "user" as owner
    where repo.id = place.id and owner.id = repo.owner_id`.execute(db)
  if (rows.length > mostPlaces) return undefined
  const hidden = words.map((word, index) => {
    const ids = rows.flatMap((row) => (row[`word_${index}`] === 1 ? [row.id] : []))
    return [word, ids] as const
  })
  return new Map(hidden.filter(([, ids]) => ids.length > 0))
}

/** That a row is none of those. */
export function isNotHidden(db: Db, { repo, word }: Reading, hidden: HiddenRepos): Condition {
  if (hidden.size === 0) return sql<SqlBool>`${sql.lit(true)}`
  const cases = [...hidden].map(
    ([text, ids]) => sql`when ${sql.lit(text)} then ${sql.ref(repo)} not in ${idList(db, idListText(ids))}`,
  )
  return sql<SqlBool>`case ${sql.ref(word)} ${sql.join(cases, sql` `)} else ${sql.lit(true)} end`
}
