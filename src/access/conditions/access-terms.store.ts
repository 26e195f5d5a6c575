import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Viewer } from '../../auth/viewer.ts'
import type { AccessMode, UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow, RepoUnit } from '../../db/tables/repositories.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { allOf, anyOf, asCondition, not, type Term } from './condition.store.ts'
import { teamHoldsRepo } from './team-holds.store.ts'

/*
 * The terms of the access rule (docs/decisions/0009-one-access-rule.md) as SQL. `computeRights` applies the same rule
 * to loaded rows. Only the conditions of this folder use them.
 */

/** The person: a viewer, a guest (undefined), or each row of the query's table `user`. */
export type Who = Viewer | undefined | 'user'

/** The repository: a known one, or each row of the query's `repo`, joined with its owner as `owner`. */
export type Where = { readonly repo: RepoRow; readonly owner: UserRow } | 'repo'

/** The access that the person needs. */
export interface Wanted {
  /** The access is to one of these units, each named by a value or a column. Unset: to any unit. */
  readonly units?: readonly (RepoUnit | RawBuilder<RepoUnit>)[]
  /** Lowest mode that suffices. */
  readonly mode: Exclude<AccessMode, 0>
  /** Units that are switched off count as well. */
  readonly evenIfOff?: boolean
}

/** A person and a repository, each a known value or columns of the query. */
export interface Pair {
  /** undefined: a guest. */
  readonly userId: UserId | RawBuilder<unknown> | undefined
  readonly isAdmin: Term
  readonly isRestricted: Term
  readonly limit: Viewer['limit'] | undefined
  readonly repoId: RepoId | 'repo.id'
  readonly ownerId: UserId | RawBuilder<unknown>
  readonly isPrivate: Term
  readonly isPublicOwner: Term
  readonly isPrivateOwner: Term
  /** False: the owner is a person, who has no members and no teams. */
  readonly mayHaveTeams: boolean
}

export function pairOf(who: Who, where: Where): Pair {
  const person =
    who === 'user'
      ? {
          userId: sql.ref('user.id'),
          isAdmin: sql<SqlBool>`${sql.ref('user.is_admin')}`,
          isRestricted: sql<SqlBool>`${sql.ref('user.is_restricted')}`,
          limit: undefined,
        }
      : {
          userId: who?.id,
          isAdmin: who?.isAdmin ?? false,
          isRestricted: who?.isRestricted ?? false,
          limit: who?.limit,
        }
  if (where !== 'repo') {
    const { repo, owner } = where
    return {
      ...person,
      repoId: repo.id,
      ownerId: owner.id,
      isPrivate: repo.is_private,
      isPublicOwner: owner.visibility === 'public',
      isPrivateOwner: owner.visibility === 'private',
      mayHaveTeams: owner.kind === 'organization',
    }
  }
  return {
    ...person,
    // A repository that is being imported belongs to a reserved account. Nobody sees it.
    isAdmin: allOf(person.isAdmin, sql<SqlBool>`owner.kind <> 'reserved'`),
    repoId: 'repo.id',
    ownerId: sql.ref('repo.owner_id'),
    isPrivate: sql<SqlBool>`repo.is_private`,
    isPublicOwner: sql<SqlBool>`owner.visibility = 'public'`,
    isPrivateOwner: sql<SqlBool>`owner.visibility = 'private'`,
    mayHaveTeams: true,
  }
}

const repoIdOf = ({ repoId }: Pair) => (repoId === 'repo.id' ? sql.ref(repoId) : sql`${repoId}`)

export const isOwner = ({ userId, ownerId }: Pair): Term => {
  if (userId === undefined) return false
  return typeof userId === 'number' && typeof ownerId === 'number'
    ? userId === ownerId
    : sql<SqlBool>`${userId} = ${ownerId}`
}

const isMember = ({ userId, ownerId, mayHaveTeams }: Pair): Term =>
  userId !== undefined &&
  mayHaveTeams &&
  sql<SqlBool>`exists (select 1 from org_user where org_user.org_id = ${ownerId} and org_user.user_id = ${userId})`

export const collaborates = (pair: Pair, atLeast: AccessMode): Term =>
  pair.userId !== undefined &&
  sql<SqlBool>`exists (select 1 from collaboration where collaboration.repo_id = ${repoIdOf(pair)}
    and collaboration.user_id = ${pair.userId} and collaboration.access_mode >= ${sql.lit(atLeast)})`

