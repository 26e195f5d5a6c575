import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf, transaction } from '../../db/database.ts'
import { databaseKind } from '../../db/open.ts'
import type { RepoId, TeamId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { findAccountByName } from '../../access/access.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { viewerOf, type Viewer } from '../../auth/viewer.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { numbersUpTo } from '../../testing/numbers.ts'
import { planOf } from '../../testing/plan.ts'
import { collectStatements } from '../../testing/statements.ts'
import type { RunStatement } from '../../testing/watch-statements.ts'
import type { RepoFilter } from './repo-filter.store.ts'
import type { RepoOrder } from './repo-order.store.ts'
import { searchRepos, type FoundRepos } from './repo-search.store.ts'

const orders: readonly RepoOrder[] = [
  'name',
  'alpha',
  'created',
  'updated',
  'size',
  'git_size',
  'lfs_size',
  'stars',
  'forks',
  'id',
]

const filtersOf = ({ bob, crowd, team, first }: World): Readonly<Record<string, RepoFilter>> => ({
  owner: { ownerId: crowd },
  contributor: { contributorId: bob },
  'known contributions': { contributorId: bob, contributionsKnownTo: 'guest' },
  team: { teamId: team },
  stars: { starredBy: bob },
  watches: { watchedBy: bob },
  forks: { forkId: first },
  topic: { words: ['common'], topicsOnly: true },
  words: { words: ['r11', 'common'] },
  description: { words: ['number 77'], alsoDescription: true },
  template: { isTemplate: true },
  archived: { isArchived: true },
  fork: { isFork: true },
  'private only': { isPrivate: true },
  'public only': { isPrivate: false },
  'owner and stars': { ownerId: crowd, starredBy: bob },
  'stars and words': { starredBy: bob, words: ['r1'] },
})

interface World {
  readonly forge: Forge
  readonly bob: UserId
  readonly crowd: UserId
  readonly team: TeamId
  readonly first: RepoId
  readonly viewers: Readonly<Record<string, Viewer | undefined>>
}

/** Returns a forge in which bob owns, stars, watches, collaborates on and is given some of the repositories. */
async function fill(count: number): Promise<World> {
  const forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  await forge.as('alice').must('POST', '/orgs', { username: 'crowd', visibility: 'public' })
  const team = { name: 'some', permission: 'read', units: ['repo.code'] }
  const { id } = (await forge.as('alice').must('POST', '/orgs/crowd/teams', team)).json
  await forge.as('alice').must('PUT', `/teams/${id}/members/bob`)
  const ids = await forge.services.db.selectFrom('user').select(['id', 'lower_name']).orderBy('id').execute()
  const idOf = (name: string) => ids.find((row) => row.lower_name === name)?.id as UserId
  const { db } = forge.services
  await transaction(db, async (tx) => {
    const row = sql`insert into repo (owner_id, name, lower_name, git_key, description, default_branch, is_private, is_template,
      is_archived, is_fork, fork_id, num_stars, num_forks, git_size_bytes, lfs_size_bytes, created_unix, updated_unix)`
    await sql`${row} select case when n.i % 30 = 0 then ${sql.lit(idOf('crowd'))} when n.i % 100 = 1 then ${sql.lit(idOf('bob'))}
        else ${sql.lit(idOf('alice'))} end, 'r' || n.i, 'r' || n.i, 'key' || n.i, 'number ' || n.i, 'main', n.i % 7 = 5, n.i % 50 = 2,
        n.i % 60 = 4, n.i % 20 = 3, null, (n.i * 31) % 97, (n.i * 7) % 11, (n.i * 13) % 1000, (n.i * 17) % 10, n.i,
        (n.i * 7919) % 10007 from ${numbersUpTo(count)}`.execute(tx)
    const first = sql`(select min(id) from repo)`
    await sql`update repo set fork_id = ${first} where is_fork`.execute(tx)
    for (const [table, columns, values] of [
      ['star', 'repo_id, user_id, created_unix', sql`id, ${sql.lit(idOf('bob'))}, 1`],
      ['watch', 'repo_id, user_id, mode, created_unix', sql`id, ${sql.lit(idOf('bob'))}, 'normal', 1`],
      ['collaboration', 'repo_id, user_id, access_mode, created_unix', sql`id, ${sql.lit(idOf('bob'))}, 1, 1`],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- a transaction has one connection
      await sql`insert into ${sql.table(table)} (${sql.raw(columns)}) select ${values} from repo where id % 40 = 9`.execute(
        tx,
      )
    }
    await sql`insert into team_repo (team_id, org_id, repo_id)
      select ${sql.lit(id)}, owner_id, id from repo where owner_id = ${idOf('crowd')} and id % 4 < 2`.execute(tx)
    await sql`insert into topic (name, created_unix, updated_unix) values ('common', 1, 1)`.execute(tx)
    await sql`insert into repo_topic (repo_id, topic_id) select repo.id, topic.id from repo cross join topic
      where repo.id % 45 = 6`.execute(tx)
  })
  if (databaseKind(db) === 'postgres') await sql`analyze`.execute(engineOf(db).writer)
  const { first } = await db
    .selectFrom('repo')
    .select(({ fn }) => fn.min('id').as('first'))
    .executeTakeFirstOrThrow()
  const viewers: Record<string, Viewer | undefined> = { guest: undefined }
  for (const name of ['root', 'bob', 'carol']) {
    // oxlint-disable-next-line no-await-in-loop -- three accounts
    const user = (await findAccountByName(db, name)) as UserRow
    viewers[name] = viewerOf(user, { kind: 'password' })
  }
  return { forge, bob: idOf('bob'), crowd: idOf('crowd'), team: id, first, viewers }
}

const pageOf = (number: number, limit: number): Page => ({ number, limit, offset: (number - 1) * limit })

test('searchRepos: a list with a bounded count has the same rows as a list with a full count', async () => {
  const world = await fill(1500)
  await using forge = world.forge
  const { db } = forge.services
  const names = ({ repos }: FoundRepos) => repos.map((repo) => repo.name)
  for (const [who, viewer] of Object.entries(world.viewers)) {
    for (const [nth, [name, filter]] of Object.entries(filtersOf(world)).entries()) {
      for (const [index, by] of orders.entries()) {
        if ((index + nth) % 3 !== 0) continue
        const sort = { by, descending: (index + nth) % 2 === 0 }
        // oxlint-disable no-await-in-loop -- one list after the other
        const whole = await searchRepos(db, filter, viewer, sort, pageOf(1, 2000))
        assert.deepEqual([whole.total, whole.bound], [whole.repos.length, undefined])
        for (const number of [1, 3]) {
          const part = await searchRepos(db, filter, viewer, sort, pageOf(number, 7), 2)
          // oxlint-enable no-await-in-loop
          const what = `${who}: ${name} by ${by}, page ${number}`
          assert.deepEqual(names(part), names(whole).slice((number - 1) * 7, number * 7), what)
          const bounded = whole.total > 2 ? [2, 'total'] : [whole.total, undefined]
          assert.deepEqual([part.total, part.bound], bounded, what)
        }
      }
    }
  }
})

const indexOfOrder: Readonly<Record<RepoOrder, RegExp>> = {
  name: /repo_by_name\b/,
  alpha: /repo_by_owner_name/,
  created: /repo_by_creation/,
  updated: /repo_by_change/,
  size: /repo_by_size/,
  git_size: /repo_by_git_size/,
  lfs_size: /repo_by_lfs_size/,
  stars: /repo_by_stars/,
  forks: /repo_by_forks/,
  id: /repo_by_id|repo_pkey/,
}

/** One scan of `repo`. PostgreSQL chooses the index by its statistics. */
const scan = /SCAN repo USING COVERING INDEX|(Bitmap Heap|Index|Index Only) Scan .*on repo/

const indexOfFilter: Readonly<Record<string, RegExp>> = {
  owner: /\(owner_id ?=/,
  contributor: /\(owner_id ?=/,
  'known contributions': /\(owner_id ?=/,
  team: /\(owner_id ?=/,
  stars: /star_(user|pkey|of_repo)/,
  watches: /watch_(user|pkey|of_repo)/,
  forks: /repo_fork/,
  topic: /repo_topic_(topic|pkey)/,
  words: scan,
  template: scan,
  archived: scan,
  fork: scan,
}

test('searchRepos: each first page reads the index of its filter, or else that of its order', async () => {
  const world = await fill(20_000)
  await using forge = world.forge
  const { db } = forge.services
  using collected = await collectStatements(forge)
  const planOfPage = async (filter: RepoFilter, by: RepoOrder): Promise<string> => {
    collected.statements.length = 0
    await searchRepos(db, filter, undefined, { by, descending: true }, pageOf(1, 20))
    const page = collected.statements.find(({ sql: text }) => text.includes('audience'))
    return planOf(db, page as RunStatement)
  }
  const filters = filtersOf(world)
  for (const by of orders) {
    // oxlint-disable no-await-in-loop -- each collects its own statements
    const plan = await planOfPage({}, by)
    assert.match(plan, indexOfOrder[by])
    assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, `no filter by ${by}`)
    for (const [name, index] of Object.entries(indexOfFilter)) {
      assert.match(await planOfPage(filters[name] as RepoFilter, by), index, `${name} by ${by}`)
    }
    // oxlint-enable no-await-in-loop
  }
})
