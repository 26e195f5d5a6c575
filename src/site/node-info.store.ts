import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Unix } from '../lib/time.ts'

/** People of the instance: all, and those who signed in since two moments. */
export async function countActivePeople(
  db: Db,
  since: { readonly halfYear: Unix; readonly month: Unix },
): Promise<{ readonly total: number; readonly halfYear: number; readonly month: number }> {
  const row = await db
    .selectFrom('user')
    .select((select) => [
      select.fn.countAll<number>().as('total'),
      sql<number>`coalesce(sum(case when last_login_unix >= ${since.halfYear} then 1 else 0 end), 0)`.as('half_year'),
      sql<number>`coalesce(sum(case when last_login_unix >= ${since.month} then 1 else 0 end), 0)`.as('month'),
    ])
    .where('kind', '=', 'individual')
    // People of other servers are told of there.
    .where((row) =>
      row.not(
        row.exists(
          row.selectFrom('federated_account').select('user_id').whereRef('federated_account.user_id', '=', 'user.id'),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return { total: row.total, halfYear: row.half_year, month: row.month }
}

/** Issues and pull requests of all repositories, and what was written below them. */
export async function countPosts(db: Db): Promise<{ readonly posts: number; readonly comments: number }> {
  const row = await db
    .selectFrom('issue')
    .select((select) => [
      select.fn.countAll<number>().as('posts'),
      sql<number>`coalesce(sum(num_comments), 0)`.as('comments'),
    ])
    .executeTakeFirstOrThrow()
  return row
}
