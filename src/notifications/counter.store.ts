import { sql } from 'kysely'
import type { Counter } from '../access/contributions/counter.ts'

const columns = ['user_id', 'repo_id', 'subject', 'status', 'reason']

/** The counters that `doctor` recalculates for notifications. */
export const notificationCounters: readonly Counter[] = [
  {
    table: 'notification_tally',
    column: 'total',
    count: sql`(select count(*) from notification where ${sql.join(
      columns.map((column) => sql`${sql.ref(`notification.${column}`)} = ${sql.ref(`it.${column}`)}`),
      sql` and `,
    )})`,
    expected: [
      {
        of: 'notification',
        columns,
        keys: (condition) => sql`select each.user_id, each.repo_id, each.subject, each.status, each.reason
          from notification as each where ${condition}`,
      },
    ],
  },
]
