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
 * Pieces from a place on. Where an index has them as two ranges, only the first of these, and without the key that all its rows
 * have: what is wanted is in it, and what is beyond comes before nothing of it.
 */
const piecesFrom = <DB, TB extends keyof DB, Row>(
  db: Db,
  pieces: readonly Piece<DB, TB, Row>[],
  { key, rows: kept }: Start,
): Piece<DB, TB, Row>[] =>
  pieces.flatMap(({ query, order, rows }, index) => {
    const [from, ...beyond] = fromKey(db, { query, order }, key)
    return from ? [{ query: from, order: beyond.length > 0 ? order.slice(1) : order, rows: kept?.[index] ?? rows }] : []
  })

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
    const found = await findStart(db, piecesFrom(db, pieces, kept), offset - kept.rank, near)
    if (!found) return kept
    const same = (pieces[0]?.order.length ?? 0) - found.key.length
    return { key: [...kept.key.slice(0, same), ...found.key], rank: kept.rank + found.rank }
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

/** That a row has the same first so many keys as a place, and that the next one is beyond it: one range of an index. */
function isBeyond(order: readonly OrderKey[], key: Key, same: number): RawBuilder<SqlBool> {
  const equal = order.slice(0, same).map(({ value }, index) => sql`${value} = ${key[index]}`)
  const { value, direction } = order[same] as OrderKey
  return sql<SqlBool>`${sql.join([...equal, sql`${value} ${operator[direction]} ${key[same]}`], sql` and `)}`
}

/**
 * Whether all that lies beyond a place is one range of an index: PostgreSQL finds it by all keys together, where they have
 * one direction. SQLite looks for the first of them alone, and goes through all that have it.
 */
const isOneRange = (db: Db, order: readonly OrderKey[]): boolean =>
  databaseKind(db) === 'postgres' && order.every(({ direction }) => direction === order[0]?.direction)

const isInRange = (
  order: readonly OrderKey[],
  key: Key,
  operators: Readonly<Record<OrderKey['direction'], RawBuilder<unknown>>>,
): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(order.map(({ value }) => value))}) ${operators[order[0]?.direction ?? 'asc']} (${sql.join(key)})`

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

/** How many rows of some pieces come before a place: counts to be summed up. */
const countsBefore = <DB, TB extends keyof DB, Row>(
  db: Db,
  pieces: readonly Piece<DB, TB, Row>[],
  key: Key,
): RawBuilder<number>[] =>
  pieces.flatMap(({ query, order }) =>
    isOneRange(db, order)
      ? [countIn(query.where(isInRange(turnedOrder(order), key, operator)))]
      : order.map((_, same) => countIn(query.where(isBeyond(turnedOrder(order), key, same)))),
  )

/** How many rows of some pieces come at a place or after it, and before another. */
function countBetween<DB, TB extends keyof DB, Row>(
  db: Db,
  pieces: readonly Piece<DB, TB, Row>[],
  from: Key,
  to: Key,
): Promise<number> {
  const counts = pieces.flatMap(({ query, order }) => {
    const turned = turnedOrder(order)
    if (isOneRange(db, order)) {
      const isFrom = isInRange(order, from, orEqual)
      return [countIn(query.where(isFrom).where(isInRange(turned, to, operator)))]
    }
    // What has fewer of the first keys than both have together comes before both of them.
    const shared = order.findIndex((_, index) => from[index] !== to[index])
    if (shared < 0) return []
    const { value, direction } = order[shared] as OrderKey
    const isNotBefore = sql<SqlBool>`${value} ${orEqual[direction]} ${from[shared]}`
    return order.flatMap((_, same) => {
      if (same < shared) return []
      const beforeTo = query.where(isBeyond(turned, to, same))
      if (same === shared) return [countIn(beforeTo.where(isNotBefore))]
      return [countIn(beforeTo), sql`- ${countIn(query.where(isBeyond(turned, from, same)))}`]
    })
  })
  return countOf(db, counts)
}

/** The rows of a piece from a place on, in queries that an index has each: those that have its first key, and those beyond. */
function fromKey<DB, TB extends keyof DB, Row>(
  db: Db,
  { query, order: whole }: Pick<Piece<DB, TB, Row>, 'query' | 'order'>,
  key: Key,
): SelectQueryBuilder<DB, TB, Row>[] {
  const order = whole.slice(0, key.length)
  const [first, ...others] = order as readonly OrderKey[] as readonly [OrderKey, ...OrderKey[]]
  if (isOneRange(db, order)) return [query.where(isInRange(order, key, orEqual))]
  if (others.length === 0) {
    const isFrom = sql<SqlBool>`${first.value} ${orEqual[first.direction]} ${key[0]}`
    return [query.where(isFrom)]
  }
  const tail = sql.join(others.map(({ value }) => value))
  const values = sql.join(others.map((_, index) => sql`${key[index + 1]}`))
  const comparison = orEqual[others[0]?.direction ?? 'asc']
  const isSame = sql`${first.value} = ${key[0]}`
  return [
    query.where(sql<SqlBool>`${isSame} and (${tail}) ${comparison} (${values})`),
    query.where(isBeyond(order, key, 0)),
  ]
}
