import { sql } from 'kysely'
import { transaction } from '../db/database.ts'
import type { Forge } from './forge.ts'
import { numbersUpTo } from './numbers.ts'

/** Inserts many accounts without passwords and tokens that watch a repository. */
export async function manyPeople(
  forge: Forge,
  { count, watching: repoId }: { readonly count: number; readonly watching: number },
): Promise<void> {
  const { user } = await forge.account('root')
  const { id: _, ...model } = { ...user, is_admin: false, email: '' }
  const columns = Object.keys(model).filter((name) => !['name', 'lower_name'].includes(name))
  const copied = sql.join(columns.map((name) => (name === 'is_admin' ? sql`false` : sql.ref(`model.${name}`))))
  await transaction(forge.services.db, async (tx) => {
    await sql`insert into "user" (name, lower_name, ${sql.join(columns.map((name) => sql.ref(name)))})
      select 'many' || n.i, 'many' || n.i, ${copied}
      from ${numbersUpTo(count)} cross join "user" as model where model.id = ${user.id}`.execute(tx)
    await sql`insert into watch (repo_id, user_id, mode, created_unix)
      select cast(${repoId} as bigint), id, 'normal', created_unix from "user" where name like 'many%'`.execute(tx)
  })
}
