import { sql } from 'kysely'
import { mayAccess, wasGiven, wasGivenByTeam, type Where } from '../../access/access-rule.store.ts'
import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'

type Place = Exclude<Where, 'repo'>

const people = (db: Db) => db.selectFrom('user').selectAll().where('kind', '=', 'individual')

/** People who were given writing in any unit, and those whom a team lets read pull requests; the owner. */
export const listWriters = (db: Db, place: Place): Promise<UserRow[]> =>
  people(db)
    .where((where) =>
      where.or([
        where('user.id', '=', place.owner.id),
        wasGiven('user', place, { mode: 2 }),
        wasGivenByTeam('user', place, { units: ['pulls'], mode: 1 }),
      ]),
    )
    .orderBy('lower_name')
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
  return people(db)
    .where((where) =>
      where.or([
        where('user.id', '=', place.owner.id),
        wasGiven('user', place, readsPulls),
        ...(place.repo.is_private ? [] : [where.and([isNear, mayAccess('user', place, readsPulls)])]),
      ]),
    )
    .orderBy('lower_name')
    .execute()
}
