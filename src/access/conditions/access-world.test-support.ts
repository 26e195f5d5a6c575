import { sql, type RawBuilder } from 'kysely'
import { viewerOf, type Credential, type Viewer } from '../../auth/viewer.ts'
import { parseScopes } from '../../auth/token-scopes.ts'
import { transaction, type Db, type Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { repoUnits, type RepoRow, type RepoUnit } from '../../db/tables/repositories.ts'
import type { KeyId, RepoId, RunId, TeamId, TokenId, UserId } from '../../lib/ids.ts'
import { dice } from '../../testing/dice.ts'

const visibilities = ['public', 'limited', 'private'] as const
const units: readonly RepoUnit[] = repoUnits

/** Accounts and repositories in every relation that the rules of access speak of. */
export interface World {
  readonly people: readonly UserRow[]
  readonly accounts: readonly UserRow[]
  readonly repositories: readonly { readonly repo: RepoRow; readonly owner: UserRow }[]
}

/** Fills the database with accounts, teams and repositories in every relation that the rules speak of. */
export async function makeWorld(db: Db, seed: number): Promise<World> {
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
    return readWorld(tx, [...personIds, ...orgIds], repoIds)
  })
}

async function readWorld(tx: Tx, accountIds: readonly UserId[], repoIds: readonly RepoId[]): Promise<World> {
  const accounts = await tx.selectFrom('user').selectAll().where('id', 'in', accountIds).execute()
  const repos = await tx.selectFrom('repo').selectAll().where('id', 'in', repoIds).execute()
  const accountOf = new Map(accounts.map((each) => [each.id, each]))
  return {
    accounts,
    people: accounts.filter((each) => each.kind === 'individual'),
    repositories: repos.map((repo) => ({ repo, owner: accountOf.get(repo.owner_id) as UserRow })),
  }
}

/** Changes relations of every kind, as somebody with a database client would: what depends on them follows by itself. */
export async function changeWorld(db: Db, { accounts, people, repositories }: World, seed: number): Promise<World> {
  const { below, chance, of, some } = dice(seed)
  const repoIds = repositories.map(({ repo }) => repo.id)
  const accountIds = accounts.map((each) => each.id)
  const orgIds = accounts.filter((each) => each.kind === 'organization').map((each) => each.id)
  return transaction(db, async (tx) => {
    const run = (statement: RawBuilder<unknown>) => statement.execute(tx)
    for (const id of some(accountIds, 40)) {
      await run(sql`update "user" set visibility = ${of(visibilities)} where id = ${id}`)
    }
    for (const id of some(repoIds, 60)) {
      await run(sql`update repo set is_private = not is_private where id = ${id}`)
      if (chance(30)) await run(sql`update repo set owner_id = ${of(accountIds)} where id = ${id}`)
      const to = of(people).id
      await run(sql`delete from collaboration where repo_id = ${id} and user_id = ${to}`)
      await run(sql`update collaboration set access_mode = 1 where repo_id = ${id}`)
      await run(
        sql`insert into collaboration (repo_id, user_id, access_mode, created_unix) values (${id}, ${to}, 2, 1)`,
      )
      await run(sql`update collaboration set repo_id = ${id} where user_id = ${to} and repo_id = ${of(repoIds)}
        and not exists (select 1 from collaboration as same where same.user_id = ${to} and same.repo_id = ${id})`)
    }
    const teams = await tx.selectFrom('team').select('id').where('org_id', 'in', orgIds).execute()
    const teamIds = teams.map(({ id }) => id)
    for (const id of some(teamIds, 50)) {
      await run(sql`update team set access_mode = ${below(4)}, includes_all_repositories = ${chance(50)}
        where id = ${id} and access_mode < 4`)
      const unit = of(units)
      await run(sql`delete from team_unit where team_id = ${id} and unit = ${unit}`)
      if (chance(60)) {
        await run(sql`insert into team_unit (team_id, org_id, unit, access_mode)
          select id, org_id, ${unit}, ${1 + below(2)} from team where id = ${id}`)
      }
      const [from] = some(teamIds, 30)
      if (from !== undefined) {
        await run(sql`update team_user set team_id = ${id} where team_id = ${from}
          and org_id = (select org_id from team where id = ${id})
          and not exists (select 1 from team_user as same where same.team_id = ${id} and same.user_id = team_user.user_id)`)
      }
    }
    return readWorld(tx, accountIds, repoIds)
  })
}

/** The credentials that somebody may come with: of the account itself, and each kind of limit. */
export function viewersOf({ people, repositories }: World): (Viewer | undefined)[] {
  const credentials = (index: number): Credential[] => {
    const repoId = (repositories[index % repositories.length] as World['repositories'][number]).repo.id
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

/** A viewer as a failed test names it. */
export const nameOf = (viewer: Viewer | undefined): string =>
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
