import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { viewerAs, viewerOf, type Credential, type Viewer } from '../auth/viewer.ts'
import { parseScopes } from '../auth/token-scopes.ts'
import { transaction, type Db, type Tx } from '../db/database.ts'
import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import { repoUnits, type RepoRow, type RepoUnit, type RepoUnitRow } from '../db/tables/repositories.ts'
import type { KeyId, RepoId, RunId, TeamId, TokenId, UserId } from '../lib/ids.ts'
import { dice } from '../testing/dice.ts'
import { openTestDatabase } from '../testing/database.ts'
import { listCollaborations, listMemberships, listTeamGrants, teamGrantsByRepo } from './access.store.ts'
import {
  accountsShownTo,
  listUsersWhoMay,
  mayAccess,
  entranceParts,
  mayEnter,
  mayReadWhole,
  teamRepos,
  visibleTo,
  type Who,
} from './access-rule.store.ts'
import { accessTo, accessToAll } from './repo-access.ts'
import { computeRights, maySeeAccount, type Rights } from './rights.ts'
import { rightsOfUsers } from './user-rights.service.ts'

const visibilities = ['public', 'limited', 'private'] as const
const units: readonly RepoUnit[] = repoUnits
const modes = [1, 2, 3, 4] as const

interface World {
  readonly people: readonly UserRow[]
  readonly accounts: readonly UserRow[]
  readonly places: readonly { readonly repo: RepoRow; readonly owner: UserRow }[]
}

/** Fills the database with accounts, teams and repositories in every relation that the rules speak of. */
async function makeWorld(db: Db, seed: number): Promise<World> {
  const { below, chance, of, some } = dice(seed)
  return transaction(db, async (tx) => {
    const idOf = async <Id>(tx: Tx, statement: RawBuilder<{ id: Id }>): Promise<Id> =>
      (await statement.execute(tx)).rows[0]?.id as Id
    const account = (kind: UserRow['kind'], name: string) =>
      idOf<UserId>(
        tx,
        sql`insert into "user" (kind, name, lower_name, is_admin, is_restricted, visibility, created_unix, updated_unix)
          values (${kind}, ${name}, ${name}, ${kind === 'individual' && chance(10)},
            ${kind === 'individual' && chance(30)}, ${of(visibilities)}, 1, 1) returning id`,
      )
    const personIds: UserId[] = []
    for (let index = 0; index < 10; index++) personIds.push(await account('individual', `person${seed}-${index}`))
    const orgIds: UserId[] = []
    const repoIds: RepoId[] = []
    const addRepo = async (ownerId: UserId) => {
      const name = `repo${seed}-${repoIds.length}`
      const id = await idOf<RepoId>(
        tx,
        sql`insert into repo (owner_id, name, lower_name, git_key, default_branch, is_private, created_unix, updated_unix)
          values (${ownerId}, ${name}, ${name}, ${name}, 'main', ${chance(50)}, 1, 1) returning id`,
      )
      repoIds.push(id)
      // Code is never switched off.
      for (const unit of units.filter((each) => each === 'code' || chance(50))) {
        await sql`insert into repo_unit (repo_id, unit, default_access)
          values (${id}, ${unit}, ${unit === 'wiki' && chance(50) ? 2 : 0})`.execute(tx)
      }
      for (const userId of some(personIds, 15)) {
        await sql`insert into collaboration (repo_id, user_id, access_mode, created_unix)
          values (${id}, ${userId}, ${1 + below(3)}, 1)`.execute(tx)
      }
      return id
    }
    for (let index = 0; index < 5; index++) {
      const orgId = await account('organization', `org${seed}-${index}`)
      orgIds.push(orgId)
      const members = some(personIds, 50)
      for (const userId of members) {
        await sql`insert into org_user (org_id, user_id) values (${orgId}, ${userId})`.execute(tx)
      }
      const inOrg = [await addRepo(orgId), await addRepo(orgId), await addRepo(orgId)]
      for (let number = 0; number < 3; number++) {
        const isOwners = number === 0
        const name = `team${number}`
        const teamId = await idOf<TeamId>(
          tx,
          sql`insert into team (org_id, name, lower_name, access_mode, includes_all_repositories, created_unix)
            values (${orgId}, ${name}, ${name}, ${isOwners ? 4 : below(4)}, ${isOwners || chance(30)}, 1) returning id`,
        )
        for (const unit of some(units, 40)) {
          await sql`insert into team_unit (team_id, org_id, unit, access_mode)
            values (${teamId}, ${orgId}, ${unit}, ${below(4)})`.execute(tx)
        }
        for (const userId of some(members, isOwners ? 20 : 40)) {
          await sql`insert into team_user (team_id, org_id, user_id) values (${teamId}, ${orgId}, ${userId})`.execute(
            tx,
          )
        }
        for (const repoId of some(inOrg, 40)) {
          await sql`insert into team_repo (team_id, org_id, repo_id) values (${teamId}, ${orgId}, ${repoId})`.execute(
            tx,
          )
        }
      }
    }
    for (const ownerId of some(personIds, 60)) await addRepo(ownerId)
    const accounts = await tx
      .selectFrom('user')
      .selectAll()
      .where('id', 'in', [...personIds, ...orgIds])
      .execute()
    const repos = await tx.selectFrom('repo').selectAll().where('id', 'in', repoIds).execute()
    const accountOf = new Map(accounts.map((each) => [each.id, each]))
    return {
      accounts,
      people: accounts.filter((each) => each.kind === 'individual'),
      places: repos.map((repo) => ({ repo, owner: accountOf.get(repo.owner_id) as UserRow })),
    }
  })
}

