import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import type { TallyFacet } from '../db/tables/issues.ts'
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

const tallies = (
  db: Db,
  repoId: RepoId,
  isWanted: (where: ExpressionBuilder<Schema, 'issue_tally'>) => Expression<SqlBool>,
) =>
  db
    .selectFrom('issue_tally')
    .select(['facet', 'key_id', 'is_pull', 'is_closed', 'total'])
    .where('repo_id', '=', repoId)
    .where('total', '>', 0)
    .where(isWanted)

const talliesOfOne = preparedQuery((db: Db, repoId: RepoId, facet: TallyFacet, keys: string) =>
  tallies(db, repoId, (where) => where.and([where('facet', '=', facet), where('key_id', 'in', idList(db, keys))])),
)

/**
 * How many issues of a repository have each of some things, by kind and state; one that has several keys of a facet
 * counts several times. One question, which reads a few rows however many issues there are.
 */
export async function listTallies(db: Db, repoId: RepoId, facets: readonly Facet[]): Promise<readonly Part[][]> {
  const [first, ...others] = facets
  if (!first) return []
  const rows =
    others.length === 0
      ? await talliesOfOne(db, repoId, first.facet, idListText(first.keys))
      : await tallies(db, repoId, (where) =>
          where.or(
            facets.map(({ facet, keys }) =>
              where.and([where('facet', '=', facet), where('key_id', 'in', idList(db, idListText(keys)))]),
            ),
          ),
        ).execute()
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
