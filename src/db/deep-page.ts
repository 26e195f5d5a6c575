import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Db } from './database.ts'
import { databaseKind } from './open.ts'

/**
 * One number or text that an order compares: the name under which queries select it, what it is of a row (a column, or what
 * an index has computed), and what comes first.
 */
export interface OrderKey {
  readonly name: string
  readonly value: RawBuilder<unknown>
  readonly direction: 'asc' | 'desc'
}

/** Rows that an index has in an order: a part of a list that is put together of several. */
export interface Piece<DB, TB extends keyof DB, Row> {
  /** Selects the keys of the order by their names, and is not ordered itself. */
  readonly query: SelectQueryBuilder<DB, TB, Row>
  /** The same rows, of a query that passes over thousands of them sooner. */
  readonly passing?: SelectQueryBuilder<DB, TB, Row> | undefined
  /** The keys of a row; the last ones tell any two rows apart. All but the first have one direction. */
  readonly order: readonly OrderKey[]
  /** How many rows there are, as well as that is known: it says where to look first. */
  readonly rows: number
}

/** So many times as many rows are walked through from the beginning rather than looked for. */
const deepFrom = 4
/** How many rows are walked through to a page rather than counted: a step of a merge costs four of an index. */
const nearRows = 1000
/** How often a better place to begin is looked for. What is found before is right, only farther away. */
const maxRounds = 6

/** Whether the place of a page is looked for: only then does it matter how many rows its pieces have. */
export const isDeep = ({ offset }: { readonly offset: number }, near = nearRows): boolean => offset >= deepFrom * near

/** Values of the first keys of an order, or of all. */
type Key = readonly unknown[]

/**
 * A place in the order, and how many rows of all pieces come before it: the first values of a row, which all that comes
 * later has as well or is beyond.
 */
export interface Start {
  readonly key: Key
  readonly rank: number
  /** How many rows of each piece have the same first value, where very many may. */
  readonly rows?: readonly number[]
}

type StartBefore = (offset: number) => Promise<Start | undefined>

/**
 * One page of pieces in an order, put together. Of a deep page the rows before it are counted where each index has them, and
 * only the last few of them are merged: a place is guessed in the largest piece, and mended by what is before it in the others.
 * @param isIndexed whether an index has the order; else the pieces are sorted, and merged from the beginning
 * @param near how many rows are walked through to a page rather than counted
 * @param startBefore a place before the row that so many come before, where the database keeps count of the rows in the order
 */
export async function readMerged<DB, TB extends keyof DB, Row extends object>(
  db: Db,
  pieces: readonly Piece<DB, TB, Row>[],
  page: { readonly limit: number; readonly offset: number },
  {
    isIndexed = true,
    near = nearRows,
    startBefore,
  }: {
    readonly isIndexed?: boolean
    readonly near?: number
    readonly startBefore?: StartBefore | undefined
  } = {},
): Promise<readonly Row[]> {
  if (page.limit <= 0) return []
  const isGuessed = isIndexed && pieces.length > 1
  const start = isDeep(page, near)
    ? await startOf(db, pieces, page.offset, { isGuessed, near, startBefore })
    : undefined
  const parts = pieces.flatMap((piece) => (start ? fromKey(db, piece, start.key) : [piece.query]))
  const [first] = pieces
  if (!first) return []
  const offset = page.offset - (start?.rank ?? 0)
  return mergedPage(db, parts, first.order, { limit: page.limit, offset }).execute()
}

/**
 * One page of queries that are put together. PostgreSQL finds a part in an index only where that says itself in which order
 * it is wanted and how much of it, and sorts all of them else; SQLite merges by itself, and would keep each part whole.
 */
