import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type { RepoUnit } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import { mayAccess, mayEnter } from './repo-condition.store.ts'
import { accessToAll } from '../repo-access.ts'
import { mode } from '../rights.ts'

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

/** What a viewer may not read of the rows in some repositories. */
export interface HiddenRepos {
  /** The repositories that were asked about. */
  readonly places: ReadonlySet<RepoId>
  /** Of each word the repositories in which what has it is hidden. */
  readonly byWord: ReadonlyMap<string, readonly RepoId[]>
}

/** Repositories that are asked about before a list is gone through; of more each row is asked. */
const mostPlaces = 1000

/** Repositories whose rights are computed of their rows, where the condition for queries is planned anew each time. */
const fewPlaces = 50

/**
 * Tells what a viewer may not read of the rows in some repositories. Rows in others, which came meanwhile, are not to be
 * shown.
 * @param places a table with the `id` of each of the repositories
 * @param isWanted what else rows of `repo` must be, or their rows are hidden
 * @returns undefined when there are too many to be asked
 */
export async function findHidden(
  db: Db,
  viewer: Viewer | undefined,
  { units }: Reading,
  places: RawBuilder<unknown>,
  isWanted: Condition = sql<SqlBool>`${sql.lit(true)}`,
): Promise<HiddenRepos | undefined> {
  // In this order: from the places to their rows.
  const { rows } = await sql<{ id: RepoId; wanted: number }>`
    select place.id, case when ${isWanted} then 1 else 0 end as wanted
    from (select id from ${places} as found limit ${sql.lit(mostPlaces + 1)}) as place cross join repo
    where repo.id = place.id`.execute(db)
  if (rows.length > mostPlaces) return undefined
  const ids = rows.filter((row) => row.wanted === 1).map((row) => row.id)
  const words = Object.entries(units)
  const isByRows = ids.length <= fewPlaces
  const read = await (isByRows ? readByRows : readByQuery)(
    db,
    viewer,
    words.map(([, unit]) => unit),
    ids,
  )
  const all = new Set(rows.map((row) => row.id))
  const hidden = words.map(([word], index) => [word, [...all].filter((id) => !read.get(id)?.[index])] as const)
  return { places: all, byWord: new Map(hidden.filter(([, repos]) => repos.length > 0)) }
}

/** For each repository, which of the units the viewer reads. */
type Readable = ReadonlyMap<RepoId, readonly boolean[]>

type AskedUnits = readonly (RepoUnit | undefined)[]

async function readByRows(
  db: Db,
  viewer: Viewer | undefined,
  units: AskedUnits,
  ids: readonly RepoId[],
): Promise<Readable> {
  if (ids.length === 0) return new Map()
  const repos = await db.selectFrom('repo').selectAll().where('id', 'in', ids).execute()
  const ownerIds = [...new Set(repos.map((repo) => repo.owner_id))]
  const owners = await db.selectFrom('user').selectAll().where('id', 'in', ownerIds).execute()
  const ownerOf = new Map(owners.map((owner) => [owner.id, owner]))
  const access = await accessToAll(
    db,
    viewer,
    repos.flatMap((repo) => {
      const owner = ownerOf.get(repo.owner_id)
      return owner ? [{ repo, owner }] : []
    }),
  )
  return new Map(
    Array.from(access, ([id, { rights }]) => [
      id,
      units.map((unit) => (unit === undefined ? rights.any : rights.modeOf(unit) >= mode.read)),
    ]),
  )
}

async function readByQuery(
  db: Db,
  viewer: Viewer | undefined,
  units: AskedUnits,
  ids: readonly RepoId[],
): Promise<Readable> {
  const columns = units.map(
    (unit, index) => sql`case when ${readBy(viewer, unit)} then 1 else 0 end as ${sql.ref(`unit_${index}`)}`,
  )
  const { rows } = await sql<{ id: RepoId } & Record<`unit_${number}`, number>>`
    select repo.id, ${sql.join(columns)} from repo cross join "user" as owner
    where repo.id in ${idList(db, idListText(ids))} and owner.id = repo.owner_id`.execute(db)
  return new Map(rows.map((row) => [row.id, units.map((_, index) => row[`unit_${index}`] === 1)]))
}

/** That a row is none of those that are hidden. */
export function isNotHidden(db: Db, { repo, word }: Reading, { byWord }: HiddenRepos): Condition {
  if (byWord.size === 0) return sql<SqlBool>`${sql.lit(true)}`
  const cases = Array.from(
    byWord,
    ([text, ids]) => sql`when ${sql.lit(text)} then ${sql.ref(repo)} not in ${idList(db, idListText(ids))}`,
  )
  return sql<SqlBool>`case ${sql.ref(word)} ${sql.join(cases, sql` `)} else ${sql.lit(true)} end`
}
