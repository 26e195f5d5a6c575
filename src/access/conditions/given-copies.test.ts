import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { engineOf, transaction, type Db } from '../../db/database.ts'
import { openTestDatabase } from '../../testing/database.ts'

const run = (db: Db, text: string) => transaction(db, (tx) => sql.raw(text).execute(tx))

/** Waits until a statement is blocked by another transaction. On SQLite the second transaction begins after the first. */
async function somebodyWaits(db: Db): Promise<void> {
  if (engineOf(db).kind === 'sqlite') return
  for (let turn = 0; turn < 200; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- until it is so
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if (rows.length > 0) return
    // oxlint-disable-next-line no-await-in-loop -- as above
    await sleep(5)
  }
}

/** Starts a second change before the first one commits. */
async function atOnce(db: Db, first: string, second: string): Promise<void> {
  const isDone = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const one = transaction(db, async (tx) => {
    await sql.raw(first).execute(tx)
    isDone.resolve()
    await goOn.promise
  })
  await isDone.promise
  const other = run(db, second)
  await somebodyWaits(db)
  goOn.resolve()
  await Promise.all([one, other])
}

test('access: a grant that is concurrent with a change of its repository or team has the final values', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await transaction(db, async (tx) => {
    for (const text of [
      `insert into "user" (id, kind, name, lower_name, created_unix, updated_unix) values
        (1, 'individual', 'ann', 'ann', 1, 1), (2, 'individual', 'bob', 'bob', 1, 1), (3, 'organization', 'org', 'org', 1, 1)`,
      `insert into repo (id, owner_id, name, lower_name, git_key, default_branch, is_private, created_unix, updated_unix)
        values (1, 3, 'one', 'one', 'one', 'main', ${engineOf(db).kind === 'sqlite' ? '0' : 'false'}, 1, 1)`,
      `insert into team (id, org_id, name, lower_name, access_mode, created_unix) values (1, 3, 'team', 'team', 1, 1)`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await sql.raw(text).execute(tx)
    }
  })
  const hide = 'update repo set is_private = not is_private where id = 1'
  const changes = [
    hide,
    `update "user" set visibility = case visibility when 'public' then 'private' else 'public' end where id = 3`,
  ]
  const collaborate = (userId: number) =>
    `insert into collaboration (repo_id, user_id, access_mode, created_unix) values (1, ${userId}, 2, 1)`
  const join = (userId: number) => `insert into team_user (team_id, org_id, user_id) values (1, 3, ${userId})`
  const promote =
    'update team set access_mode = 4 - access_mode, includes_all_repositories = not includes_all_repositories'
  const teach = `insert into team_unit (team_id, org_id, unit, access_mode) values (1, 3, 'wiki', 2)`
  const wrong = async () => {
    const { rows } = await sql<{ kind: string; user_id: number }>`
      select 'collaboration' as kind, user_id from collaboration join repo on repo.id = repo_id
        where collaboration.audience <> repo.audience
      union all select 'team', user_id from team_user join team on team.id = team_id
        where team_user.access_mode <> team.access_mode or team_user.unit_modes <> team.unit_modes
          or team_user.includes_all_repositories <> team.includes_all_repositories`.execute(db)
    return rows
  }
  for (const [given, taken, changed] of [
    ...changes.map((change) => [collaborate, 'delete from collaboration', change] as const),
    [join, 'delete from team_user', promote] as const,
    [join, 'delete from team_user', teach] as const,
  ]) {
    // oxlint-disable no-await-in-loop -- one after the other
    await atOnce(db, given(1), changed)
    assert.deepEqual(await wrong(), [], `given before ${changed}`)
    if (changed === teach) await run(db, 'delete from team_unit')
    await atOnce(db, changed, given(2))
    assert.deepEqual(await wrong(), [], `given after ${changed}`)
    await run(db, taken)
    // oxlint-enable no-await-in-loop
  }
})
