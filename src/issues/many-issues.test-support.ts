import { sql } from 'kysely'
import { engineOf, type Db } from '../db/database.ts'
import type { OrderKey } from '../db/deep-page.ts'
import type { RepoId } from '../lib/ids.ts'
import { recountIssues } from './recount.test-support.ts'

type Key = 'id' | 'created_unix' | 'updated_unix' | 'num_comments' | 'listed_due_unix' | 'nearest_due_unix'
/** What tests look at of an issue. */
export type Thing = Readonly<Record<Key, number>> & { readonly is_pull: boolean; readonly is_closed: boolean }

/** The repository that has most of them. */
export const repoId = 1 as RepoId
export const day = 86_400
/** Issues of two months, many of the same second, whose dates, states and comments change afterwards, and some of which go. */
export async function fill(db: Db, count: number, isFromFirst: boolean): Promise<void> {
  const write = (text: string) => sql.raw(text).execute(engineOf(db).writer)
  const numbers = (last: number) =>
    engineOf(db).kind === 'sqlite'
      ? `(with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${last}) select i from numbers) as n`
      : `(select i from generate_series(1::bigint, ${last}::bigint) as numbers(i)) as n`
  const created = `${10_000 * day} + ((i * 7919) % 60) * ${day} + (i % 90) * 10`
  for (const statement of [
    `insert into "user" (id, kind, name, lower_name, created_unix, updated_unix) values (1, 'individual', 'u', 'u', 1, 1)`,
    ...[1, 2].map(
      (id) => `insert into repo (id, owner_id, name, lower_name, git_key, default_branch, created_unix, updated_unix)
        values (${id}, 1, 'r${id}', 'r${id}', 'k${id}', 'main', 1, 1)`,
    ),
    // Some begin to count when all is there, others from the first issue on.
    ...(isFromFirst
      ? ['false', 'true'].map((of) => `insert into issue_block_repo (repo_id, of_comments) values (1, ${of})`)
      : []),
    ...[0, 10_020 * day].map(
      (due, index) => `insert into milestone (id, repo_id, title, due_unix, created_unix, updated_unix)
        values (${index + 1}, 1, 'm${index}', ${due}, 1, 1)`,
    ),
    `insert into issue (id, repo_id, "index", is_pull, poster_id, title, content, milestone_id, is_closed, num_comments, due_unix, created_unix,
        updated_unix)
      select i, case when i % 20 = 7 then 2 else 1 end, i, i % 3 = 0, 1, 'a', 'b', case when i % 7 < 2 then 1 + i % 7 end, i % 4 = 1, (i * 31) % 5,
        case when i % 11 = 4 then ${10_000 * day} + ((i * 31) % 100) * ${day} else 0 end, ${created},
        ${created} + (i % 50) * ${day} - 100 from ${numbers(count)}`,
    `insert into comment (issue_id, type, poster_id, content, created_unix, updated_unix)
      select i, case when i % 90 = 1 then 'close' else 'comment' end, 1, 'c', ${created}, ${created} from ${numbers(count)}`,
    `update issue set is_closed = not is_closed where id % 30 = 1`,
    `update issue set num_comments = num_comments + 1, updated_unix = updated_unix + 5 * ${day} where id % 40 = 1`,
    `update issue set milestone_id = 2 where id % 130 = 1`,
    `update milestone set due_unix = ${10_030 * day} where id = 2`,
    `update comment set updated_unix = updated_unix + (id % 40) * ${day} where id % 3 = 1`,
    `delete from comment where id % 50 = 3`,
    `delete from comment where issue_id % 70 = 3`,
    `update issue set due_unix = -${day} - id where id % 230 = 1`,
    `delete from issue where id % 70 = 3`,
    ...recountIssues,
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- each needs those before it
    await write(statement)
  }
}

export const listThings = async (db: Db): Promise<Thing[]> =>
  (await db.selectFrom('issue').where('repo_id', '=', repoId).selectAll().execute()) as readonly object[] as Thing[]

export const compare =
  (order: readonly OrderKey[]) =>
  (one: Thing, other: Thing): number => {
    for (const { name, direction } of order) {
      const difference = one[name as Key] - other[name as Key]
      if (difference !== 0) return direction === 'asc' ? difference : -difference
    }
    return 0
  }

/** Whether a row comes before a place. */
export const isBefore = (row: Thing, order: readonly OrderKey[], key: readonly unknown[]): boolean => {
  for (const [index, value] of key.entries()) {
    const { name, direction } = order[index] as OrderKey
    const difference = row[name as Key] - (value as number)
    if (difference !== 0) return direction === 'asc' ? difference < 0 : difference > 0
  }
  return false
}
