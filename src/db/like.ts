import { sql, type RawBuilder } from 'kysely'

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)

/** Returns whether a column contains a text, ignoring case; letters outside ASCII ignore case on PostgreSQL only. */
export const contains = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`lower(${sql.ref(column)}) like ${`%${escaped(text.toLowerCase())}%`} escape '\\'`

/** Returns the `like` pattern for texts that contain another one, in lower case. */
export const patternOf = (text: string): string => `%${escaped(text.toLowerCase())}%`

/** Returns whether a column matches a pattern of `patternOf`, which may be a prepared parameter. */
export const isLike = (column: string, pattern: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`

/** Like `contains`, for a column stored in lower case. */
export const lowerContains = (column: string, text: string): RawBuilder<boolean> => isLike(column, patternOf(text))
