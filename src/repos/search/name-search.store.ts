import { sql, type SelectQueryBuilder, type RawBuilder, type SqlBool } from 'kysely'
import { allAudiences, entranceParts, openTo, type NearRepos } from '../../access/conditions/access-rule.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import { mergedPage, type OrderKey } from '../../db/merged-page.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { isLike, patternOf } from '../../db/like.ts'
import { databaseKind } from '../../db/open.ts'
import { preparedQuery } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { Bound, Page } from '../../lib/paging.ts'

/*
 * Searches by words among the names of repositories, in the order of names.
 */

type Selected = SelectQueryBuilder<Schema, 'repo', { repo_id: RepoId }>

/** Of more repositories that words find the total is this. */
export const countedAtMost = 10_000

/** The order of names, which an index has behind each audience. */
const name: OrderKey = { name: 'key_0', value: sql.ref('repo.lower_name'), direction: 'asc' }
const byName: readonly OrderKey[] = [name, { name: 'repo_id', value: sql.ref('repo.id'), direction: 'asc' }]

/** A repository of a page; undefined and null where the page has none, and only the number is told. */
type PageRow = { readonly [Column in keyof RepoRow]: RepoRow[Column] | null } & { readonly total_found: number }

export interface FoundByName {
  readonly repos: RepoRow[]
  readonly total: number
  readonly bound?: Bound
}

/**
 * A page in the order of names, by which the index is gone through once until more are found than are counted: those are
 * counted, and the page is among them.
 * @param parts of `repo`, at least one, which do not overlap
 */
const pageOfNames = (
  db: Db,
  parts: readonly Selected[],
  isFound: RawBuilder<SqlBool>,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
) => {
  const named = parts.map((rows) => rows.where(isFound).select(name.value.as(name.name)))
  const found = mergedPage(db, named, byName, { limit: countedAtMost + 1, offset: 0 })
  // PostgreSQL might guess that most are on the page, and read all there are.
  const withRows =
    databaseKind(db) === 'sqlite'
      ? sql`left join repo on repo.id = page.repo_id`
      : sql`left join lateral (select * from repo where repo.id = page.repo_id offset 0) as repo on 1 = 1`
  const rows = sql<PageRow>`(with found as materialized ${found}
    select counted.total_found, repo.* from (select count(*) as total_found from found) as counted
      left join (select * from found order by key_0, repo_id limit ${limit} offset ${offset}) as page on 1 = 1
      ${withRows})`
  return db.selectFrom(rows.as('page')).selectAll().orderBy('page.lower_name').orderBy('page.id')
}

/** Returns a total up to the bound, and whether the bound cut it. */
export const boundedTotal = (total: number): { readonly total: number; readonly bound?: Bound } =>
  total > countedAtMost ? { total: countedAtMost, bound: 'rows' } : { total }

const placeOf = ({ limit, offset }: Page) => ({ limit: Math.max(0, Math.min(limit, countedAtMost - offset)), offset })

const foundOf = (rows: readonly PageRow[]): FoundByName => ({
  repos: rows.filter(({ id }) => id !== null) as unknown as RepoRow[],
  ...boundedTotal(rows[0]?.total_found ?? 0),
})

/** The page of some parts, which do not overlap, as far as something holds of them. */
export async function findInNames(
  db: Db,
  parts: readonly Selected[],
  isFound: RawBuilder<SqlBool>,
  page: Page,
): Promise<FoundByName> {
  if (parts.length === 0) return { repos: [], total: 0 }
  return foundOf(await pageOfNames(db, parts, isFound, placeOf(page)).execute())
}

const pageFor = (viewer: Viewer | undefined, nearOf: (db: Db, ids: string) => NearRepos) =>
  preparedQuery((db: Db, pattern: string, ids: string, limit: number, offset: number) =>
    pageOfNames(
      db,
      entranceParts(viewer, { near: nearOf(db, ids), db }).map((part) =>
        db.selectFrom('repo').select('repo.id as repo_id').where(part),
      ),
      isLike('repo.lower_name', pattern),
      { limit, offset },
    ),
  )

/** More repositories than these are not listed beside a search, but asked for in it. */
const mostNear = 2000

/** Statements for viewers of one kind, who differ by who they are and by what is near to them. */
interface Statements {
  readonly near: (db: Db, userId: UserId) => Promise<readonly { readonly id: RepoId }[]>
  readonly open: ReturnType<typeof pageFor>
  readonly openAndNear: ReturnType<typeof pageFor>
}

const statementsByKind = new Map<string, Statements>()

function statementsFor(viewer: Viewer | undefined): Statements {
  const kind = viewer ? `${viewer.isAdmin} ${viewer.isRestricted} ${viewer.limit.publicOnly}` : 'guest'
  const known = statementsByKind.get(kind)
  if (known) return known
  const made: Statements = {
    near: preparedQuery((db: Db, userId: UserId) =>
      db
        .selectFrom('repo')
        .select('id')
        .where(entranceParts(viewer && { ...viewer, id: userId }, { db }).at(-1) ?? sql<SqlBool>`1 = 0`)
        .limit(mostNear + 1),
    ),
    open: pageFor(viewer, () => 'none'),
    openAndNear: pageFor(viewer, idList),
  }
  statementsByKind.set(kind, made)
  return made
}

/**
 * PostgreSQL goes through the names of so many in about a millisecond. Of more it is asked over a connection of its own: what is
 * prepared shares few with what every request asks, which would wait for it.
 */
const mostPrepared = 5000

const countRepos = preparedQuery((db: Db) =>
  db.selectFrom('repo_tally').select(({ fn }) => fn.sum<number | string | null>('total').as('total')),
)

const areMany = async (db: Db): Promise<boolean> =>
  databaseKind(db) === 'postgres' && Number((await countRepos(db))[0]?.total ?? 0) > mostPrepared

/**
 * The page of all that a viewer sees whose name holds a word: the search of most people, for which nothing is compiled.
 * @returns undefined when it is to be searched for otherwise
 */
export async function findByName(
  db: Db,
  viewer: Viewer | undefined,
  word: string,
  page: Page,
): Promise<FoundByName | undefined> {
  // A credential for one repository has conditions of its own.
  if (viewer?.limit.repo) return undefined
  const { near, open, openAndNear } = statementsFor(viewer)
  const [isTooMuch, ids] = await Promise.all([
    areMany(db),
    viewer === undefined || viewer.isAdmin ? [] : near(db, viewer.id),
  ])
  if (isTooMuch || ids.length > mostNear) return undefined
  if (ids.length === 0 && openTo(viewer, allAudiences) < allAudiences.least) return { repos: [], total: 0 }
  const { limit, offset } = placeOf(page)
  const ask = ids.length === 0 ? open : openAndNear
  return foundOf(await ask(db, patternOf(word), idListText(ids.map(({ id }) => id)), limit, offset))
}
