import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from './database.ts'
import { databaseKind } from './open.ts'

/** Encodes ids as one text, which is one query parameter. */
export const idListText = (ids: Iterable<number>): string => `[${[...new Set(ids)].join(',')}]`

/**
 * Returns the right side of `in` for `idListText`. The statement text does not depend on the list, so it can be prepared
 * (`preparedQuery`).
 */
export const idList = (db: Db, text: string): RawBuilder<number> =>
  databaseKind(db) === 'sqlite'
    ? sql<number>`(select value from json_each(${text}))`
    : sql<number>`(select value::bigint from json_array_elements_text(${text}::json))`

/** Encodes texts for `textList`. It omits texts with a zero byte, which no column can hold. */
export const textListText = (texts: Iterable<string>): string =>
  JSON.stringify([...new Set(texts)].filter((text) => !text.includes('\0') && text.isWellFormed()))

/** As `idList`, for texts in the form of `textListText`. */
export const textList = (db: Db | Tx, text: string): RawBuilder<string> =>
  databaseKind(db) === 'sqlite'
    ? sql<string>`(select value from json_each(${text}))`
    : sql<string>`(select value from json_array_elements_text(${text}::json))`
