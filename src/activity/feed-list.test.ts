import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import { sql } from 'kysely'
import { makeWorld, nameOf, viewersOf, type World } from '../access/conditions/access-world.test-support.ts'
import { accessToAll } from '../access/repo-access.ts'
import { viewerAs, type Viewer } from '../auth/viewer.ts'
import { transaction, type Db, type Tx } from '../db/database.ts'
import type { ActRow, ActUnit } from '../db/tables/activity.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { TeamId, UserId } from '../lib/ids.ts'
import { dice } from '../testing/dice.ts'
import { openTestDatabase } from '../testing/database.ts'
import { numbersUpTo } from '../testing/numbers.ts'
import { findActs, listActs, type FeedSource } from './feed.store.ts'

const units: readonly ActUnit[] = ['code', 'issues', 'pulls', 'releases', '']

/** Inserts acts of all accounts in all repositories, many in the same second. */
async function makeActs(db: Db, { people, repositories }: World, seed: number): Promise<readonly ActRow[]> {
  const { below, of } = dice(seed)
  const rows = Array.from({ length: 400 }, () => {
    const { repo } = of(repositories)
    return sql`(${of(people).id}, ${repo.id}, ${repo.owner_id}, 'create_repo', ${of(units)}, '', '', ${below(60)}, 0)`
  })
  await transaction(db, (tx) =>
    sql`insert into activity (actor_id, repo_id, owner_id, kind, unit, ref_name, content, created_unix, ordinal)
      values ${sql.join(rows)}`.execute(tx),
  )
  return db.selectFrom('activity').selectAll().orderBy('created_unix', 'desc').orderBy('id', 'desc').execute()
}

interface Teams {
  readonly orgOf: ReadonlyMap<TeamId, UserId>
  readonly holds: (teamId: TeamId, repoId: number) => boolean
}

async function loadTeams(db: Db): Promise<Teams> {
  const [teams, held] = await Promise.all([
    db.selectFrom('team').selectAll().execute(),
    db.selectFrom('team_repo').select(['team_id', 'repo_id']).execute(),
  ])
  const holding = new Set(held.map((row) => `${row.team_id} ${row.repo_id}`))
  const all = new Set(
    teams.filter((team) => team.includes_all_repositories || team.access_mode === 4).map((team) => team.id),
  )
  return {
    orgOf: new Map(teams.map((team) => [team.id, team.org_id])),
    holds: (teamId, repoId) => all.has(teamId) || holding.has(`${teamId} ${repoId}`),
  }
}

const isOf = (source: FeedSource, act: ActRow, teams: Teams): boolean => {
  switch (source.of) {
    case 'account':
      return act.actor_id === source.id || (!source.ownActsOnly && act.owner_id === source.id)
    case 'owner':
      return act.owner_id === source.id
    case 'team':
      return act.owner_id === source.orgId && teams.holds(source.id, act.repo_id)
    case 'repository':
      return act.repo_id === source.id
  }
}

const showsActs = (viewer: Viewer | undefined, actor: UserRow): boolean => {
  if (viewer?.isAdmin || viewer?.id === actor.id) return true
  const isSeen = viewer && !viewer.limit.publicOnly ? actor.visibility !== 'private' : actor.visibility === 'public'
  return isSeen && !actor.hide_activity
}

