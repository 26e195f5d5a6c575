import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db/database.ts'
import { databaseKind } from '../db/open.ts'

/** Returns a table with the numbers from 1 as column `i`, for bulk inserts. */
export const numbersUpTo = (db: Db, last: number): RawBuilder<unknown> =>
  databaseKind(db) === 'sqlite'
    ? sql`(with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${sql.lit(last)})
        select i from numbers) as n`
    : sql`(select i from generate_series(1::bigint, ${sql.lit(last)}::bigint) as numbers(i)) as n`
