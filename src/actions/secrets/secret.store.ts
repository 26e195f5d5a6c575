import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { ActionSecretRow } from '../../db/tables/actions.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import type { ValueOwner } from '../value-owner.ts'

/** Returns the names and times of an owner's secrets, the oldest first. */
export const listSecrets = (
  db: Db,
  owner: ValueOwner,
  page: Page,
): Promise<Pick<ActionSecretRow, 'name' | 'created_unix'>[]> =>
  db
    .selectFrom('action_secret')
    .select(['name', 'created_unix'])
    .where((where) => where.and(ownedBy(owner)))
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countSecrets = (db: Db | Tx, owner: ValueOwner): Promise<number> =>
  countRows(db.selectFrom('action_secret').where((where) => where.and(ownedBy(owner))))

/** Returns false when the secret does not exist. */
export const updateSecret = (
  tx: Tx,
  owner: ValueOwner,
  name: string,
  sealed: string,
  updatedUnix: Unix,
): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('action_secret')
      .set({ sealed, updated_unix: updatedUnix })
      .where((where) => where.and(ownedBy(owner)))
      .where('name', '=', name),
  )

/** Returns false when a secret of the name exists. */
export const insertSecret = async (
  tx: Tx,
  owner: ValueOwner,
  name: string,
  sealed: string,
  createdUnix: Unix,
): Promise<boolean> =>
  (
    await tx
      .insertInto('action_secret')
      .values({ ...owner, name, sealed, created_unix: createdUnix, updated_unix: createdUnix })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute()
  ).length > 0

/** Returns false when the secret does not exist. */
export const deleteSecret = (tx: Tx, owner: ValueOwner, name: string): Promise<boolean> =>
  changesRow(
    tx
      .deleteFrom('action_secret')
      .where((where) => where.and(ownedBy(owner)))
      .where('name', '=', name),
  )

const ownedBy = ({ owner_id, repo_id }: ValueOwner) => (owner_id === null ? { repo_id } : { owner_id })

/** Returns the sealed secrets for jobs of a repository, by name. A secret of the repository precedes one of its owner. */
export async function loadSealedSecretsFor(
  db: Db | Tx,
  repo: { readonly id: RepoId; readonly owner_id: UserId },
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('action_secret')
    .select(['name', 'sealed', 'repo_id'])
    .where((where) => where.or([where('owner_id', '=', repo.owner_id), where('repo_id', '=', repo.id)]))
    .execute()
  const own = rows.filter((row) => row.repo_id !== null)
  return new Map([...rows.filter((row) => row.repo_id === null), ...own].map(({ name, sealed }) => [name, sealed]))
}
