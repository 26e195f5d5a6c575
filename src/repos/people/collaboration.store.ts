import { accountsShownIn, type Onlooker } from '../../access/conditions/account-condition.store.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { CollaborationRow } from '../../db/tables/repositories.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { countPeople, type PeopleTotal } from '../../users/people-count.store.ts'

export const findCollaboration = (db: Db | Tx, repoId: RepoId, userId: UserId): Promise<CollaborationRow | undefined> =>
  db
    .selectFrom('collaboration')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

const collaborators = (db: Db, repoId: RepoId, onlooker: Onlooker) =>
  db
    .selectFrom('collaboration')
    .innerJoin('user', 'user.id', 'collaboration.user_id')
    .where('collaboration.repo_id', '=', repoId)
    .where(accountsShownIn(onlooker))

export const listCollaborators = (db: Db, repoId: RepoId, onlooker: Onlooker, page: Page): Promise<UserRow[]> =>
  collaborators(db, repoId, onlooker)
    .selectAll('user')
    .orderBy('collaboration.created_unix')
    .orderBy('user.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

/** Lists the collaborations of the given accounts. */
export const listCollaborations = async (
  db: Db,
  repoId: RepoId,
  userIds: readonly UserId[],
): Promise<CollaborationRow[]> =>
  userIds.length === 0
    ? []
    : db.selectFrom('collaboration').selectAll().where('repo_id', '=', repoId).where('user_id', 'in', userIds).execute()

export const countCollaborators = (db: Db, repoId: RepoId, onlooker: Onlooker): Promise<PeopleTotal> =>
  countPeople(db, collaborators(db, repoId, onlooker).select('user.id'))

/** Deletes a collaboration and returns it; undefined: there was none. */
export const deleteCollaboration = (tx: Tx, repoId: RepoId, userId: UserId): Promise<CollaborationRow | undefined> =>
  tx
    .deleteFrom('collaboration')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()

/** Deletes an account's collaborations on the repositories of an owner and returns them. */
export const deleteCollaborationsWith = (tx: Tx, ownerId: UserId, userId: UserId): Promise<CollaborationRow[]> =>
  tx
    .deleteFrom('collaboration')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', (select) => select.selectFrom('repo').select('id').where('owner_id', '=', ownerId))
    .returningAll()
    .execute()

/** Deletes the collaborations of a new owner and of the members of a new owning organization. */
export const deleteCollaborationsOfMembers = (tx: Tx, repoId: RepoId, ownerId: UserId): Promise<CollaborationRow[]> =>
  tx
    .deleteFrom('collaboration')
    .where('repo_id', '=', repoId)
    .where((where) =>
      where.or([
        where('user_id', '=', ownerId),
        where('user_id', 'in', (select) =>
          select.selectFrom('org_user').select('user_id').where('org_id', '=', ownerId),
        ),
      ]),
    )
    .returningAll()
    .execute()
