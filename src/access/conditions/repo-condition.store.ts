import type { SelectQueryBuilder } from 'kysely'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import type { UserRow, UserTable } from '../../db/tables/accounts.ts'
import type { UserId } from '../../lib/ids.ts'
import {
  collaborates,
  given,
  givenToAll,
  hasUnit,
  isOnTeam,
  isOpen,
  isOwner,
  limited,
  pairOf,
  teamGives,
  type Wanted,
  type Where,
  type Who,
} from './access-terms.store.ts'
import { allOf, anyOf, asCondition, type Condition } from './condition.store.ts'
import { isVisible } from './visible-repos.store.ts'

/**
 * Returns the condition that a person has access to units of a repository: `Rights.modeOf(unit) >= mode` for one of them.
 * The query contains the rows that `who` and `where` name.
 */
export function mayAccess(who: Who, where: Where, wanted: Wanted): Condition {
  const pair = pairOf(who, where)
  const isOn = wanted.evenIfOff || hasUnit(pair, wanted)
  return asCondition(
    limited(pair, wanted, anyOf(allOf(pair.isAdmin, isOn), givenToAll(pair, wanted), given(pair, wanted))),
  )
}

/** Returns the condition that a viewer reads issues or pull requests of a row of `repo`, joined with its `owner`. */
export const readsIssues = (viewer: Viewer | undefined): Condition =>
  mayAccess(viewer, 'repo', { units: ['issues', 'pulls'], mode: 1 })

/** Like `mayAccess`, without the access of administrators and of everyone. */
export function wasGiven(who: Who, where: Where, wanted: Wanted): Condition {
  const pair = pairOf(who, where)
  return asCondition(limited(pair, wanted, given(pair, wanted)))
}

/** Like `mayAccess`, by membership of a team only. */
export function wasGivenByTeam(who: Who, where: Where, wanted: Wanted): Condition {
  const pair = pairOf(who, where)
  return asCondition(limited(pair, wanted, isOnTeam(pair, teamGives(pair, wanted))))
}

/**
 * Returns the condition that a person sees a repository at all: the rule of `Rights.any` as SQL. The owner and
 * administrators see it even without units.
 */
export function mayEnter(who: Who, where: Where): Condition {
  if (where === 'repo' && who !== 'user') return isVisible(who)
  const pair = pairOf(who, where)
  const wanted = { mode: 1 } as const
  const isByName = anyOf(pair.isAdmin, isOwner(pair), collaborates(pair, 1))
  const byTeam = isOnTeam(pair, teamGives(pair, wanted))
  return asCondition(limited(pair, wanted, anyOf(isByName, isOpen(pair), byTeam)))
}

type WithOwner = Schema & { owner: UserTable }

/** Limits a query of `repo`, joined with its `owner`, to the repositories that the viewer sees. */
export const visibleTo = <Selected>(
  query: SelectQueryBuilder<WithOwner, 'repo' | 'owner', Selected>,
  viewer: Viewer | undefined,
): SelectQueryBuilder<WithOwner, 'repo' | 'owner', Selected> => query.where(mayEnter(viewer, 'repo'))

/** Returns the accounts of a list that can sign in and have access to units of a repository. */
export async function listUsersWhoMay(
  db: Db,
  where: Exclude<Where, 'repo'>,
  userIds: readonly UserId[],
  wanted: Wanted,
): Promise<UserRow[]> {
  if (userIds.length === 0) return []
  return db
    .selectFrom('user')
    .selectAll()
    .where('id', 'in', userIds)
    .where('kind', '=', 'individual')
    .where('is_active', '=', true)
    .where('prohibit_login', '=', false)
    .where(mayAccess('user', where, wanted))
    .execute()
}
