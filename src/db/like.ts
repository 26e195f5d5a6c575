import { sql, type RawBuilder } from 'kysely'

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)

/**
 * A condition: the column holds the text somewhere, whatever its letter case. The column may be one that is stored in
 * lower case already. Letters outside of ASCII compare without case on PostgreSQL alone.
 */
export const contains = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`lower(${sql.ref(column)}) like ${`%${escaped(text.toLowerCase())}%`} escape '\\'`

/** Like `contains`, for a column that is stored in lower case: it needs no function over it. */
export const lowerContains = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} like ${`%${escaped(text.toLowerCase())}%`} escape '\\'`