export function mergedPage<DB, TB extends keyof DB, Row>(
  db: Db,
  parts: readonly SelectQueryBuilder<DB, TB, Row>[],
  order: readonly Pick<OrderKey, 'name' | 'direction'>[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): SelectQueryBuilder<DB, TB, Row> {
  const inOrder = (query: SelectQueryBuilder<DB, TB, Row>, atMost: number) =>
    order.reduce((each, { name, direction }) => each.orderBy(sql.ref(name), direction), query).limit(atMost)
  const isOrderedWhole = parts.length === 1 || databaseKind(db) === 'sqlite'
  const merged = parts
    .map((part) => {
      if (isOrderedWhole) return part
      const ordered = db.selectFrom(sql<Row>`${inOrder(part, offset + limit)}`.as('part')).selectAll()
      return ordered as unknown as typeof part
    })
    .reduce((one, other) => one.unionAll(other))
  return inOrder(merged, limit).offset(offset)
}

/** Where a deep page is looked for; undefined: from the beginning. */
async function startOf<DB, TB extends keyof DB, Row>(
  db: Db,
  pieces: readonly Piece<DB, TB, Row>[],
  offset: number,
  {
    isGuessed,
    near,
    startBefore,
  }: { readonly isGuessed: boolean; readonly near: number; readonly startBefore: StartBefore | undefined },
): Promise<Start | undefined> {
  const kept = await startBefore?.(offset)
  // Very many rows may have the same time or number.
  const isFar = kept === undefined || offset - kept.rank >= deepFrom * near
  return isGuessed && isFar ? findStart(db, pieces, offset, near, kept) : kept
}

/**
 * Pieces from a place on. Of a place with several values only the rows that have all but the last of them: very many do, what is
 * wanted is among them, and they are in the order of the other keys.
 */
const piecesFrom = <DB, TB extends keyof DB, Row>(
  pieces: readonly Piece<DB, TB, Row>[],
  { key, rows: kept }: Start,
): Piece<DB, TB, Row>[] =>
  pieces.map(({ query, order, rows }, index) => ({
    query: query.where(isBeyond(order, key, key.length - 1, orEqual)),
    order: order.slice(key.length - 1),
    rows: kept?.[index] ?? rows,
  }))

/**
 * A place not far before the row that so many come before; undefined: the beginning.
 * @param kept a place before it that is known already: very many rows may have the same time or number
 */
async function findStart<DB, TB extends keyof DB, Row>(
  db: Db,
  pieces: readonly Piece<DB, TB, Row>[],
  offset: number,
  near: number,
  kept?: Start,
): Promise<Start | undefined> {
  if (kept) {
    const found = await findStart(db, piecesFrom(pieces, kept), offset - kept.rank, near)
    return found ? { key: [...kept.key.slice(0, -1), ...found.key], rank: kept.rank + found.rank } : kept
  }
  const lead = pieces.reduce((largest, piece) => (piece.rows > largest.rows ? piece : largest))
  const others = pieces.filter((piece) => piece !== lead)
  const all = pieces.reduce((sum, { rows }) => sum + rows, 0)
  /** How many rows of the largest piece are passed over for so many of all. */
  const shareOf = (rows: number): number => Math.floor((rows * lead.rows) / Math.max(1, all))
  const first = await placeAt(db, lead, others, shareOf(offset - near / 2))
  if (!first) return undefined
  let { key, rank } = first
  for (let round = 0; round < maxRounds; round++) {
    const missing = offset - rank
    if (missing >= 0 && (missing <= near || round + 1 === maxRounds)) return { key, rank }
    const steps: number = missing < 0 ? missing : Math.max(1, shareOf(missing - near / 2))
    // oxlint-disable-next-line no-await-in-loop -- each round begins where the one before ended
    const next = await keyBeside(db, lead.query, lead.order, key, steps)
    if (!next) return missing < 0 ? undefined : { key, rank }
    const [from, to] = steps < 0 ? [next, key] : [key, next]
    // oxlint-disable-next-line no-await-in-loop -- as above
    rank += steps + Math.sign(steps) * (await countBetween(db, others, from, to))
    key = next
  }
  return undefined
}

const valuesOf = (row: object | undefined, order: readonly OrderKey[]): Key | undefined =>
  row && order.map(({ name }) => (row as Record<string, unknown>)[name])

/** The same order from its end. */
export const turnedOrder = (order: readonly OrderKey[]): OrderKey[] =>
  order.map((key) => ({ ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }))

/** The keys of the row of a query before which so many come. */
const rowAt = <DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  order: readonly OrderKey[],
  offset: number,
) => {
  const keys = query.clearSelect().select(order.map(({ name, value }) => value.as(name)))
  return order
    .reduce((each, { value, direction }) => each.orderBy(value, direction), keys)
    .limit(1)
    .offset(offset)
}

