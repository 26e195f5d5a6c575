import { sql, type RawBuilder } from 'kysely'
import type { Db } from './database.ts'
import { databaseKind } from './open.ts'

/** Ids as one text, which a query takes as one argument however many there are. */
export const idListText = (ids: Iterable<number>): string => `[${[...new Set(ids)].join(',')}]`

/**
 * The right side of `in` for a list in the form of `idListText`. The text of the query is the same for every list, so it
 * can be compiled once (`preparedQuery`).
 */
export const idList = (db: Db, text: string): RawBuilder<number> =>
  databaseKind(db) === 'sqlite'
    ? sql<number>`(select value from json_each(${text}))`
    : sql<number>`(select value::bigint from json_array_elements_text(${text}::json))`

/** Texts as one text, for `textList`. One with a zero byte is left out: no column can hold it. */
export const textListText = (texts: Iterable<string>): string =>
  JSON.stringify([...new Set(texts)].filter((text) => !text.includes('\0') && text.isWellFormed()))

/** As `idList`, for texts in the form of `textListText`. */
export const textList = (db: Db, text: string): RawBuilder<string> =>
  databaseKind(db) === 'sqlite'
    ? sql<string>`(select value from json_each(${text}))`
    : sql<string>`(select value from json_array_elements_text(${text}::json))`
