import { sql, type SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import type { OrderKey, Start } from '../db/deep-page.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { BlockSort } from '../db/tables/issues.ts'
import type { RepoId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import type { Part } from './tally.store.ts'

type Direction = OrderKey['direction']

/** Seconds of wide and of narrow blocks of times, as powers of two. The database's triggers know them too (`issues-5`). */
export const blockBits = { wide: 19, narrow: 9 } as const
/** In how many rows a block is that many write at once. */
export const blockShards = 4

const wide = 2 ** blockBits.wide
const narrow = 2 ** blockBits.narrow

/** A block that something is in, and how much of what is asked for comes before it. */
interface Hit {
  readonly block: number
  readonly before: number
}

/** What is counted by blocks: a sort of them, or issues without a date, which are all but those that have one. */
export type Counted = BlockSort | 'undated'

/** For each kind and state whether it is asked for, 1 or 0: open and closed issues, open and closed pull requests. */
type Wanted = readonly [openIssues: number, closedIssues: number, openPulls: number, closedPulls: number]

const sumOf = (isUndated: boolean, [openIssues, closedIssues, openPulls, closedPulls]: Wanted) => {
  const all = sql`open_issues * ${openIssues} + closed_issues * ${closedIssues}
    + open_pulls * ${openPulls} + closed_pulls * ${closedPulls}`
  return sql<number | null>`sum(${isUndated ? sql`case when sort = 'dated' then -(${all}) else ${all} end` : all})`
}
const isOfSort = (isUndated: boolean, sort: BlockSort) =>
  isUndated ? sql<SqlBool>`sort in ('created', 'dated')` : sql<SqlBool>`sort = ${sort}`

/** In which block of a level, of some range of them, that is before which so much comes. */
const hitIn = (direction: Direction, isUndated: boolean) => {
  const way = sql.raw(direction)
  return preparedQuery(
    (
      db: Db,
      repoId: RepoId,
      sort: BlockSort,
      level: number,
      from: number,
      to: number,
      offset: number,
      openIssues: number,
      closedIssues: number,
      openPulls: number,
      closedPulls: number,
    ) =>
      db
        .selectFrom(
          sql<Hit>`(
            select block, upto - inside as before, upto from (
              select block, inside, sum(inside) over (order by block ${way}) as upto from (
                select block, ${sumOf(isUndated, [openIssues, closedIssues, openPulls, closedPulls])} as inside
                from issue_block
                where repo_id = ${repoId} and ${isOfSort(isUndated, sort)} and level = ${level}
                  and block between ${from} and ${to}
                group by block
              ) as each_block
            ) as running
            where upto > ${offset} order by block ${way} limit 1
          )`.as('hit'),
        )
        .select(['hit.block', 'hit.before']),
  )
}

const totalIn = (isUndated: boolean) =>
  preparedQuery(
    (
      db: Db,
      repoId: RepoId,
      sort: BlockSort,
      from: number,
      to: number,
      openIssues: number,
      closedIssues: number,
      openPulls: number,
      closedPulls: number,
    ) =>
      db
        .selectFrom('issue_block')
        .where('repo_id', '=', repoId)
        .where(isOfSort(isUndated, sort))
        .where('level', '=', 0)
        .where('block', '>=', from)
        .where('block', '<=', to)
        .select(sumOf(isUndated, [openIssues, closedIssues, openPulls, closedPulls]).as('total')),
  )

/** What is in a wide block, by kind and state. */
const insideOf = preparedQuery((db: Db, repoId: RepoId, sort: BlockSort, block: number) =>
  db
    .selectFrom('issue_block')
    .where('repo_id', '=', repoId)
    .where('sort', '=', sort)
    .where('level', '=', 0)
    .where('block', '=', block)
    .select((each) => [
      each.fn.sum<number>('open_issues').as('open_issues'),
      each.fn.sum<number>('closed_issues').as('closed_issues'),
      each.fn.sum<number>('open_pulls').as('open_pulls'),
      each.fn.sum<number>('closed_pulls').as('closed_pulls'),
    ]),
)

/** The columns of what is counted by kind and state. */
export const kinds = [
  { isPull: false, isClosed: false, column: 'open_issues' },
  { isPull: false, isClosed: true, column: 'closed_issues' },
  { isPull: true, isClosed: false, column: 'open_pulls' },
  { isPull: true, isClosed: true, column: 'closed_pulls' },
] as const

/** What a row of counts says of a kind and state; 0 without a row. */
export function countIn(
  row: Readonly<Record<(typeof kinds)[number]['column'], number | null>> | undefined,
  { isPull, isClosed }: Pick<Part, 'isPull' | 'isClosed'>,
): number {
  const kind = kinds.find((each) => each.isPull === isPull && each.isClosed === isClosed)
  return (kind && row?.[kind.column]) ?? 0
}

/** Issues that last changed before a time: those of whole blocks, and those of the block that the time is in, which are counted. */
const changedBefore = preparedQuery(
  (
    db: Db,
    repoId: RepoId,
    wideBlock: number,
    firstNarrow: number,
    narrowBlock: number,
    fromUnix: Unix,
    atUnix: Unix,
  ) => {
    const columns = sql.join(kinds.map(({ column }) => sql.ref(column)))
    const blocks = sql`select ${columns} from issue_block where repo_id = ${repoId} and sort = 'updated'`
    const within = kinds.map(
      ({ isPull, isClosed, column }) => sql`(select count(*) from issue
        where repo_id = ${repoId} and is_pull = ${sql.lit(isPull)} and is_closed = ${sql.lit(isClosed)}
          and updated_unix >= ${fromUnix} and updated_unix < ${atUnix}) as ${sql.ref(column)}`,
    )
    return db
      .selectFrom(
        sql<Record<(typeof kinds)[number]['column'], number>>`(${blocks} and level = 0 and block < ${wideBlock}
          union all ${blocks} and level = 1 and block >= ${firstNarrow} and block < ${narrowBlock}
          union all select ${sql.join(within)})`.as('before'),
      )
      .where(
        sql<SqlBool>`exists (select 1 from issue_block_repo where repo_id = ${repoId} and of_comments = ${sql.lit(false)})`,
      )
      .select((each) => kinds.map(({ column }) => each.fn.sum<number | null>(`before.${column}`).as(column)))
  },
)

/**
 * How many issues of each kind and state of a repository last changed before a time.
 * @returns undefined where the database keeps no count of blocks
 */
export async function countChangedBefore(
  db: Db,
  repoId: RepoId,
  atUnix: Unix,
): Promise<((part: Pick<Part, 'isPull' | 'isClosed'>) => number) | undefined> {
  const [wideBlock, narrowBlock] = [Math.floor(atUnix / wide), Math.floor(atUnix / narrow)]
  const firstNarrow = wideBlock * (wide / narrow)
  const [row] = await changedBefore(db, repoId, wideBlock, firstNarrow, narrowBlock, narrowBlock * narrow, atUnix)
  // Without blocks there is nothing to sum up.
  if (!row || row.open_issues === null) return undefined
  return (part) => countIn(row, part)
}

const ofSort = { asc: hitIn('asc', false), desc: hitIn('desc', false), total: totalIn(false) }
const ofUndated = { asc: hitIn('asc', true), desc: hitIn('desc', true), total: totalIn(true) }

/** Blocks that follow each other in an order. */
export interface Stretch {
  readonly sort: Counted
  readonly direction: Direction
  /** The values of the first keys with which a block of so many seconds begins. */
  readonly keyOf: (block: number, seconds: number) => readonly number[]
  /** Whether there are narrow blocks in the wide ones. */
  readonly isDivided: boolean
  /** From which block to which, of any width. */
  readonly range: readonly [from: number, to: number]
}

/** Later than all dates. */
const never = Number.MAX_SAFE_INTEGER

const allBlocks = [-never, never] as const

/** @param first what all rows of the stretch have in the keys before the time */
const times = (
  sort: Counted,
  direction: Direction,
  first: readonly number[] = [],
  range: Stretch['range'] = allBlocks,
): Stretch => ({
  sort,
  direction,
  keyOf: (block, seconds) => [...first, direction === 'asc' ? block * seconds : (block + 1) * seconds - 1],
  isDivided: true,
  range,
})

/** The stretches of an order of issues, or of comments by creation; none where the database keeps no count of them. */
export function stretchesOf(order: readonly OrderKey[], isOfComments: boolean): readonly Stretch[] {
  const [first, second] = order
  if (!first || !second) return []
  const { name, direction } = first
  if (isOfComments) return name === 'created_unix' ? [times('comment', direction)] : []
  switch (name) {
    case 'created_unix':
      return [times('created', direction)]
    case 'updated_unix':
      return [times('updated', direction)]
    case 'num_comments':
      return [{ sort: 'comments', direction, keyOf: (block) => [block], isDivided: false, range: allBlocks }]
    case 'listed_due_unix': {
      // No date counts as 1970, and there may be dates before.
      const all = [
        times('due', direction, [], [-never, -1]),
        times('undated', second.direction, [0]),
        times('due', direction, [], [0, never]),
      ]
      return direction === 'asc' ? all : all.toReversed()
    }
    case 'nearest_due_unix': {
      const both = [times('due', direction), times('undated', second.direction, [never])]
      return direction === 'asc' ? both : both.toReversed()
    }
    default:
      return []
  }
}

/**
 * Says with which block a page begins, of the issues of a repository of some kinds and states in an order, or of its comments:
 * by sums of a few hundred rows, however many issues there are.
 * @returns undefined where there are no so many, or the order has no blocks
 */
export async function findBlock(
  db: Db,
  repoId: RepoId,
  parts: readonly Pick<Part, 'isPull' | 'isClosed'>[],
  order: readonly OrderKey[],
  offset: number,
  { isOfComments = false }: { readonly isOfComments?: boolean } = {},
): Promise<Start | undefined> {
  const isWanted = (isPull: boolean, isClosed: boolean): 0 | 1 =>
    parts.some((part) => part.isPull === isPull && part.isClosed === isClosed) ? 1 : 0
  const wanted = [isWanted(false, false), isWanted(false, true), isWanted(true, false), isWanted(true, true)] as const
  const stretches = stretchesOf(order, isOfComments)
  let rank = 0
  for (const stretch of stretches) {
    const { sort: counted, direction, keyOf, isDivided, range } = stretch
    const [asked, sort] = counted === 'undated' ? ([ofUndated, 'created'] as const) : ([ofSort, counted] as const)
    const hitOf = async (level: 0 | 1, from: number, to: number) =>
      (await asked[direction](db, repoId, sort, level, from, to, offset - rank, ...wanted))[0]
    // oxlint-disable-next-line no-await-in-loop -- three at most, and mostly the first has it
    const outer = await hitOf(0, ...range)
    if (outer) {
      rank += outer.before
      const inWide = wide / narrow
      const begin = outer.block * inWide
      // oxlint-disable-next-line no-await-in-loop -- the last one
      const inner = isDivided ? await hitOf(1, begin, begin + inWide - 1) : undefined
      if (inner) return { key: keyOf(inner.block, narrow), rank: rank + inner.before }
      // oxlint-disable-next-line no-await-in-loop -- as above
      const [row] = await insideOf(db, repoId, sort, outer.block)
      return { key: keyOf(outer.block, wide), rank, rows: parts.map((part) => countIn(row, part)) }
    }
    if (stretch === stretches.at(-1)) return undefined
    // oxlint-disable-next-line no-await-in-loop -- as above
    rank += (await asked.total(db, repoId, sort, ...range, ...wanted))[0]?.total ?? 0
  }
  return undefined
}