/** The credentials that somebody may come with: of the account itself, and each kind of limit. */
function viewersOf({ people, places }: World): (Viewer | undefined)[] {
  const credentials = (index: number): Credential[] => {
    const repoId = (places[index % places.length] as World['places'][number]).repo.id
    return [
      { kind: 'session' },
      { kind: 'token', isOAuth: false, tokenId: 1 as TokenId, scopes: parseScopes('public-only,all'), basic: false },
      index % 2 === 0
        ? { kind: 'job', repoId, runId: 1 as RunId, readOnly: index % 4 === 0 }
        : { kind: 'deploy', keyId: 1 as KeyId, repoId, readOnly: index % 4 === 1 },
    ]
  }
  return [undefined, ...people.flatMap((user, index) => credentials(index).map((each) => viewerOf(user, each)))]
}

const nameOf = (viewer: Viewer | undefined): string =>
  viewer === undefined
    ? 'a guest'
    : `${viewer.user.name} (${[
        viewer.isAdmin && 'administrator',
        viewer.isRestricted && 'restricted',
        viewer.limit.publicOnly && 'public-only',
        viewer.limit.repo && `for repository ${viewer.limit.repo.id} alone`,
      ]
        .filter(Boolean)
        .join(', ')})`

/** Whether the query answers for one pair: a condition as a column that both databases give in the same form. */
const flag = (condition: RawBuilder<unknown>) => sql<number>`case when ${condition} then 1 else 0 end`

/** Every unit, a row each, for queries that ask about all of them; its column is `asked.unit`. */
const asked = sql<{ unit: RepoUnit }>`(${sql.join(
  units.map((unit) => sql`select ${sql.lit(unit)} as unit`),
  sql` union all `,
)})`.as('asked')

const askedUnit = sql.ref<RepoUnit>('asked.unit')

const columns = (who: Who) => [
  flag(mayEnter(who, 'repo')).as('enter'),
  ...modes.map((atLeast) => flag(mayAccess(who, 'repo', { units: [askedUnit], mode: atLeast })).as(`mode_${atLeast}`)),
]

/** What rights say of a unit, in the form of the columns. */
const columnsOf = (rights: Rights, unit: RepoUnit): Record<string, number> => ({
  enter: Number(rights.any),
  ...Object.fromEntries(modes.map((atLeast) => [`mode_${atLeast}`, Number(rights.modeOf(unit) >= atLeast)])),
})