const keyAt = async <DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  order: readonly OrderKey[],
  offset: number,
): Promise<Key | undefined> => valuesOf(await rowAt(query, order, offset).executeTakeFirst(), order)

/** The row of a piece before which so many of its own come, and how many of all pieces do. */
async function placeAt<DB, TB extends keyof DB, Row>(
  db: Db,
  { query, passing, order }: Piece<DB, TB, Row>,
  others: readonly Piece<DB, TB, Row>[],
  offset: number,
): Promise<Start | undefined> {
  const key = order.map(({ name }) => sql.ref(`place.${name}`))
  const counts = [sql`0`, ...countsBefore(db, others, key)]
  const { rows } = await sql<{ before: number | string }>`
    with place as materialized ${rowAt(passing ?? query, order, offset)}
    select place.*, ${sql.join(counts, sql` + `)} as before from place`.execute(db)
  const [row] = rows
  const values = valuesOf(row, order)
  return row && values && { key: values, rank: offset + Number(row.before) }
}

/** The keys of the row so many steps after a place, or before it. */
async function keyBeside<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
  order: readonly OrderKey[],
  key: Key,
  steps: number,
): Promise<Key | undefined> {
  const way = steps < 0 ? turnedOrder(order) : order
  let left = Math.abs(steps) - 1
  // The rows that have as much of the key as possible come first.
  for (let same = way.length - 1; same >= 0; same--) {
    const among = query.where(isBeyond(way, key, same))
    // oxlint-disable-next-line no-await-in-loop -- how many are left is known only then
    const found = await keyAt(among, way, left)
    if (found) return found
    if (same === 0) return undefined
    // oxlint-disable-next-line no-await-in-loop -- as above
    left -= await countOf(db, [sql`${countIn(among)}`])
  }
  return undefined
}

const operator = { asc: sql`>`, desc: sql`<` } as const
const orEqual = { asc: sql`>=`, desc: sql`<=` } as const

type Operators = Readonly<Record<OrderKey['direction'], RawBuilder<unknown>>>

/** That a row has the same first so many keys as a place, each by itself. */
const sameKeys = (order: readonly OrderKey[], key: Key, same: number): RawBuilder<SqlBool>[] =>
  order.slice(0, same).map(({ value }, index) => sql<SqlBool>`${value} = ${key[index]}`)

/**
 * That a row has the same first so many keys as a place, and that the next one is beyond it, or not before it (`orEqual`): one
 * range of an index.
 */
function isBeyond(
  order: readonly OrderKey[],
  key: Key,
  same: number,
  operators: Operators = operator,
): RawBuilder<SqlBool> {
  const { value, direction } = order[same] as OrderKey
  const next = sql`${value} ${operators[direction]} ${key[same]}`
  return sql<SqlBool>`${sql.join([...sameKeys(order, key, same), next], sql` and `)}`
}

/**
 * Whether all that lies beyond a place is one range of an index: PostgreSQL finds it by all keys together, where they have
 * one direction. SQLite looks for the first of them alone, and goes through all that have it.
 */
const isOneRange = (db: Db, order: readonly OrderKey[]): boolean =>
  databaseKind(db) === 'postgres' && order.every(({ direction }) => direction === order[0]?.direction)

