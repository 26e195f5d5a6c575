import { sql } from 'kysely'
import { mayAccess, wasGiven, wasGivenByTeam, type Where } from '../../access/access-rule.store.ts'
import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { UserId } from '../../lib/ids.ts'

type Place = Exclude<Where, 'repo'>

/**
 * Whoever stands near a repository: its owner, collaborators and teams, and where these count too its watchers and the
 * members of the organization. They alone are looked at, instead of everybody.
 */
const near = ({ owner, repo }: Place, withOthers: boolean) => {
  const others = withOthers
    ? sql` union select user_id from watch where repo_id = ${repo.id} and mode <> 'dont'
        union select user_id from org_user where org_id = ${owner.id}`
    : sql``
  return sql<UserId>`(select cast(${owner.id} as bigint)
    union select user_id from collaboration where repo_id = ${repo.id}
    union select team_user.user_id from team inner join team_user on team_user.team_id = team.id
      where team.org_id = ${owner.id}${others})`
}

/** People of a list that has no pages; the first by name. */
const listedAtMost = 1000

const people = (db: Db, place: Place, withOthers = false) =>
  db.selectFrom('user').selectAll().where('kind', '=', 'individual').where('id', 'in', near(place, withOthers))

/** People who were given writing in any unit, and those whom a team lets read pull requests; the owner. */
export const listWriters = (db: Db, place: Place): Promise<UserRow[]> =>
  people(db, place)
    .where((where) =>
      where.or([
        where('user.id', '=', place.owner.id),
        wasGiven('user', place, { mode: 2 }),
        wasGivenByTeam('user', place, { units: ['pulls'], mode: 1 }),
      ]),
    )
    .orderBy('lower_name')
    .limit(listedAtMost)
    .execute()

/**
 * People who may be asked for a review: the owner, and whoever was given reading of pull requests; of a repository that
 * is not private also its watchers and the members of the organization who may read them.
 */
export const listReviewers = (db: Db, place: Place): Promise<UserRow[]> => {
  const isNear = sql<boolean>`(exists (select 1 from watch where watch.user_id = "user".id
      and watch.repo_id = ${place.repo.id} and watch.mode <> 'dont')
    or exists (select 1 from org_user where org_user.user_id = "user".id and org_user.org_id = ${place.owner.id}))`
  const readsPulls = { units: ['pulls'], mode: 1, evenIfOff: true } as const
  return people(db, place, !place.repo.is_private)
    .where((where) =>
      where.or([
        where('user.id', '=', place.owner.id),
        wasGiven('user', place, readsPulls),
        ...(place.repo.is_private ? [] : [where.and([isNear, mayAccess('user', place, readsPulls)])]),
      ]),
    )
    .orderBy('lower_name')
    .limit(listedAtMost)
    .execute()
}
