import { sql, type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'

type Key = readonly unknown[]
type KeyRow = Readonly<Record<string, unknown>>

/** A number or text that an order compares. */
export interface OrderKey {
  /** The column of the pieces that has it. */
  readonly name: string
  /** The same in a condition on their rows. */
  readonly value: Expression<unknown>
  readonly direction: 'asc' | 'desc'
}

/** A list that is merged of pieces, which do not overlap. */
export interface MergedList<Row extends KeyRow> {
  /** Queries of rows with the keys; an index has each in the order, or it is as small as it can be sorted. The largest first. */
  readonly pieces: readonly Piece<Row>[]
  /** The first first; the last is different for each row. */
  readonly keys: readonly OrderKey[]
  /** How much of the list the first piece is, as far as one knows: from 0 to 1. It decides what a page costs, and nothing else. */
  readonly share: number
}

export type Piece<Row> = SelectQueryBuilder<Schema, never, Row>

/** Rows that are merged without a look for where to begin: nobody needs to know the `share` before. */
export const soonMerged = 2000
/** Looks for where to begin before what is left is merged. */
const maxLooks = 4

/**
 * `limit` rows of a merged list behind the first `offset`. Merging costs four times what passing over rows of one index
 * does: of a deep page it is guessed how many of the rows before it are in the largest piece, whose index tells the key
 * there; the others count theirs before that key, and only the rest of the way is merged.
 */
export async function mergedPage<Row extends KeyRow>(
  db: Db,
  list: MergedList<Row>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Row[]> {
  if (list.pieces.length === 0 || limit <= 0) return []
  const start = await findStart(db, list, offset)
  return selectMerged(list, start?.key, limit, offset - (start?.rank ?? 0)).execute()
}

/** A row of the first piece, and how many rows of the list are before it. */
interface Start {
  readonly key: Key
  readonly rank: number
}

/** A row of the list that is a little before a place; undefined: its beginning is as near, or nothing is known. */
async function findStart<Row extends KeyRow>(
  db: Db,
  list: MergedList<Row>,
  offset: number,
): Promise<Start | undefined> {
  const isOneWay = list.keys.every(({ direction }) => direction === list.keys[0]?.direction)
  if (!isOneWay || offset <= soonMerged || list.pieces.length < 2) return undefined
  let start: Start | undefined
  /** How far the next look goes in the first piece, from `start`. */
  let step = stepOf(offset, list.share)
  for (let look = 0; look < maxLooks && step > 0; look++) {
    // oxlint-disable-next-line no-await-in-loop -- each look begins where the one before ended
    const key = await keyBehind(list, start?.key, step)
    if (key === undefined) {
      step = Math.floor(step / 2)
      continue
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    const rank = (start?.rank ?? 0) + step + (await countOthers(db, list, start?.key, key))
    if (rank > offset) {
      step -= rank - offset
      continue
    }
    start = { key, rank }
    if (offset - rank <= soonMerged) break
    step = stepOf(offset - rank, list.share)
  }
  return start
}

/** A little less than the part of the way that is in the first piece: going too far costs another look. */
const stepOf = (distance: number, share: number): number => Math.floor(distance * share - 2 * Math.sqrt(distance))

/** Rows before a key, or from it on. The first of what is compared is told apart, for indexes of what is computed. */
function compared(
  { keys }: { readonly keys: readonly OrderKey[] },
  side: 'before' | 'from',
  key: Key,
): RawBuilder<SqlBool> {
  const isLess = (side === 'before') === (keys[0]?.direction === 'asc')
  const values = keys.map(({ value }) => value)
  const bound = sql<SqlBool>`${values[0]} ${sql.raw(isLess ? '<=' : '>=')} ${key[0]}`
  const sign = sql.raw(`${isLess ? '<' : '>'}${side === 'from' ? '=' : ''}`)
  return sql<SqlBool>`(${bound} and (${sql.join(values)}) ${sign} (${sql.join([...key])}))`
}

function selectMerged<Row extends KeyRow>(list: MergedList<Row>, from: Key | undefined, limit: number, offset: number) {
  const [first, ...others] = from ? list.pieces.map((piece) => piece.where(compared(list, 'from', from))) : list.pieces
  const merged = others.reduce((one, other) => one.unionAll(other), first as Piece<Row>)
  return list.keys
    .reduce((query, { name, direction }) => query.orderBy(sql.ref(name), direction), merged)
    .limit(limit)
    .offset(offset)
}

/** The key of the row of the first piece that is so many rows behind another, or behind the first of all. */
async function keyBehind<Row extends KeyRow>(
  list: MergedList<Row>,
  from: Key | undefined,
  step: number,
): Promise<Key | undefined> {
  const [row] = await selectMerged({ ...list, pieces: list.pieces.slice(0, 1) }, from, 1, step).execute()
  return row && list.keys.map(({ name }) => row[name])
}

/** How many rows of the other pieces are before a key, from another one on. */
async function countOthers<Row extends KeyRow>(
  db: Db,
  list: MergedList<Row>,
  from: Key | undefined,
  before: Key,
): Promise<number> {
  const counts = list.pieces.slice(1).map((piece) => {
    const behind = from === undefined ? piece : piece.where(compared(list, 'from', from))
    const rows = behind.where(compared(list, 'before', before))
    return sql<number>`(${rows.clearSelect().select((select) => select.fn.countAll<number>().as('count'))})`
  })
  const { total } = await db
    .selectNoFrom(sql<number>`${sql.join(counts, sql` + `)}`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}
