import { sql, type DeleteResult, type InsertResult, type SelectQueryBuilder, type UpdateResult } from 'kysely'

/** Returns whether a query, which needs to select nothing, has rows. */
export const hasRow = async <Tables, Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<boolean> => (await query.select(sql.lit(1).as('one')).limit(1).executeTakeFirst()) !== undefined

/** Returns the number of rows of a query that selects nothing. */
export async function countRows<Tables, Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, Record<never, never>>,
): Promise<number> {
  const row = await query.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return (row as { readonly count: number }).count
}

/** A statement that writes and returns no rows. */
interface Writing {
  executeTakeFirstOrThrow(): Promise<InsertResult | UpdateResult | DeleteResult>
}

/** Runs a statement; returns the number of rows that it inserted, updated or deleted. */
export async function countChanges(statement: Writing): Promise<number> {
  const result = await statement.executeTakeFirstOrThrow()
  if ('numDeletedRows' in result) return Number(result.numDeletedRows)
  return Number('numUpdatedRows' in result ? result.numUpdatedRows : (result.numInsertedOrUpdatedRows ?? 0n))
}

/** Runs a statement; returns whether it inserted, updated or deleted a row. */
export const changesRow = async (statement: Writing): Promise<boolean> => (await countChanges(statement)) > 0
