import { sql } from 'kysely'
import type { Counter } from '../access/contributions/counter.ts'
import { repoUnits } from '../db/tables/repositories.ts'

const digit = sql.join(
  repoUnits.map((unit, index) => sql`when ${sql.lit(unit)} then ${sql.lit(8 ** index)}`),
  sql` `,
)

/** The access modes of a team's units, encoded in one number with an octal digit for each unit. */
export const teamCounters: readonly Counter[] = [
  {
    table: 'team',
    column: 'unit_modes',
    count: sql`(select cast(coalesce(sum(access_mode * case unit ${digit} else 0 end), 0) as bigint)
      from team_unit where team_unit.team_id = it.id)`,
  },
]