test('feeds: each page equals that of a plain check of all acts, for each viewer and source', async () => {
  // A failure prints its seed. `INGOT_TEST_SEED=<seed>` repeats the run.
  const wanted = process.env['INGOT_TEST_SEED']
  const seed = wanted === undefined ? randomInt(1 << 30) : Number(wanted)
  const { of } = dice(seed)
  await using database = await openTestDatabase()
  const { db } = database
  const world = await makeWorld(db, seed)
  await transaction(db, (tx) => sql`update "user" set hide_activity = (id % 4 = 1)`.execute(tx))
  const actors = new Map((await db.selectFrom('user').selectAll().execute()).map((user) => [user.id, user] as const))
  const all = await makeActs(db, world, seed)
  const teams = await loadTeams(db)
  for (const viewer of viewersOf(world)) {
    const access = await accessToAll(db, viewer, world.repositories)
    const isReadable = ({ repo_id, unit }: ActRow): boolean => {
      const rights = access.get(repo_id)?.rights
      return rights !== undefined && (unit === '' ? rights.any : rights.modeOf(unit) >= 1)
    }
    const shown = all.filter((act) => isReadable(act) && showsActs(viewer, actors.get(act.actor_id) as UserRow))
    const [account, repository] = [of(world.accounts), of(world.repositories)]
    const [teamId, orgId] = of([...teams.orgOf])
    const sources: FeedSource[] = [
      { of: 'account', id: of(world.people).id, ownActsOnly: true },
      { of: 'account', id: of(world.people).id, ownActsOnly: false },
      { of: 'owner', id: account.id },
      { of: 'owner', id: repository.owner.id },
      { of: 'team', id: teamId, orgId },
      { of: 'repository', id: repository.repo.id },
    ]
    for (const source of sources) {
      for (const during of [undefined, { from: 10, before: 30 }]) {
        const about = `seed ${seed}, ${nameOf(viewer)}, ${JSON.stringify({ source, during })}`
        const expected = shown.filter(
          (act) =>
            isOf(source, act, teams) &&
            (during === undefined || (act.created_unix >= during.from && act.created_unix < during.before)),
        )
        const offset = expected.length > 5 ? 5 : 0
        const page = { number: 1, limit: 40, offset }
        const { acts, total } = await findActs(db, viewer, { source, during }, page)
        assert.equal(total, expected.length, about)
        assert.deepEqual(acts, expected.slice(offset, offset + 40), about)
        // Checks each act on its own.
        assert.deepEqual(await listActs(db, viewer, { source, during }, 12), expected.slice(0, 12), about)
      }
    }
  }
})

test('feeds: over a thousand repositories and thousands of acts the total is a lower bound', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const repos = 1100
  const acts = 6300
  await transaction(db, async (tx: Tx) => {
    await sql`insert into "user" (id, kind, name, lower_name, visibility, created_unix, updated_unix)
      values (1001, 'individual', 'alice', 'alice', 'public', 1, 1), (1002, 'individual', 'bob', 'bob', 'public', 1, 1)`.execute(
      tx,
    )
    await sql`insert into repo (id, owner_id, name, lower_name, git_key, default_branch, is_private, created_unix, updated_unix)
      select i, 1001, 'r' || i, 'r' || i, 'r' || i, 'main', i % 3 = 0, 1, 1 from ${numbersUpTo(repos)}`.execute(tx)
    await sql`insert into repo_unit (repo_id, unit) select id, 'code' from repo`.execute(tx)
    await sql`insert into activity (actor_id, repo_id, owner_id, kind, unit, ref_name, content, created_unix, ordinal)
      select 1001, case when i <= ${repos} then i else 1 end, 1001, 'create_repo', '', '', '', i / 2, 0
      from ${numbersUpTo(acts)}`.execute(tx)
  })
  const people = await db
    .selectFrom('user')
    .selectAll()
    .where('id', 'in', [1001 as UserId, 1002 as UserId])
    .execute()
  const all = await db
    .selectFrom('activity')
    .selectAll()
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .execute()
  for (const user of people) {
    const expected = all.filter((act) => user.name === 'alice' || act.repo_id % 3 !== 0)
    const sources: [FeedSource, readonly ActRow[]][] = [
      [{ of: 'owner', id: 1001 as UserId }, expected],
      [{ of: 'account', id: 1001 as UserId, ownActsOnly: false }, expected],
      [{ of: 'repository', id: 1 as ActRow['repo_id'] }, expected.filter((act) => act.repo_id === 1)],
    ]
    for (const [source, found] of sources) {
      for (const offset of [0, 4990, 5180]) {
        const page = { number: 1, limit: 15, offset }
        const { acts: listed, total } = await findActs(db, viewerAs(user), { source }, page)
        assert.equal(total, 5000)
        assert.deepEqual(listed, found.slice(offset, offset + 15), `${user.name}, ${JSON.stringify(source)}, ${offset}`)
      }
    }
  }
})
