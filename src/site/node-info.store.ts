import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Unix } from '../lib/time.ts'

/** Returns the number of local people, in total and with a sign-in since each of two times. */
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
    // Other servers report their own people.
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

/** Returns the number of issues and pull requests, and of comments on them. */
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
