import type { Db, Tx } from '../../db/database.ts'
import type { CollaborationRow } from '../../db/tables/repositories.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

export const findCollaboration = (db: Db | Tx, repoId: RepoId, userId: UserId): Promise<CollaborationRow | undefined> =>
  db
    .selectFrom('collaboration')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

export const listCollaborators = (db: Db, repoId: RepoId, page: Page): Promise<UserRow[]> =>
  db
    .selectFrom('collaboration')
    .innerJoin('user', 'user.id', 'collaboration.user_id')
    .selectAll('user')
    .where('collaboration.repo_id', '=', repoId)
    .orderBy('collaboration.created_unix')
    .orderBy('user.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countCollaborators = async (db: Db, repoId: RepoId): Promise<number> =>
  (
    await db
      .selectFrom('collaboration')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('repo_id', '=', repoId)
      .executeTakeFirstOrThrow()
  ).count

/** What there was; undefined when there was none. */
export const deleteCollaboration = (tx: Tx, repoId: RepoId, userId: UserId): Promise<CollaborationRow | undefined> =>
  tx
    .deleteFrom('collaboration')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()

/** Somebody collaborates on no repository of an owner any more; tells what there was. */
export const deleteCollaborationsWith = (tx: Tx, ownerId: UserId, userId: UserId): Promise<CollaborationRow[]> =>
  tx
    .deleteFrom('collaboration')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', (select) => select.selectFrom('repo').select('id').where('owner_id', '=', ownerId))
    .returningAll()
    .execute()

/** The new owner of a repository, and the members of an organization that becomes it, collaborate on it no longer. */
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
