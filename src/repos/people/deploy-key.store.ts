import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { DeployKeyId, KeyId, RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

export interface DeployKeyFilter {
  readonly keyId?: KeyId | undefined
  readonly fingerprint?: string | undefined
}

function keysOf(db: Db | Tx, repoId: RepoId, { keyId, fingerprint }: DeployKeyFilter) {
  let query = db
    .selectFrom('deploy_key')
    .innerJoin('public_key', 'public_key.id', 'deploy_key.key_id')
    .where('deploy_key.repo_id', '=', repoId)
  if (keyId) query = query.where('deploy_key.key_id', '=', keyId)
  if (fingerprint) query = query.where('public_key.fingerprint', '=', fingerprint)
  return query
}

const columns = [
  'deploy_key.id',
  'deploy_key.key_id',
  'deploy_key.title',
  'deploy_key.is_read_only',
  'deploy_key.created_unix',
  'public_key.content',
  'public_key.fingerprint',
] as const

/** A deploy key with what it is. */
export interface DeployKeyView {
  readonly id: DeployKeyId
  readonly key_id: KeyId
  readonly title: string
  readonly is_read_only: boolean
  readonly created_unix: Unix
  readonly content: string
  readonly fingerprint: string
}

/** In order of adding. */
export const listDeployKeys = (db: Db, repoId: RepoId, filter: DeployKeyFilter, page: Page): Promise<DeployKeyView[]> =>
  keysOf(db, repoId, filter).select(columns).orderBy('deploy_key.id').limit(page.limit).offset(page.offset).execute()

export const countDeployKeys = (db: Db, repoId: RepoId, filter: DeployKeyFilter): Promise<number> =>
  countRows(keysOf(db, repoId, filter))

export const findDeployKey = (db: Db | Tx, repoId: RepoId, id: DeployKeyId): Promise<DeployKeyView | undefined> =>
  keysOf(db, repoId, {}).select(columns).where('deploy_key.id', '=', id).executeTakeFirst()

export const insertDeployKey = (
  tx: Tx,
  row: {
    readonly repo_id: RepoId
    readonly key_id: KeyId
    readonly title: string
    readonly is_read_only: boolean
    readonly created_unix: Unix
  },
): Promise<{ id: DeployKeyId }> => tx.insertInto('deploy_key').values(row).returning('id').executeTakeFirstOrThrow()

/** Deletes a deploy key, and the public key when no repository uses it. */
export async function deleteDeployKey(tx: Tx, repoId: RepoId, id: DeployKeyId): Promise<void> {
  const removed = await tx
    .deleteFrom('deploy_key')
    .where('repo_id', '=', repoId)
    .where('id', '=', id)
    .returning('key_id')
    .executeTakeFirst()
  if (removed) await deleteUnusedKeys(tx, [removed.key_id])
}

/** Deletes those public keys that no account and no repository uses. */
export const deleteUnusedKeys = (tx: Tx, keyIds: readonly KeyId[]) =>
  keyIds.length === 0
    ? Promise.resolve([])
    : tx
        .deleteFrom('public_key')
        .where('id', 'in', keyIds)
        .where('owner_id', 'is', null)
        .where('id', 'not in', (select) => select.selectFrom('deploy_key').select('key_id'))
        .execute()

export const listDeployKeyIdsOf = async (tx: Tx, repoId: RepoId): Promise<KeyId[]> =>
  (await tx.selectFrom('deploy_key').select('key_id').where('repo_id', '=', repoId).execute()).map((row) => row.key_id)
