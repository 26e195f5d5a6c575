import { sql, type Expression, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Where } from '../../access/conditions/access-terms.store.ts'
import { accountsShownIn, type Onlooker } from '../../access/conditions/account-condition.store.ts'
import { mayAccess, wasGiven, wasGivenByTeam } from '../../access/conditions/repo-condition.store.ts'
import { bytewise } from '../../db/bytewise.ts'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { contains, lowerContains } from '../../db/like.ts'
import type { Schema } from '../../db/schema.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { countPeople, type PeoplePage } from '../../users/people-count.store.ts'
import { isWatcher } from '../watcher.store.ts'

type CandidateScope = Exclude<Where, 'repo'>

/**
 * Accounts related to a repository: owner, collaborators and team members, and optionally watchers and members of
 * the organization. Only these are checked.
 */
const near = ({ owner, repo }: CandidateScope, withOthers: boolean) => {
  const others = withOthers
    ? sql` union all select user_id from watch where repo_id = ${repo.id} and ${isWatcher('mode')}
        union all select user_id from org_user where org_id = ${owner.id}`
    : sql``
  return sql<{ id: UserId }>`(select cast(${owner.id} as bigint) as id
    union all select user_id from collaboration where repo_id = ${repo.id}
    union all select team_user.user_id from team inner join team_user on team_user.team_id = team.id
      where team.org_id = ${owner.id}${others})`
}

/** Few related accounts are looked up one by one. With more, the index of names is read until the page is full. */
const manyNear = 5000

/**
 * Returns a page of a query. Each person is asked for their rights, so the total covers the rows up to the end of the page, and
 * the bound says that further rows follow.
 */
async function pageOfPeople(
  db: Db,
  people: SelectQueryBuilder<Schema, 'user', UserRow>,
  { limit, offset }: Page,
): Promise<PeoplePage> {
  const found = await people
    .orderBy(bytewise(db, 'lower_name'))
    .limit(limit + 1)
    .offset(offset)
    .execute()
  const users = found.slice(0, limit)
  if (users.length === 0 && offset > 0) return { users, ...(await countPeople(db, people)) }
  const total = offset + users.length
  return found.length > limit ? { users, total, bound: 'total' } : { users, total }
}

/** Returns the condition that a row of `user` is a related person. */
async function nearPerson(
  db: Db,
  scope: CandidateScope,
  withOthers: boolean,
): Promise<{ readonly isNear: Expression<SqlBool> }> {
  const all = near(scope, withOthers)
  const { rows } = await sql<{ id: UserId }>`select id from ${all} as near limit ${manyNear}`.execute(db)
  const isNear =
    rows.length < manyNear
      ? sql`"user".id in ${idList(db, idListText(rows.map(({ id }) => id)))}`
      : sql`("user".id in (select near.id from ${all} as near)) is true`
  return { isNear: sql<SqlBool>`("user".kind = 'individual' and ${isNear})` }
}

/** Returns the query of the related people whom the onlooker sees; in an object, because awaiting a query builder throws. */
async function peopleNear(db: Db, scope: CandidateScope, onlooker: Onlooker) {
  const { isNear } = await nearPerson(db, scope, false)
  return { related: db.selectFrom('user').selectAll().where(isNear).where(accountsShownIn(onlooker)) }
}

/**
 * Returns people who can be assigned: the owner, those who were given write access, and members of teams that read
 * pull requests.
 */
export async function listWriters(db: Db, scope: CandidateScope, onlooker: Onlooker, page: Page): Promise<PeoplePage> {
  const { related } = await peopleNear(db, scope, onlooker)
  const people = related.where((where) =>
    where.or([
      where('user.id', '=', scope.owner.id),
      wasGiven('user', scope, { mode: 2 }),
      wasGivenByTeam('user', scope, { units: ['pulls'], mode: 1 }),
    ]),
  )
  return pageOfPeople(db, people, page)
}

/** Returns the owner and those who were given access to the code, whose name or full name contains a word. */
export async function listPeopleWithCode(
  db: Db,
  scope: CandidateScope,
  onlooker: Onlooker,
  { mode, word, limit }: { readonly mode: 1 | 2; readonly word: string; readonly limit: number },
): Promise<PeoplePage> {
  const { related } = await peopleNear(db, scope, onlooker)
  const people = related
    .where((where) => where.or([lowerContains('user.lower_name', word), contains('user.full_name', word)]))
    .where((where) =>
      where.or([where('user.id', '=', scope.owner.id), wasGiven('user', scope, { units: ['code'], mode })]),
    )
  return pageOfPeople(db, people, { number: 1, limit, offset: 0 })
}

/**
 * People who may be asked for a review: the owner, and whoever was given reading of pull requests; of a repository that
 * is not private also its watchers and the members of the organization who may read them.
 */
export async function listReviewers(
  db: Db,
  scope: CandidateScope,
  onlooker: Onlooker,
  page: Page,
): Promise<PeoplePage> {
  const isAround = sql<boolean>`(exists (select 1 from watch where watch.user_id = "user".id
      and watch.repo_id = ${scope.repo.id} and ${isWatcher()})
    or exists (select 1 from org_user where org_user.user_id = "user".id and org_user.org_id = ${scope.owner.id}))`
  const readsPulls = { units: ['pulls'], mode: 1, evenIfOff: true } as const
  const { isNear } = await nearPerson(db, scope, !scope.repo.is_private)
  const people = db
    .selectFrom('user')
    .selectAll()
    .where(isNear)
    .where(accountsShownIn(onlooker))
    .where((where) =>
      where.or([
        where('user.id', '=', scope.owner.id),
        wasGiven('user', scope, readsPulls),
        ...(scope.repo.is_private ? [] : [where.and([isAround, mayAccess('user', scope, readsPulls)])]),
      ]),
    )
  return pageOfPeople(db, people, page)
}