const isInRange = (order: readonly OrderKey[], key: Key, operators: Operators): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(order.map(({ value }) => value))}) ${operators[order[0]?.direction ?? 'asc']} (${sql.join(key)})`

/** That a row has the same first key as a place, and how the others are to its. */
const isAmongSame = (order: readonly OrderKey[], key: Key, operators: Operators): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.join([...sameKeys(order, key, 1), isInRange(order.slice(1), key.slice(1), operators)], sql` and `)}`

const countIn = <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): RawBuilder<number> =>
  sql<number>`${query.clearSelect().select((each) => each.fn.countAll<number>().as('count'))}`

/** The sum of some counts, as one statement. */
async function countOf(db: Db, counts: readonly RawBuilder<unknown>[]): Promise<number> {
  if (counts.length === 0) return 0
  const { count } = await db
    .selectNoFrom(sql<number | string>`${sql.join(counts, sql` + `)}`.as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * All that lies beyond a place, as ranges of an index: what is beyond its first key, and what has that. PostgreSQL ends a range
 * of several keys only where the first of them ends it.
 */
function rangesBeyond(db: Db, order: readonly OrderKey[], key: Key): readonly RawBuilder<SqlBool>[] {
  const others = order.slice(1)
  if (others.length < 2 || !isOneRange(db, others)) return order.map((_, same) => isBeyond(order, key, same))
  return [isBeyond(order, key, 0), isAmongSame(order, key, operator)]
}

/** How many rows of some pieces come before a place: counts to be summed up. */
const countsBefore = <DB, TB extends keyof DB, Row>(
  db: Db,
  pieces: readonly Piece<DB, TB, Row>[],
  key: Key,
): RawBuilder<number>[] =>
  pieces.flatMap(({ query, order }) =>
    rangesBeyond(db, turnedOrder(order), key).map((range) => countIn(query.where(range))),
  )

/** How many rows of some pieces come at a place or after it, and before another. */
function countBetween<DB, TB extends keyof DB, Row>(
  db: Db,
  pieces: readonly Piece<DB, TB, Row>[],
  from: Key,
  to: Key,
): Promise<number> {
  const counts = pieces.flatMap((piece) => {
    // What has fewer of the first keys than both have together comes before both of them.
    const shared = piece.order.findIndex((_, index) => from[index] !== to[index])
    if (shared < 0) return []
    const query = sameKeys(piece.order, to, shared).reduce((each, equal) => each.where(equal), piece.query)
    const order = piece.order.slice(shared)
    const [begin, end] = [from.slice(shared), to.slice(shared)]
    const before = (key: Key) => rangesBeyond(db, turnedOrder(order), key)
    const [outer, ...inner] = before(end).map((range) => query.where(range))
    if (!outer) return []
    if (isOneRange(db, order)) return [outer.where(isInRange(order, begin, orEqual)), ...inner].map(countIn)
    const [, ...passed] = before(begin).map((range) => query.where(range))
    const isNotBefore = isBeyond(order, begin, 0, orEqual)
    return [...[outer.where(isNotBefore), ...inner].map(countIn), ...passed.map((each) => sql`- ${countIn(each)}`)]
  })
  return countOf(db, counts)
}

/** The rows of a piece from a place on, in queries that an index has each: those that have its first key, and those beyond. */
function fromKey<DB, TB extends keyof DB, Row>(
  db: Db,
  { query, order: whole }: Piece<DB, TB, Row>,
  key: Key,
): SelectQueryBuilder<DB, TB, Row>[] {
  const order = whole.slice(0, key.length)
  if (isOneRange(db, order)) return [query.where(isInRange(order, key, orEqual))]
  if (order.length === 1) return [query.where(isBeyond(order, key, 0, orEqual))]
  return [query.where(isAmongSame(order, key, orEqual)), query.where(isBeyond(order, key, 0))]
}