/** Returns whether one of the person's teams holds the repository and satisfies `gives`, a condition on `team`. */
export const isOnTeam = ({ userId, ownerId, repoId, mayHaveTeams }: Pair, gives: Term): Term =>
  userId !== undefined &&
  mayHaveTeams &&
  gives !== false &&
  // The index of the person's teams finds the team. An organization may have many more.
  sql<SqlBool>`exists (select 1 from team_user cross join team
    where team_user.user_id = ${userId} and team_user.org_id = ${ownerId} and team.id = team_user.team_id
      and ${teamHoldsRepo(repoId)} and ${asCondition(gives)})`

const isAdminTeam = sql<SqlBool>`team.access_mode >= 3`

const among = (column: 'repo_unit.unit' | 'team_unit.unit', units: Wanted['units']): Term =>
  units === undefined || (units.length > 0 && sql<SqlBool>`${sql.ref(column)} in (${sql.join(units)})`)

/** Returns whether `team` gives the mode in one of the enabled units. */
const teamUnitGives = (pair: Pair, { units, mode, evenIfOff }: Wanted): Term => {
  const isOn =
    evenIfOff ||
    sql<SqlBool>`exists (select 1 from repo_unit where repo_unit.repo_id = ${repoIdOf(pair)}
      and repo_unit.unit = team_unit.unit)`
  const wanted = allOf(among('team_unit.unit', units), isOn)
  return (
    wanted !== false &&
    sql<SqlBool>`exists (select 1 from team_unit where team_unit.team_id = team.id
      and team_unit.access_mode >= ${sql.lit(mode)} and ${asCondition(wanted)})`
  )
}

/** Returns whether one of the units is switched on and has at least a default access. Code is always on. */
export const hasUnit = (pair: Pair, { units }: Wanted, defaultAccess: AccessMode = 0): Term => {
  if (defaultAccess === 0 && (units === undefined || units.includes('code'))) return true
  const wanted = allOf(
    among('repo_unit.unit', units),
    defaultAccess === 0 || sql<SqlBool>`repo_unit.default_access >= ${sql.lit(defaultAccess)}`,
  )
  return (
    wanted !== false &&
    // A value: for `exists` PostgreSQL reads the whole table, for a value it reads the index once for each row.
    sql<SqlBool>`(select 1 from repo_unit where repo_unit.repo_id = ${repoIdOf(pair)}
      and ${asCondition(wanted)} limit 1) is not null`
  )
}

/** Returns whether the repository is public and its owner is shown to the person. @param comesBy another reason to be shown */
export const isOpen = (pair: Pair, comesBy: Term = false): Term => {
  const comes =
    pair.userId === undefined ? pair.isPublicOwner : anyOf(not(pair.isPrivateOwner), isMember(pair), comesBy)
  return allOf(not(pair.isPrivate), not(pair.isRestricted), comes)
}

/** Returns the condition that `team` gives its members the access. Teams of administrators give every enabled unit. */
export const teamGives = (pair: Pair, wanted: Wanted): Term =>
  anyOf(allOf(isAdminTeam, wanted.evenIfOff || hasUnit(pair, wanted)), teamUnitGives(pair, wanted))

/** Returns whether the person has the access as owner, collaborator or member of a team. */
export function given(pair: Pair, wanted: Wanted): Term {
  const isOn = wanted.evenIfOff || hasUnit(pair, wanted)
  const isByName = anyOf(isOwner(pair), collaborates(pair, wanted.mode))
  return anyOf(allOf(isByName, isOn), isOnTeam(pair, teamGives(pair, wanted)))
}

/** Returns whether the person has the access because the repository is open. Collaborators read by `given`. */
export const givenToAll = (pair: Pair, wanted: Wanted): Term =>
  wanted.mode === 1
    ? allOf(isOpen(pair), wanted.evenIfOff || hasUnit(pair, wanted))
    : pair.userId !== undefined && allOf(isOpen(pair, collaborates(pair, 1)), hasUnit(pair, wanted, wanted.mode))

/** Returns whether guests may enter the repository: it and its owner are public. */
const isPublic = ({ repoId, isPrivate, isPublicOwner }: Pair): Term =>
  repoId === 'repo.id' ? sql<SqlBool>`repo.audience = 0` : allOf(not(isPrivate), isPublicOwner)

/** Applies the limit of the person's credential to the access of the account. */
export function limited(pair: Pair, wanted: Wanted, ofAccount: Term): Term {
  const { limit } = pair
  if (limit?.repo) {
    const isIt = pair.repoId === 'repo.id' ? sql<SqlBool>`repo.id = ${limit.repo.id}` : pair.repoId === limit.repo.id
    return allOf(limit.repo.mode >= wanted.mode, isIt, wanted.evenIfOff || hasUnit(pair, wanted))
  }
  return allOf(limit?.publicOnly ? isPublic(pair) : true, ofAccount)
}
