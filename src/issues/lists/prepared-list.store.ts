import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { mergedPage } from '../../db/merged-page.ts'
import { preparedQuery } from '../../db/prepared.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { RepoFilter } from '../search/issue-filter.store.ts'
import { orderOf, type IssueSort } from './list-order.store.ts'
import { matching, type Lead, type KindAndState } from './matching.store.ts'

/**
 * Statements of the lists that most clients ask for: one label, assignee or mentioned account, in the order of creation.
 * Building such a statement costs more than running it, so each is built once.
 */

type PairLead = Extract<Lead, { by: 'pair' }>

/** A list of this kind, with the parts that it merges. */
export interface PairList {
  readonly lead: PairLead
  readonly filter: RepoFilter
  readonly sort: IssueSort
  readonly parts: readonly Required<KindAndState>[]
}

/** The filter of a list with other values: those of a prepared statement are its arguments. */
const filterOf = ({ isPull, isClosed }: RepoFilter, repoId: RepoId): RepoFilter => ({
  scope: { kind: 'repo', repoId },
  isPull,
  isClosed,
})

const leadOf = ({ pair }: PairLead, key: number): Lead => ({ by: 'pair', pair: { ...pair, key } })

const pagesOf = ({ lead, filter, sort, parts }: PairList) =>
  preparedQuery((db: Db, key: number, repoId: RepoId, limit: number, offset: number, end: number) => {
    const access = { lead: leadOf(lead, key), order: orderOf(sort), isSorted: false }
    const queries = parts.map((part) => matching(db, filterOf(filter, repoId), access, part))
    return mergedPage(db, queries, access.order, { limit, offset, end })
  })

const countsOf = ({ lead, filter, parts }: PairList) =>
  preparedQuery((db: Db, key: number, repoId: RepoId, atMost: number) => {
    const access = { lead: leadOf(lead, key), order: [], isSorted: false }
    const counts = parts.map((part) => {
      const rows = matching(db, filterOf(filter, repoId), access, part)
      return sql`(select count(*) from (${rows.clearSelect().select(sql.lit(1).as('one')).limit(atMost)}) as found)`
    })
    return db.selectNoFrom(sql<number | string>`${sql.join(counts, sql` + `)}`.as('total'))
  })

/** Bounded: three tables, two directions, and the kinds and states. */
const pages = new Map<string, ReturnType<typeof pagesOf>>()
const counts = new Map<string, ReturnType<typeof countsOf>>()

const shapeOf = ({ lead, filter, parts }: PairList): string =>
  `${lead.pair.table} ${filter.isPull.join()} ${parts.map(({ isClosed }) => isClosed).join()}`

/** Returns the statement of a shape, which is built when the shape is asked for first. */
function statementOf<Statement>(all: Map<string, Statement>, shape: string, make: () => Statement): Statement {
  const known = all.get(shape)
  if (known) return known
  const made = make()
  all.set(shape, made)
  return made
}

/** Returns one page of such a list. */
export const readPairPage = (db: Db, list: PairList, { limit, offset }: Pick<Page, 'limit' | 'offset'>) =>
  statementOf(pages, `${shapeOf(list)} ${orderOf(list.sort)[0]?.direction}`, () => pagesOf(list))(
    db,
    list.lead.pair.key,
    list.filter.scope.repoId,
    limit,
    offset,
    offset + limit,
  )

/** Returns the number of issues of such a list, at most `atMost` of each part. */
export async function countPair(db: Db, list: PairList, atMost: number): Promise<number> {
  const count = statementOf(counts, shapeOf(list), () => countsOf(list))
  const [row] = await count(db, list.lead.pair.key, list.filter.scope.repoId, atMost)
  return Number(row?.total ?? 0)
}
