import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { viewerAs, type Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import type { AccessMode } from '../../db/tables/accounts.ts'
import { repoUnits, type RepoUnit, type RepoUnitRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { listGiven, listMemberships, teamGrantsByRepo } from '../access.store.ts'
import type { Who } from './access-terms.store.ts'
import { accountsShownTo } from './account-condition.store.ts'
import { listUsersWhoMay, mayAccess, mayEnter, visibleTo } from './repo-condition.store.ts'
import { visibleParts, findReadable } from './visible-repos.store.ts'
import { changeWorld, makeWorld, nameOf, viewersOf, type World } from './access-world.test-support.ts'
import { accessTo, accessToAll } from '../repo-access.ts'
import { computeRights, maySeeAccount, type Rights } from '../rights.ts'
import { rightsOfUsers } from '../user-rights.service.ts'

const units: readonly RepoUnit[] = repoUnits
const modes = [1, 2, 3, 4] as const

/** Returns a condition as a column that has the same form on both databases. */
const flag = (condition: RawBuilder<unknown>) => sql<number>`case when ${condition} then 1 else 0 end`

/** A table with a row for each unit. Its column is `asked.unit`. */
const unitRows = sql<{ unit: RepoUnit }>`(${sql.join(
  units.map((unit) => sql`select ${sql.lit(unit)} as unit`),
  sql` union all `,
)})`.as('asked')

const askedUnit = sql.ref<RepoUnit>('asked.unit')

const columns = (who: Who) => [
  flag(mayEnter(who, 'repo')).as('enter'),
  ...modes.map((atLeast) => flag(mayAccess(who, 'repo', { units: [askedUnit], mode: atLeast })).as(`mode_${atLeast}`)),
]

/** Returns the rights in a unit in the form of the columns. */
const columnsOf = (rights: Rights, unit: RepoUnit): Record<string, number> => ({
  enter: Number(rights.any),
  ...Object.fromEntries(modes.map((atLeast) => [`mode_${atLeast}`, Number(rights.modeOf(unit) >= atLeast)])),
})

/** Returns the units as if all were enabled. */
const allOn = (repoId: RepoId): RepoUnitRow[] =>
  units.map((unit) => ({ repo_id: repoId, unit, config: '{}', default_access: 0 as AccessMode }))

async function checkViewer(db: Db, world: World, viewer: Viewer | undefined, about: string): Promise<void> {
  const access = await accessToAll(db, viewer, world.repositories)
  const readable = await findReadable(db, viewer, ['issues', 'pulls'])
  const isReadable = (unit: 'issues' | 'pulls') => flag(readable.get(unit)?.isReadable ?? sql`1 = 0`)
  const rows = await db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .innerJoin(unitRows, (join) => join.onTrue())
    .select([
      'repo.id',
      'asked.unit',
      ...columns(viewer),
      flag(mayAccess(viewer, 'repo', { units: [askedUnit], mode: 1, evenIfOff: true })).as('even_if_off'),
      isReadable('issues').as('issues_even_if_off'),
      isReadable('pulls').as('pulls_even_if_off'),
    ])
    .where('repo.id', 'in', [...access.keys()])
    .execute()
  const rowOf = new Map(rows.map((row) => [`${row.id} ${row.unit}`, row]))
  assert.equal(rowOf.size, world.repositories.length * units.length)
  const inParts = await Promise.all(
    visibleParts(viewer).map((part) =>
      db
        .selectFrom('repo')
        .select('repo.id')
        .where(part)
        .where('repo.id', 'in', [...access.keys()])
        .execute(),
    ),
  )
  const listed = await visibleTo(db.selectFrom('repo').innerJoin('user as owner', 'owner.id', 'repo.owner_id'), viewer)
    .select('repo.id')
    .where('repo.id', 'in', [...access.keys()])
    .execute()
  const seen = new Set(listed.map((row) => row.id))
  const ids = (rows: readonly { readonly id: number }[]) =>
    rows.map(({ id }) => id).toSorted((one, other) => one - other)
  // Each row is in exactly one part.
  assert.deepEqual(ids(inParts.flat()), ids(listed), `${about}, ${nameOf(viewer)}: the list in parts`)
  const accountIds = world.accounts.map((each) => each.id)
  const { collaborations, memberships, teams } = viewer
    ? await listGiven(db, [...access.keys()], accountIds, viewer.id)
    : { collaborations: [], memberships: [], teams: [] }
  const teamsOf = teamGrantsByRepo(teams)
  for (const { repo, owner } of world.repositories) {
    const rights = access.get(repo.id)?.rights as Rights
    const what = `${about}, ${nameOf(viewer)}, ${repo.name} of ${owner.name}`
    assert.equal(seen.has(repo.id), rights.any, `${what}: the list`)
    const ifOn = computeRights({
      viewer,
      owner,
      repo,
      units: allOn(repo.id),
      isMember: memberships.some((row) => row.org_id === owner.id),
      collaboration: collaborations.find((row) => row.repo_id === repo.id)?.access_mode ?? 0,
      teams: teamsOf.get(repo.id) ?? [],
    })
    for (const unit of units) {
      const { id: _id, unit: _unit, ...row } = { ...rowOf.get(`${repo.id} ${unit}`) }
      const expected = {
        ...columnsOf(rights, unit),
        even_if_off: Number(ifOn.modeOf(unit) >= 1),
        issues_even_if_off: Number(ifOn.modeOf('issues') >= 1),
        pulls_even_if_off: Number(ifOn.modeOf('pulls') >= 1),
      }
      assert.deepEqual(row, expected, `${what}, ${unit}: rows and SQL`)
    }
  }
}

/** Checks which people have access, for one repository and for all at once. */
async function checkPeople(db: Db, world: World, about: string): Promise<void> {
  const everybody = world.people.map((user) => user.id)
  const pairs = await db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .innerJoin('user', (join) => join.on('user.kind', '=', 'individual'))
    .innerJoin(unitRows, (join) => join.onTrue())
    .select(['repo.id as repo_id', 'user.id as user_id', 'asked.unit', ...columns('user')])
    .where('user.id', 'in', everybody)
    .where(
      'repo.id',
      'in',
      world.repositories.map(({ repo }) => repo.id),
    )
    .execute()
  const rowOf = new Map(
    pairs.map(({ repo_id, user_id, unit, ...row }) => [`${repo_id} ${user_id} ${unit}`, { ...row }]),
  )
  assert.equal(rowOf.size, world.repositories.length * world.people.length * units.length)
  for (const repository of world.repositories) {
    const { repo, owner } = repository
    const rightsOf = await rightsOfUsers(db, owner, repo, world.people)
    for (const user of world.people) {
      const what = `${about}, ${nameOf(viewerAs(user))} of the people of ${repo.name} of ${owner.name}`
      const rights = (await accessTo(db, viewerAs(user), owner, repo)).rights
      assert.equal(rightsOf.get(user.id)?.rank, rights.rank, `${what}: rank`)
      for (const unit of units) {
        const expected = columnsOf(rights, unit)
        const ofPeople = rightsOf.get(user.id) as Rights
        assert.deepEqual(columnsOf(ofPeople, unit), expected, `${what}, ${unit}: rights of people`)
        assert.deepEqual(rowOf.get(`${repo.id} ${user.id} ${unit}`), expected, `${what}, ${unit}: the relation`)
      }
    }
    for (const unit of ['code', 'issues', 'wiki'] as const) {
      for (const atLeast of [1, 2] as const) {
        const found = await listUsersWhoMay(db, repository, everybody, { units: [unit], mode: atLeast })
        const expected = everybody.filter((id) => (rightsOf.get(id) as Rights).modeOf(unit) >= atLeast)
        assert.deepEqual(
          found.map((user) => user.id).toSorted((one, other) => one - other),
          expected.toSorted((one, other) => one - other),
          `${about}, ${unit} at ${atLeast} in ${repo.name}: people`,
        )
      }
    }
  }
}

async function checkAccounts(db: Db, world: World, viewer: Viewer | undefined, about: string): Promise<void> {
  const shown = await db.selectFrom('user').select('user.id').where(accountsShownTo(viewer)).execute()
  const ids = new Set(shown.map((row) => row.id))
  const memberships = viewer
    ? await listMemberships(
        db,
        world.accounts.map((each) => each.id),
        viewer.id,
      )
    : []
  const memberOf = new Set(memberships.map((row) => row.org_id))
  for (const account of world.accounts) {
    assert.equal(
      ids.has(account.id),
      maySeeAccount(viewer, account, memberOf.has(account.id)),
      `${about}, ${nameOf(viewer)} and ${account.visibility} ${account.name}`,
    )
  }
}

test('access: rights computed from rows equal the conditions of queries for each account, repository and unit', async () => {
  // A failure prints its seed. `INGOT_TEST_SEED=<seed>` repeats the run.
  const wanted = process.env['INGOT_TEST_SEED']
  const seeds = wanted === undefined ? [1, randomInt(1 << 30)] : [Number(wanted)]
  await using database = await openTestDatabase()
  const { db } = database
  for (const seed of seeds) {
    let world = await makeWorld(db, seed)
    for (const changes of [0, 1, 2, 3]) {
      if (changes > 0) world = await changeWorld(db, world, seed + changes)
      const about = `seed ${seed}, changed ${changes} times`
      for (const viewer of viewersOf(world)) {
        await checkViewer(db, world, viewer, about)
        await checkAccounts(db, world, viewer, about)
      }
      await checkPeople(db, world, about)
    }
  }
})
