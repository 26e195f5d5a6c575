import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { ActionCacheBlockRow, ActionCacheRow } from '../../db/tables/action-storage.ts'
import type { CacheId, RepoId, RunId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import type { CacheScopeSource } from '../runs/trust.rules.ts'

/** Returns a case-sensitive prefix condition on the key. */
const beginsWith = (key: string) => sql<boolean>`substr(cache_key, 1, ${Array.from(key).length}) = ${key}`

/** Returns the properties of a run from which its cache scopes are derived. */
export const findCacheScopeSource = (db: Db, runId: RunId): Promise<CacheScopeSource | undefined> =>
  db
    .selectFrom('action_run')
    .innerJoin('repo', 'repo.id', 'action_run.repo_id')
    .select([
      'action_run.is_foreign as isForeign',
      'action_run.ref',
      'action_run.base_ref as baseRef',
      'repo.default_branch as defaultBranch',
    ])
    .where('action_run.id', '=', runId)
    .executeTakeFirst()

/** Identifies an entry. */
export interface CacheName {
  readonly repoId: RepoId
  readonly scope: string
  readonly version: string
  readonly key: string
}

const named = (db: Db | Tx, { repoId, scope, version, key }: CacheName) =>
  db
    .selectFrom('action_cache')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('scope', '=', scope)
    .where('version', '=', version)
    .where('cache_key', '=', key)

export const findCacheNamed = (db: Db | Tx, name: CacheName): Promise<ActionCacheRow | undefined> =>
  named(db, name).executeTakeFirst()

/** Returns the newest complete entry whose key has a prefix. */
export const findCacheByPrefix = (
  db: Db,
  { repoId, scope, version, key }: CacheName,
): Promise<ActionCacheRow | undefined> =>
  db
    .selectFrom('action_cache')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('scope', '=', scope)
    .where('version', '=', version)
    .where(beginsWith(key))
    .where('is_whole', '=', sql.lit(true))
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findCache = (db: Db | Tx, id: CacheId): Promise<ActionCacheRow | undefined> =>
  db.selectFrom('action_cache').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the entry and locks its row until the transaction ends. */
export const findCacheForUpdate = (tx: Tx, id: CacheId): Promise<ActionCacheRow | undefined> =>
  tx
    .updateTable('action_cache')
    .set((set) => ({ scope: set.ref('scope') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Inserts an unfinished entry. Returns undefined when one of the name exists. */
export const insertCache = (
  tx: Tx,
  { repoId, scope, version, key }: CacheName,
  now: Unix,
): Promise<ActionCacheRow | undefined> =>
  tx
    .insertInto('action_cache')
    .values({
      repo_id: repoId,
      scope,
      version,
      cache_key: key,
      is_whole: false,
      size_bytes: 0,
      blob_key: '',
      created_unix: now,
      used_unix: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const updateCache = (
  tx: Tx,
  id: CacheId,
  change: Partial<Pick<ActionCacheRow, 'is_whole' | 'size_bytes' | 'reserved_bytes' | 'blob_key' | 'used_unix'>>,
) => tx.updateTable('action_cache').set(change).where('id', '=', id).execute()

export const deleteCacheRow = (tx: Tx, id: CacheId): Promise<boolean> =>
  changesRow(tx.deleteFrom('action_cache').where('id', '=', id))

export const listCacheBlocks = (db: Db | Tx, id: CacheId): Promise<ActionCacheBlockRow[]> =>
  db.selectFrom('action_cache_block').selectAll().where('cache_id', '=', id).orderBy('position').orderBy('id').execute()

/** Inserts a part, or replaces the part of the same key; the caller deletes the replaced blob. */
export const upsertCacheBlock = (tx: Tx, block: Omit<ActionCacheBlockRow, 'id'>) =>
  tx
    .insertInto('action_cache_block')
    .values(block)
    .onConflict((conflict) =>
      conflict.columns(['cache_id', 'block_key']).doUpdateSet((set) => ({
        position: set.ref('excluded.position'),
        size_bytes: set.ref('excluded.size_bytes'),
        blob_key: set.ref('excluded.blob_key'),
      })),
    )
    .execute()

export const updateCacheBlockPosition = (tx: Tx, id: CacheId, blockKey: string, position: number) =>
  tx
    .updateTable('action_cache_block')
    .set({ position })
    .where('cache_id', '=', id)
    .where('block_key', '=', blockKey)
    .execute()

export const deleteCacheBlocks = (tx: Tx, id: CacheId) =>
  tx.deleteFrom('action_cache_block').where('cache_id', '=', id).execute()

/** Returns the complete entries of a repository, the least recently used first. */
export const listByUse = (
  db: Db | Tx,
  repoId: RepoId,
): Promise<Pick<ActionCacheRow, 'id' | 'size_bytes' | 'repo_id'>[]> =>
  db
    .selectFrom('action_cache')
    .select(['id', 'size_bytes', 'repo_id'])
    .where('repo_id', '=', repoId)
    .where('is_whole', '=', sql.lit(true))
    .orderBy('used_unix')
    .orderBy('id')
    .execute()

/** Returns entries that were not used since a moment, and unfinished entries from before another moment. */
export const listUnused = (db: Db, beforeUnix: Unix, begunBefore: Unix, limit: number): Promise<ActionCacheRow[]> =>
  db
    .selectFrom('action_cache')
    .selectAll()
    .where((where) =>
      where.or([
        where('used_unix', '<', beforeUnix),
        where.and([where('is_whole', '=', sql.lit(false)), where('used_unix', '<', begunBefore)]),
      ]),
    )
    .orderBy('used_unix')
    .limit(limit)
    .execute()

/** Returns one page of the complete entries of a repository, the newest first, and their number; `key` is a prefix. */
export async function pageOfCaches(
  db: Db,
  repoId: RepoId,
  key: string | undefined,
  page: Page,
): Promise<{ rows: ActionCacheRow[]; total: number }> {
  const kept = db
    .selectFrom('action_cache')
    .where('repo_id', '=', repoId)
    .where('is_whole', '=', sql.lit(true))
    .$if(key !== undefined, (query) => query.where(beginsWith(key ?? '')))
  const [rows, total] = await rowsAndTotal(
    page,
    kept.selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute(),
    countRows(kept),
  )
  return { rows, total }
}
