import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import type { OrderKey, Start } from '../db/deep-page.ts'
import { databaseKind } from '../db/open.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { CellSort } from '../db/tables/issues.ts'
import type { RepoId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import { countIn, kinds, stretchesOf, type Counted, type Stretch } from './block.store.ts'
import type { Part } from './tally.store.ts'

/** All above this number of comments are in one cell. The database's triggers know it too (`issues-6`). */
export const mostComments = 31
/** More than any issue has. */
const endOfComments = 2 ** 31 - 1

/** Both inclusive, on the time of the latest change. */
export interface Times {
  readonly sinceUnix?: Unix | undefined
  readonly beforeUnix?: Unix | undefined
}

/** The width of the cells of a repository, where it has any. */
const widthOf = preparedQuery((db: Db, repoId: RepoId, ofComments: boolean) =>
  db
    .selectFrom('issue_block_repo')
    .select('cell_bits')
    .where('repo_id', '=', repoId)
    .where('of_comments', '=', ofComments)
    .where('cell_bits', 'is not', null),
)

/**
 * Cells of some times of the latest change, and rows of those that a time cuts: from one time to before another, to be added
 * (1) or taken away (-1).
 */
type CellRange = readonly [
  bits: number,
  firstY: number,
  endY: number,
  headFrom: Unix,
  headTo: Unix,
  headSign: number,
  tailFrom: Unix,
  tailTo: Unix,
  tailSign: number,
]

/** How much there is of each kind and state in one part of an order. */
type Inside = { readonly x: number } & Readonly<Record<(typeof kinds)[number]['column'], number>>

/** Which rows of issues or comments are counted, and where these are in the order. */
export const rowsOf: Readonly<
  Record<
    CellSort | 'undated',
    {
      readonly sort: CellSort
      readonly x: (bits: number) => RawBuilder<unknown>
      readonly isAmong?: RawBuilder<unknown>
    }
  >
> = {
  created: { sort: 'created', x: (bits) => sql`created_unix >> ${bits}` },
  comments: {
    sort: 'comments',
    x: () => sql`case when num_comments < ${sql.lit(mostComments)} then num_comments else ${sql.lit(mostComments)} end`,
  },
  due: { sort: 'due', x: (bits) => sql`listed_due_unix >> ${bits}`, isAmong: sql`listed_due_unix <> 0` },
  dated: { sort: 'dated', x: (bits) => sql`created_unix >> ${bits}`, isAmong: sql`listed_due_unix <> 0` },
  undated: { sort: 'created', x: (bits) => sql`created_unix >> ${bits}`, isAmong: sql`listed_due_unix = 0` },
  comment: { sort: 'comment', x: (bits) => sql`created_unix >> ${bits}` },
}

/** What the stretches of an order that has cells are counted by. */
type Celled = Exclude<Counted, 'updated' | 'dated'>

/**
 * That a cell is before one of a time. Of a range between two arguments PostgreSQL expects a few rows, and looks up each; one
 * that ends at a place of the index, before all that have the time, it reads page by page.
 */
const isBefore = (db: Db, endY: number): RawBuilder<SqlBool> =>
  databaseKind(db) === 'sqlite'
    ? sql<SqlBool>`y < ${endY}`
    : sql<SqlBool>`(y, x) < (${endY}, cast(${sql.lit(-(2 ** 62))} as bigint))`

/** How much there is in each part of an order: of whole cells, and of rows where a time cuts them. */
const insideOf = (counted: Celled) => {
  const { sort, x, isAmong } = rowsOf[counted]
  const ofComments = counted === 'comment'
  const isUndated = counted === 'undated'
  const columns = kinds.map(({ column }) => sql.ref(column))
  // Comments count as what is open does.
  const kindsOf = kinds.filter(({ isClosed }) => !(ofComments && isClosed))
  return preparedQuery(
    (
      db: Db,
      repoId: RepoId,
      bits: number,
      firstY: number,
      endY: number,
      headFrom: Unix,
      headTo: Unix,
      headSign: number,
      tailFrom: Unix,
      tailTo: Unix,
      tailSign: number,
    ) => {
      const sums = columns.map(
        (column) =>
          sql`sum(${isUndated ? sql`case when sort = 'dated' then -${column} else ${column} end` : column}) as ${column}`,
      )
      const cells = sql`select x, ${sql.join(sums)} from issue_cell
        where repo_id = ${repoId} and ${isUndated ? sql`sort in ('created', 'dated')` : sql`sort = ${sql.lit(sort)}`}
          and bits = ${bits} and y >= ${firstY} and ${isBefore(db, endY)} group by x`
      const cuts = [
        { from: headFrom, to: headTo, sign: headSign },
        { from: tailFrom, to: tailTo, sign: tailSign },
      ].flatMap(({ from, to, sign }) =>
        kindsOf.map(({ isPull, isClosed, column }) => {
          const isKind = ofComments
            ? sql`is_of_pull = ${sql.lit(isPull)} and type = 'comment'`
            : sql`is_pull = ${sql.lit(isPull)} and is_closed = ${sql.lit(isClosed)}`
          const counts = kinds.map((kind) => (kind.column === column ? sql`${sign} * count(*)` : sql`0`))
          return sql`select ${x(bits)} as x, ${sql.join(counts)} from ${sql.table(ofComments ? 'comment' : 'issue')}
            where repo_id = ${repoId} and ${isKind} and updated_unix >= ${from} and updated_unix < ${to}
              ${isAmong ? sql`and ${isAmong}` : sql``} group by 1`
        }),
      )
      return (
        db
          .selectFrom(sql<Inside>`(${sql.join([cells, ...cuts], sql` union all `)})`.as('part'))
          .select((each) => ['part.x', ...kinds.map(({ column }) => each.fn.sum<number>(`part.${column}`).as(column))])
          // Whoever widens cells leaves none of this width.
          .where(
            sql<SqlBool>`exists (select 1 from issue_block_repo
              where repo_id = ${repoId} and of_comments = ${sql.lit(ofComments)} and cell_bits = ${bits})`,
          )
          .groupBy('part.x')
          .orderBy('part.x')
      )
    },
  )
}
const inside = {
  created: insideOf('created'),
  comments: insideOf('comments'),
  due: insideOf('due'),
  undated: insideOf('undated'),
  comment: insideOf('comment'),
}

/** Earlier and later than all times. */
const [dawn, dusk] = [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
const uncut = [0, 0, 1] as const

/** The border between cells that is next to a time, and the rows between them: those of half a cell at most. */
function borderAt(unix: Unix, width: number) {
  const y = Math.round(unix / width)
  const isLater = y * width >= unix
  return { y, isLater, between: isLater ? ([unix, y * width] as const) : ([y * width, unix] as const) }
}

/** The cells of a repository of some times of the latest change; undefined: it has none. */
async function rangeOf(
  db: Db,
  repoId: RepoId,
  isOfComments: boolean,
  { sinceUnix, beforeUnix }: Times,
): Promise<CellRange | undefined> {
  const bits = (await widthOf(db, repoId, isOfComments))[0]?.cell_bits ?? undefined
  if (bits === undefined) return undefined
  const width = 2 ** bits
  const head = sinceUnix === undefined ? undefined : borderAt(sinceUnix, width)
  // A time that ends before it begins has nothing in it.
  const tail = beforeUnix === undefined ? undefined : borderAt(Math.max(beforeUnix + 1, sinceUnix ?? dawn), width)
  return [
    bits,
    head?.y ?? dawn,
    tail?.y ?? dusk,
    ...(head ? ([...head.between, head.isLater ? 1 : -1] as const) : uncut),
    ...(tail ? ([...tail.between, tail.isLater ? -1 : 1] as const) : uncut),
  ]
}

type OfKind = Pick<Part, 'isPull' | 'isClosed'>

const sumIn = (row: Inside, parts: readonly OfKind[]): number =>
  parts.reduce((sum, part) => sum + countIn(row, part), 0)

/** Where a page begins that so much comes before, in what there is of a stretch of the order; else how much there is. */
function placeIn(
  { sort, direction, keyOf, range: [from, to] }: Stretch,
  rows: readonly Inside[],
  parts: readonly OfKind[],
  offset: number,
  bits: number,
): Start | number {
  let rank = 0
  for (const row of direction === 'asc' ? rows : rows.toReversed()) {
    if (row.x < from || row.x > to) continue
    const upTo = rank + sumIn(row, parts)
    if (upTo > offset) {
      const isMost = sort === 'comments' && direction === 'desc' && row.x === mostComments
      return { key: isMost ? [endOfComments] : keyOf(row.x, 2 ** bits), rank }
    }
    rank = upTo
  }
  return rank
}

/**
 * Says in which part of an order a page begins, of the issues of a repository of some kinds and states that changed in a time:
 * by sums of some thousand cells, and by rows of those that the time cuts.
 * @returns undefined where there are no so many, or the order has no cells
 */
export async function findCell(
  db: Db,
  repoId: RepoId,
  parts: readonly OfKind[],
  order: readonly OrderKey[],
  offset: number,
  times: Times,
): Promise<Start | undefined> {
  const range = await rangeOf(db, repoId, false, times)
  if (!range) return undefined
  const known = new Map<Celled, readonly Inside[]>()
  let rank = 0
  for (const stretch of stretchesOf(order, false)) {
    const { sort } = stretch
    if (sort === 'updated' || sort === 'dated') return undefined
    // oxlint-disable-next-line no-await-in-loop -- two at most
    const rows = known.get(sort) ?? (await inside[sort](db, repoId, ...range))
    known.set(sort, rows)
    const place = placeIn(stretch, rows, parts, offset - rank, range[0])
    if (typeof place !== 'number') return { ...place, rank: rank + place.rank }
    rank += place
  }
  return undefined
}

/** The comments of a repository that changed in a time. */
export interface ChangedComments {
  /** How many there are below issues (false) or pull requests (true). */
  totalOf(isPull: boolean): number
  /** In which part of their order a page begins. */
  startOf(isPull: readonly boolean[], order: readonly OrderKey[], offset: number): Start | undefined
}

/** @returns undefined where the database keeps no count of cells */
export async function findChangedComments(db: Db, repoId: RepoId, times: Times): Promise<ChangedComments | undefined> {
  const range = await rangeOf(db, repoId, true, times)
  if (!range) return undefined
  const rows = await inside.comment(db, repoId, ...range)
  // Nothing changed then, or they are being widened.
  if (rows.length === 0) return undefined
  const partsOf = (isPull: readonly boolean[]) => isPull.map((each) => ({ isPull: each, isClosed: false }))
  return {
    totalOf: (isPull) => rows.reduce((sum, row) => sum + sumIn(row, partsOf([isPull])), 0),
    startOf(isPull, order, offset) {
      const [stretch] = stretchesOf(order, true)
      const place = stretch && placeIn(stretch, rows, partsOf(isPull), offset, range[0])
      return typeof place === 'number' ? undefined : place
    },
  }
}
