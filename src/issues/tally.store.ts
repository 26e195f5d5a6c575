import { sql, type Expression, type Selectable } from 'kysely'
import type { Db } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { databaseKind } from '../db/open.ts'
import { askAgain, preparedQuery } from '../db/prepared.ts'
import type { IssueTallyTable, TallyFacet } from '../db/tables/issues.ts'
import type { RepoId } from '../lib/ids.ts'

/** What issues have: any of some labels, milestones or accounts. */
export interface Facet {
  readonly facet: TallyFacet
  readonly keys: readonly number[]
}

/** A kind and a state, and how many there are of them. */
export interface Part {
  readonly isPull: boolean
  readonly isClosed: boolean
  readonly total: number
}

/** That a kind and state is asked for. */
export const isOfKinds =
  ({ isPull, isClosed }: { readonly isPull: readonly boolean[]; readonly isClosed?: boolean | undefined }) =>
  (part: Part): boolean =>
    isPull.includes(part.isPull) && (isClosed === undefined || isClosed === part.isClosed)

export const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { total }) => sum + total, 0)

type TallyOfKey = Pick<Selectable<IssueTallyTable>, 'facet' | 'key_id' | 'is_pull' | 'is_closed' | 'total'>

/**
 * The counts of some keys of a facet. PostgreSQL is told to look them up one by one: a large repository has ten thousands of a
 * facet, and its plan for any repository goes through them all.
 */
function talliesOf(db: Db, repoId: RepoId, facet: TallyFacet, keys: string) {
  const columns = ['facet', 'key_id', 'is_pull', 'is_closed', 'total'] as const
  const wanted = db
    .selectFrom('issue_tally')
    .select(columns)
    .where('repo_id', '=', repoId)
    .where('facet', '=', facet)
    .where('total', '>', sql.lit(0))
  if (databaseKind(db) === 'sqlite') return wanted.where('key_id', 'in', idList(db, keys) as Expression<number>)
  const each = wanted.where('key_id', '=', sql.ref<number>('wanted.id'))
  return db
    .selectFrom(
      sql<TallyOfKey>`(select tally.* from ${idList(db, keys)} as wanted(id)
        cross join lateral (${each} offset 0) as tally)`.as('issue_tally'),
    )
    .select(columns) as unknown as typeof wanted
}

const talliesOfOne = preparedQuery(talliesOf)

/**
 * How many issues of a repository have each of some things, by kind and state; one that has several keys of a facet
 * counts several times. One question, which reads a few rows however many issues there are.
 */
export async function listTallies(db: Db, repoId: RepoId, facets: readonly Facet[]): Promise<readonly Part[][]> {
  const [first, ...others] = facets
  if (!first) return []
  const of = ({ facet, keys }: Facet) => talliesOf(db, repoId, facet, idListText(keys))
  const rows =
    others.length === 0
      ? await talliesOfOne(db, repoId, first.facet, idListText(first.keys))
      : await askAgain(
          db,
          others.reduce((all, other) => all.union(of(other)), of(first)),
        )
  return facets.map(({ facet, keys }) => {
    const wanted = new Set(keys)
    return rows
      .filter((row) => row.facet === facet && wanted.has(row.key_id))
      .map((row) => ({ isPull: row.is_pull, isClosed: row.is_closed, total: row.total }))
  })
}

const countersOf = preparedQuery((db: Db, repoId: RepoId) =>
  db
    .selectFrom('repo')
    .select(['num_issues', 'num_closed_issues', 'num_pulls', 'num_closed_pulls'])
    .where('id', '=', repoId),
)

/** How many issues and pull requests a repository has, by state. */
export async function listParts(db: Db, repoId: RepoId): Promise<Part[]> {
  const [row] = await countersOf(db, repoId)
  if (!row) return []
  return [
    { isPull: false, isClosed: false, total: row.num_issues - row.num_closed_issues },
    { isPull: false, isClosed: true, total: row.num_closed_issues },
    { isPull: true, isClosed: false, total: row.num_pulls - row.num_closed_pulls },
    { isPull: true, isClosed: true, total: row.num_closed_pulls },
  ]
}

/** How many comments a repository has below issues (false) and below pull requests (true). */
export async function countComments(db: Db, repoId: RepoId): Promise<ReadonlyMap<boolean, number>> {
  const rows = await db
    .selectFrom('issue_tally')
    .where('repo_id', '=', repoId)
    .where('facet', '=', 'comment')
    .select((select) => ['is_pull', select.fn.sum<number | string>('total').as('total')])
    .groupBy('is_pull')
    .execute()
  return new Map(rows.map((row) => [row.is_pull, Number(row.total)]))
}
