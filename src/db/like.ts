import { sql, type RawBuilder } from 'kysely'

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)

/**
 * A condition: the column holds the text somewhere, whatever its letter case. The column may be one that is stored in
 * lower case already. Letters outside of ASCII compare without case on PostgreSQL alone.
 */
export const contains = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`lower(${sql.ref(column)}) like ${`%${escaped(text.toLowerCase())}%`} escape '\\'`

/** What `like` compares with for texts that hold another one, in lower case. */
export const patternOf = (text: string): string => `%${escaped(text.toLowerCase())}%`

/** That a column is like a pattern of `patternOf`; a query that is prepared has it as its argument. */
export const isLike = (column: string, pattern: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`

/** Like `contains`, for a column that is stored in lower case: it needs no function over it. */
export const lowerContains = (column: string, text: string): RawBuilder<boolean> => isLike(column, patternOf(text))
