import { sql, type SqlBool } from 'kysely'
import { accountsShownTo, isAccountShownIn, type Onlooker } from '../access/conditions/account-condition.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import { bytewise } from '../db/bytewise.ts'
import type { Db, Tx } from '../db/database.ts'
import { contains, lowerContains } from '../db/like.ts'
import { changesRow, countRows } from '../db/rows.ts'
import type { UserRow, Visibility } from '../db/tables/accounts.ts'
import type { TeamId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { countPeople, type PeopleTotal } from '../users/people-count.store.ts'

/** Filters of a list of organizations. */
export interface OrgFilter {
  /** Only organizations that this viewer may see. Undefined: a guest. */
  readonly shownTo: Viewer | undefined
  /** Only these visibilities. Undefined: all. */
  readonly visibilities?: readonly Visibility[] | undefined
  /** Only organizations that this person belongs to. */
  readonly memberId?: UserId | undefined
  /** Only organizations where the membership of `memberId` is public. */
  readonly publicMembership?: boolean | undefined
  /** Besides `visibilities`: also organizations that this person belongs to. */
  readonly alsoOf?: UserId | undefined
  /** Only organizations whose name, full name or description contains this text. */
  readonly text?: string | undefined
}

function filteredOrgs(db: Db, { shownTo, visibilities, memberId, publicMembership, alsoOf, text = '' }: OrgFilter) {
  let query = db.selectFrom('user').where('user.kind', '=', 'organization').where(accountsShownTo(shownTo))
  if (visibilities) {
    query = query.where((where) =>
      where.or([
        where('user.visibility', 'in', visibilities),
        ...(alsoOf === undefined
          ? []
          : [
              where.exists(
                where
                  .selectFrom('org_user')
                  .select('org_user.org_id')
                  .whereRef('org_user.org_id', '=', 'user.id')
                  .where('org_user.user_id', '=', alsoOf),
              ),
            ]),
      ]),
    )
  }
  if (memberId !== undefined) {
    query = query.where((where) => {
      let member = where.selectFrom('org_user').select('org_user.org_id').where('org_user.user_id', '=', memberId)
      if (publicMembership) member = member.where('org_user.is_public', '=', true)
      return where('user.id', 'in', member)
    })
  }
  if (text !== '') {
    query = query.where(
      sql<SqlBool>`(${lowerContains('user.lower_name', text)} or ${contains('user.full_name', text)}
        or ${contains('user.description', text)})`,
    )
  }
  return query
}

export const listOrgs = (db: Db, filter: OrgFilter, page: Page): Promise<UserRow[]> =>
  filteredOrgs(db, filter).selectAll('user').orderBy('user.lower_name').limit(page.limit).offset(page.offset).execute()

export const countOrgs = (db: Db, filter: OrgFilter): Promise<number> => countRows(filteredOrgs(db, filter))

export const findMembership = (db: Db | Tx, orgId: UserId, userId: UserId) =>
  db
    .selectFrom('org_user')
    .select('is_public')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

/** Returns which of the accounts are members, and whether their memberships are public. */
export const listMemberships = (db: Db, orgId: UserId, userIds: readonly UserId[]) =>
  db
    .selectFrom('org_user')
    .select(['user_id', 'is_public'])
    .where('org_id', '=', orgId)
    .where('user_id', 'in', userIds)
    .execute()

/** Filters of a list of members. */
export interface MemberFilter {
  /** Only members with a public membership. */
  readonly publicOnly: boolean
  readonly onlooker: Onlooker
}

const members = (db: Db, orgId: UserId, { publicOnly, onlooker }: MemberFilter) => {
  const query = db
    .selectFrom('org_user')
    .select('org_user.user_id')
    .where('org_user.org_id', '=', orgId)
    .where(isAccountShownIn(onlooker, 'org_user.user_id'))
  return publicOnly ? query.where('org_user.is_public', '=', true) : query
}

/** Returns a page of members ordered by id. The inner query reads only an index; the outer one loads the page's accounts. */
export const listMembers = (db: Db, orgId: UserId, filter: MemberFilter, { limit, offset }: Page): Promise<UserRow[]> =>
  db
    .selectFrom(members(db, orgId, filter).orderBy('org_user.user_id').limit(limit).offset(offset).as('place'))
    .innerJoin('user', 'user.id', 'place.user_id')
    .selectAll('user')
    .orderBy('place.user_id')
    .execute()

export const countMembers = (db: Db, orgId: UserId, filter: MemberFilter): Promise<PeopleTotal> =>
  countPeople(db, members(db, orgId, filter))

/** Inserts a membership unless it exists. */
export const insertMember = (tx: Tx, orgId: UserId, userId: UserId, isPublic: boolean) =>
  tx
    .insertInto('org_user')
    .values({ org_id: orgId, user_id: userId, is_public: isPublic })
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doNothing())
    .execute()

export const updateMembership = (tx: Tx, orgId: UserId, userId: UserId, isPublic: boolean) =>
  tx
    .updateTable('org_user')
    .set({ is_public: isPublic })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute()

/** Deletes a membership and returns whether it existed. */
export const deleteMember = (tx: Tx, orgId: UserId, userId: UserId): Promise<boolean> =>
  changesRow(tx.deleteFrom('org_user').where('org_id', '=', orgId).where('user_id', '=', userId))

/** Deletes the memberships of people who are on no team of the organization, and returns their ids. */
export const deleteTeamlessMembers = async (tx: Tx, orgId: UserId, userIds: readonly UserId[]): Promise<UserId[]> =>
  userIds.length === 0
    ? []
    : (
        await tx
          .deleteFrom('org_user')
          .where('org_id', '=', orgId)
          .where('user_id', 'in', userIds)
          .where('user_id', 'not in', (select) =>
            select.selectFrom('team_user').select('user_id').where('org_id', '=', orgId),
          )
          .returning('user_id')
          .execute()
      ).map((row) => row.user_id)

/** Locks a team's row until the transaction ends, so that changes of its members wait for each other. */
export const lockTeam = (tx: Tx, teamId: TeamId) =>
  tx
    .updateTable('team')
    .set((set) => ({ name: set.ref('name') }))
    .where('id', '=', teamId)
    .execute()

export const deleteOrgRow = (tx: Tx, id: UserId): Promise<boolean> =>
  changesRow(tx.deleteFrom('user').where('id', '=', id).where('kind', '=', 'organization'))

/** Returns the organizations whose only owner is the person. */
export const listSolelyOwnedOrgs = (db: Db | Tx, userId: UserId): Promise<UserRow[]> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('kind', '=', 'organization')
    .where((where) =>
      where.exists(
        where
          .selectFrom('team')
          .innerJoin('team_user', 'team_user.team_id', 'team.id')
          .select('team.id')
          .whereRef('team.org_id', '=', 'user.id')
          .where('team.access_mode', '=', 4)
          .groupBy('team.id')
          .having((having) => having.fn.countAll<number>(), '=', 1)
          .having((having) => having.fn.max('team_user.user_id'), '=', userId),
      ),
    )
    .orderBy(bytewise(db, 'lower_name'))
    .execute()