/** Units as they would be if all were switched on. */
const allOn = (repoId: RepoId): RepoUnitRow[] =>
  units.map((unit) => ({ repo_id: repoId, unit, config: '{}', default_access: 0 as AccessMode }))

async function checkViewer(db: Db, world: World, viewer: Viewer | undefined, about: string): Promise<void> {
  const access = await accessToAll(db, viewer, world.places)
  const byTeam = (who: Viewer, unit: RepoUnit) => teamRepos(db, who, unit).select('repo.id')
  const rows = await db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .innerJoin(asked, (join) => join.onTrue())
    .select([
      'repo.id',
      'asked.unit',
      ...columns(viewer),
      flag(mayAccess(viewer, 'repo', { units: [askedUnit], mode: 1, evenIfOff: true })).as('even_if_off'),
      flag(sql`${mayReadWhole(viewer)}${viewer ? sql` or repo.id in ${byTeam(viewer, 'issues')}` : sql``}`).as(
        'issues_even_if_off',
      ),
    ])
    .where('repo.id', 'in', [...access.keys()])
    .execute()
  const rowOf = new Map(rows.map((row) => [`${row.id} ${row.unit}`, row]))
  assert.equal(rowOf.size, world.places.length * units.length)
  const inParts = await Promise.all(
    entranceParts(viewer).map((part) =>
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
  // The parts have each of them once.
  assert.deepEqual(ids(inParts.flat()), ids(listed), `${about}, ${nameOf(viewer)}: the list in parts`)
  const [collaborations, memberships, grants] = viewer
    ? await Promise.all([
        listCollaborations(db, [...access.keys()], viewer.id),
        listMemberships(
          db,
          world.accounts.map((each) => each.id),
          viewer.id,
        ),
        listTeamGrants(db, [...access.keys()], viewer.id),
      ])
    : [[], [], []]
  const teamsOf = teamGrantsByRepo(grants)
  for (const { repo, owner } of world.places) {
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
      }
      assert.deepEqual(row, expected, `${what}, ${unit}: rows and SQL`)
    }
  }
}

/** The same from the side of a repository: which people may, asked of one repository and of all at once. */
async function checkPeople(db: Db, world: World, about: string): Promise<void> {
  const everybody = world.people.map((user) => user.id)
  const pairs = await db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .innerJoin('user', (join) => join.on('user.kind', '=', 'individual'))
    .innerJoin(asked, (join) => join.onTrue())
    .select(['repo.id as repo_id', 'user.id as user_id', 'asked.unit', ...columns('user')])
    .where('user.id', 'in', everybody)
    .where(
      'repo.id',
      'in',
      world.places.map(({ repo }) => repo.id),
    )
    .execute()
  const rowOf = new Map(
    pairs.map(({ repo_id, user_id, unit, ...row }) => [`${repo_id} ${user_id} ${unit}`, { ...row }]),
  )
  assert.equal(rowOf.size, world.places.length * world.people.length * units.length)
  for (const place of world.places) {
    const { repo, owner } = place
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
        const found = await listUsersWhoMay(db, place, everybody, { units: [unit], mode: atLeast })
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

test('access: rights of rows and conditions of queries agree for everybody, everywhere and in every unit', async () => {
  // A failure names its seed: `INGOT_TEST_SEED=<seed>` plays it again.
  const wanted = process.env['INGOT_TEST_SEED']
  const seeds = wanted === undefined ? [1, randomInt(1 << 30)] : [Number(wanted)]
  await using database = await openTestDatabase()
  const { db } = database
  for (const seed of seeds) {
    const world = await makeWorld(db, seed)
    const about = `seed ${seed}`
    for (const viewer of viewersOf(world)) {
      await checkViewer(db, world, viewer, about)
      await checkAccounts(db, world, viewer, about)
    }
    await checkPeople(db, world, about)
  }
})
