import { sql, type RawBuilder } from 'kysely'

/** Returns the numbers from 1 to `last` as a table with the column `i`, for statements that insert many rows. */
export const numbersUpTo = (last: number): RawBuilder<unknown> =>
  sql`(with recursive numbers(i) as (
    select cast(1 as bigint) union all select i + 1 from numbers where i < ${sql.lit(last)}) select i from numbers) as n`
