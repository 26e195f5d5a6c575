import type { Db, Tx } from '../db/database.ts'
import { changesRow, countRows } from '../db/rows.ts'
import type { SavedViewChange, SavedViewRow } from '../db/tables/boards.ts'
import type { RepoId, SavedViewId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'
import type { SavedViewSettings } from './saved-view.rules.ts'

/** Whose views: a repository's, or an organization's or person's. */
export type ViewOwner = { readonly repoId: RepoId } | { readonly ownerId: UserId }

const viewsOf = (db: Db | Tx, owner: ViewOwner) => {
  const query = (db as Db).selectFrom('saved_view')
  return 'repoId' in owner ? query.where('repo_id', '=', owner.repoId) : query.where('owner_id', '=', owner.ownerId)
}

/** Returns views, the oldest first. */
export const listViews = (db: Db, owner: ViewOwner, page: Page): Promise<SavedViewRow[]> =>
  viewsOf(db, owner).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute()

export const countViews = (db: Db | Tx, owner: ViewOwner): Promise<number> => countRows(viewsOf(db, owner))

export const findView = (db: Db, owner: ViewOwner, id: SavedViewId): Promise<SavedViewRow | undefined> =>
  viewsOf(db, owner).selectAll().where('id', '=', id).executeTakeFirst()

export const insertView = (tx: Tx, owner: ViewOwner, settings: SavedViewSettings, unix: Unix): Promise<SavedViewRow> =>
  tx
    .insertInto('saved_view')
    .values({
      ...settings,
      repo_id: 'repoId' in owner ? owner.repoId : null,
      owner_id: 'ownerId' in owner ? owner.ownerId : null,
      created_unix: unix,
      updated_unix: unix,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export const updateView = (tx: Tx, id: SavedViewId, change: SavedViewChange): Promise<SavedViewRow | undefined> =>
  tx.updateTable('saved_view').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** Deletes a view with the places of its cards. Returns whether it existed. */
export const deleteViewRow = (tx: Tx, id: SavedViewId): Promise<boolean> =>
  changesRow(tx.deleteFrom('saved_view').where('id', '=', id))

/** Locks a view until the transaction ends. Returns its current row. */
export const findViewForUpdate = (tx: Tx, id: SavedViewId): Promise<SavedViewRow | undefined> =>
  tx.selectFrom('saved_view').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** Locks the row of the views' owner, so that two requests do not both add the last view that is allowed. */
export const lockOwner = (tx: Tx, owner: ViewOwner): Promise<unknown> =>
  'repoId' in owner
    ? tx.selectFrom('repo').select('id').where('id', '=', owner.repoId).forUpdate().executeTakeFirst()
    : tx.selectFrom('user').select('id').where('id', '=', owner.ownerId).forUpdate().executeTakeFirst()
