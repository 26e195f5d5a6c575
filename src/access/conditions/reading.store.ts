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
 * Conditions for rows about contents of repositories, such as activities and notification threads. A viewer reads a
 * row if the viewer reads the unit of its repository.
 */

type Condition = RawBuilder<SqlBool>

/** The columns that decide who can read a row. */
export interface Reading {
  /** The column with the repository. */
  readonly repo: string
  /** The column with the kind of content. */
  readonly word: string
  /** The unit of each kind. Undefined: everyone with access to the repository can read the row. */
  readonly units: Readonly<Record<string, RepoUnit | undefined>>
}

const readBy = (viewer: Viewer | undefined, unit: RepoUnit | undefined): Condition =>
  unit === undefined ? mayEnter(viewer, 'repo') : mayAccess(viewer, 'repo', { units: [unit], mode: 1 })

/** Returns the condition that the viewer may read a row, for queries with `repo` and its `owner`. */
export const isReadable = (viewer: Viewer | undefined, { word, units }: Reading): Condition =>
  sql<SqlBool>`case ${sql.ref(word)} ${sql.join(
    Object.entries(units).map(([text, unit]) => sql`when ${sql.lit(text)} then ${readBy(viewer, unit)}`),
    sql` `,
  )} else ${sql.lit(false)} end`

/** The rows of some repositories that a viewer may not read. */
export interface HiddenRepos {
  /** The checked repositories. */
  readonly repoIds: ReadonlySet<RepoId>
  /** For each kind, the repositories that hide it. */
  readonly byWord: ReadonlyMap<string, readonly RepoId[]>
}

/** Largest number of repositories that are checked before a list. With more, each row is checked. */
const maxCheckedRepos = 1000

/**
 * Largest number of repositories whose rights are computed from rows on PostgreSQL, which plans the condition for each
 * query.
 */
const maxReposByRows = 50

/**
 * Returns which rows of some repositories the viewer may not read. A list must leave out rows of repositories that
 * were added since.
 * @param repoIds a query of the repositories' `id`
 * @param isWanted a condition for `repo`; repositories that fail it are hidden
 * @returns undefined when there are too many repositories
 */
export async function findHidden(
  db: Db,
  viewer: Viewer | undefined,
  { units }: Reading,
  repoIds: RawBuilder<unknown>,
  isWanted: Condition = sql<SqlBool>`${sql.lit(true)}`,
): Promise<HiddenRepos | undefined> {
  // The join order is fixed: the ids lead to their rows.
  const { rows } = await sql<{ id: RepoId; wanted: number }>`
    select sought.id, case when ${isWanted} then 1 else 0 end as wanted
    from (select id from ${repoIds} as found limit ${sql.lit(maxCheckedRepos + 1)}) as sought cross join repo
    where repo.id = sought.id`.execute(db)
  if (rows.length > maxCheckedRepos) return undefined
  const ids = rows.filter((row) => row.wanted === 1).map((row) => row.id)
  const words = Object.entries(units)
  const isByRows = ids.length <= maxReposByRows
  const read = await (isByRows ? readByRows : readByQuery)(
    db,
    viewer,
    words.map(([, unit]) => unit),
    ids,
  )
  const all = new Set(rows.map((row) => row.id))
  const hidden = words.map(([word], index) => [word, [...all].filter((id) => !read.get(id)?.[index])] as const)
  return { repoIds: all, byWord: new Map(hidden.filter(([, repos]) => repos.length > 0)) }
}

/** For each repository, whether the viewer reads each unit. */
type Readable = ReadonlyMap<RepoId, readonly boolean[]>

type WantedUnits = readonly (RepoUnit | undefined)[]

async function readByRows(
  db: Db,
  viewer: Viewer | undefined,
  units: WantedUnits,
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
  units: WantedUnits,
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

/** Returns the condition that a row is not hidden. */
export function isNotHidden(db: Db, { repo, word }: Reading, { byWord }: HiddenRepos): Condition {
  if (byWord.size === 0) return sql<SqlBool>`${sql.lit(true)}`
  const cases = Array.from(
    byWord,
    ([text, ids]) => sql`when ${sql.lit(text)} then ${sql.ref(repo)} not in ${idList(db, idListText(ids))}`,
  )
  return sql<SqlBool>`case ${sql.ref(word)} ${sql.join(cases, sql` `)} else ${sql.lit(true)} end`
}
