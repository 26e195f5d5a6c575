import { sql } from 'kysely'
import type { Counter } from '../../access/contributions/counter.ts'

/** Rows that share the count of a repository's tasks. The triggers in `db/schema/actions.ts` use the same number. */
const shards = sql.lit(8)

/** The kept counts of tasks, which the doctor recounts. */
export const actionCounters: readonly Counter[] = [
  {
    table: 'action_task_tally',
    column: 'total',
    count: sql`(select count(*) from action_task
      where action_task.repo_id = it.repo_id and action_task.id % ${shards} = it.shard)`,
    expected: [
      {
        of: 'action_task',
        columns: ['repo_id', 'shard'],
        keys: (condition) =>
          sql`select each.repo_id, each.id % ${shards} as shard from action_task as each where ${condition}`,
      },
    ],
  },
]
