import type { Expression, Insertable } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { preparedQuery } from '../db/prepared.ts'
import { changesRow, hasRow } from '../db/rows.ts'
import type { AccessMode } from '../db/tables/accounts.ts'
import type { BranchTable, NewRepoRow, RepoChange, RepoRow, RepoUnit } from '../db/tables/repositories.ts'
import type { GitKey, RepoId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

type NewBranchRow = Insertable<BranchTable>

export const findRepoById = (db: Db | Tx, id: RepoId): Promise<RepoRow | undefined> =>
  db.selectFrom('repo').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the row and locks it until the transaction ends. SQLite has one writer. */
export const findRepoForUpdate = (tx: Tx, id: RepoId): Promise<RepoRow | undefined> =>
  tx
    .updateTable('repo')
    .set((set) => ({ name: set.ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

const reposById = preparedQuery((db: Db, ids: string) =>
  db
    .selectFrom('repo')
    .selectAll()
    .where('id', 'in', idList(db, ids) as Expression<RepoId>),
)

/** Returns repositories by id, in one query. */
export async function loadRepos(db: Db | Tx, ids: Iterable<RepoId | null>): Promise<ReadonlyMap<RepoId, RepoRow>> {
  const wanted = [...new Set(ids)].filter((id): id is RepoId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await reposById(db, idListText(wanted))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns those git keys that a repository or a wiki has. */
export async function listKnownGitKeys(db: Db, keys: readonly GitKey[]): Promise<ReadonlySet<GitKey>> {
  const rows = await db
    .selectFrom('repo')
    .select(['git_key', 'wiki_git_key'])
    .where((row) => row.or([row('git_key', 'in', keys), row('wiki_git_key', 'in', keys)]))
    .execute()
  return new Set(rows.flatMap((row) => (row.wiki_git_key === null ? [row.git_key] : [row.git_key, row.wiki_git_key])))
}

export const insertRepo = (tx: Tx, values: NewRepoRow): Promise<RepoRow> =>
  tx.insertInto('repo').values(values).returningAll().executeTakeFirstOrThrow()

export const updateRepo = (tx: Tx, id: RepoId, change: RepoChange): Promise<RepoRow> =>
  tx.updateTable('repo').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Deletes the row and everything that references it; returns false when it was gone. */
export const deleteRepoRow = (tx: Tx, id: RepoId): Promise<boolean> =>
  changesRow(tx.deleteFrom('repo').where('id', '=', id))

export const insertUnits = (
  tx: Tx,
  repoId: RepoId,
  units: readonly { readonly unit: RepoUnit; readonly config: string; readonly default_access: AccessMode }[],
) =>
  units.length === 0
    ? Promise.resolve([])
    : tx
        .insertInto('repo_unit')
        .values(units.map((row) => ({ repo_id: repoId, ...row })))
        .onConflict((conflict) =>
          conflict.columns(['repo_id', 'unit']).doUpdateSet((set) => ({
            config: set.ref('excluded.config'),
            default_access: set.ref('excluded.default_access'),
          })),
        )
        .execute()

export const deleteUnits = (tx: Tx, repoId: RepoId, units: readonly RepoUnit[]) =>
  units.length === 0
    ? Promise.resolve([])
    : tx.deleteFrom('repo_unit').where('repo_id', '=', repoId).where('unit', 'in', units).execute()

/** Inserts the branches of a new repository. */
export async function insertBranches(tx: Tx, rows: readonly NewBranchRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += maxRowsPerStatement) {
    await tx
      .insertInto('branch')
      .values(rows.slice(start, start + maxRowsPerStatement))
      .execute()
  }
}

/** A row has up to eight columns. SQLite accepts at most 32,766 parameters in a statement. */
const maxRowsPerStatement = 2000

/** Inserts a redirect from a former name, which lasts until another repository takes the name. */
export const insertRepoRedirect = (tx: Tx, ownerId: UserId, lowerName: string, repoId: RepoId) =>
  tx
    .insertInto('repo_redirect')
    .values({ owner_id: ownerId, lower_name: lowerName, repo_id: repoId })
    .onConflict((conflict) => conflict.columns(['owner_id', 'lower_name']).doUpdateSet({ repo_id: repoId }))
    .execute()

export const deleteRepoRedirect = (tx: Tx, ownerId: UserId, lowerName: string) =>
  tx.deleteFrom('repo_redirect').where('owner_id', '=', ownerId).where('lower_name', '=', lowerName).execute()

/** Increments an account's number of repositories; returns false at the limit. */
export const takeRepoSlot = async (tx: Tx, ownerId: UserId, limit: number | undefined): Promise<boolean> => {
  let update = tx
    .updateTable('user')
    .set((set) => ({ num_repos: set('num_repos', '+', 1) }))
    .where('id', '=', ownerId)
  if (limit !== undefined) update = update.where('num_repos', '<', limit)
  return changesRow(update)
}

export const addToRepoCount = (tx: Tx, ownerId: UserId, difference: 1 | -1) =>
  tx
    .updateTable('user')
    .set((set) => ({ num_repos: set('num_repos', '+', difference) }))
    .where('id', '=', ownerId)
    .execute()

export const addToForkCount = (tx: Tx, repoId: RepoId, difference: 1 | -1) =>
  tx
    .updateTable('repo')
    .set((set) => ({ num_forks: set('num_forks', '+', difference) }))
    .where('id', '=', repoId)
    .execute()

/** Makes the forks of a deleted repository independent. */
export const detachForks = (tx: Tx, repoId: RepoId) =>
  tx.updateTable('repo').set({ is_fork: false, fork_id: null }).where('fork_id', '=', repoId).execute()

/** Sets the visibility of direct forks and returns those that changed. */
export const updateForkVisibility = (tx: Tx, repoId: RepoId, isPrivate: boolean): Promise<RepoRow[]> =>
  tx
    .updateTable('repo')
    .set({ is_private: isPrivate })
    .where('fork_id', '=', repoId)
    .where('is_private', '!=', isPrivate)
    .returningAll()
    .execute()

/** Decrements the number of stars of each account that stars the repository. */
export const forgetStars = (tx: Tx, repoId: RepoId) =>
  tx
    .updateTable('user')
    .set((set) => ({ num_stars: set('num_stars', '-', 1) }))
    .where('id', 'in', (select) => select.selectFrom('star').select('user_id').where('repo_id', '=', repoId))
    .execute()

/** Inserts a collaboration or replaces its mode. */
export const upsertCollaboration = (
  tx: Tx,
  repoId: RepoId,
  userId: UserId,
  accessMode: AccessMode,
  createdUnix: Unix,
) =>
  tx
    .insertInto('collaboration')
    .values({ repo_id: repoId, user_id: userId, access_mode: accessMode, created_unix: createdUnix })
    .onConflict((conflict) => conflict.columns(['repo_id', 'user_id']).doUpdateSet({ access_mode: accessMode }))
    .execute()

export const listReposOwnedBy = (db: Db, ownerId: UserId): Promise<RepoRow[]> =>
  db.selectFrom('repo').selectAll().where('owner_id', '=', ownerId).orderBy('id').execute()

export const ownsRepos = (db: Db | Tx, ownerId: UserId): Promise<boolean> =>
  hasRow(db.selectFrom('repo').where('owner_id', '=', ownerId))

/** Forks of one repository that one account owns. Transfers can make several. */
const maxOwnForks = 10

/** Returns the forks of a repository that an account owns, the oldest first. */
export const listForksOwnedBy = (db: Db, baseId: RepoId, ownerId: UserId): Promise<RepoRow[]> =>
  db
    .selectFrom('repo')
    .selectAll()
    .where('fork_id', '=', baseId)
    .where('owner_id', '=', ownerId)
    .orderBy('id')
    .limit(maxOwnForks)
    .execute()
