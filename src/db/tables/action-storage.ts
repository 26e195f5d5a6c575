import type { Insertable, Selectable } from 'kysely'
import type { ArtifactId, CacheId, RepoId, RunId } from '../../lib/ids.ts'
import { bigint, flag, id, ref, table, text, unix, type TablesOf } from '../table.ts'

export const actionStorageTables = {
  /** Artifacts of runs: one row per name in protocol version 4, one row per path in version 3. */
  action_artifact: table(
    {
      id: id<ArtifactId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      run_id: ref<RunId>('action_run', 'cascade'),
      name: text(),
      /** The path below the name in protocol version 3; empty in version 4. */
      path: text(),
      /** The protocol version: 3 or 4. */
      version: bigint(),
      /** Whether the upload is complete. Only complete artifacts are listed. */
      is_whole: flag(),
      /** Whether the artifact expired. Its bytes are deleted; the row remains. */
      is_expired: flag(),
      /** Whether the content is stored gzip-compressed, as it arrived. */
      is_gzip: flag(),
      /** The uncompressed size, and the size as stored. */
      size_bytes: bigint(),
      stored_bytes: bigint(),
      blob_key: text(),
      created_unix: unix(),
      expires_unix: unix(),
      /** Protocol version 4: whether the artifact is a zip archive, which its clients unpack, or a single file. */
      is_zip: flag(true),
      /** Bytes of the received and arriving blocks, charged to the owner; 0 after completion. */
      reserved_bytes: bigint(0),
    },
    {
      indexes: {
        action_artifact_run: '(run_id, name)',
        action_artifact_repo: '(repo_id)',
        action_artifact_expiry: '(expires_unix) where not is_expired',
        action_artifact_unfinished: '(created_unix) where not is_whole',
      },
    },
  ),

  /** A block of an incomplete artifact. */
  action_artifact_block: table(
    {
      id: id<number>(),
      artifact_id: ref<ArtifactId>('action_artifact', 'cascade'),
      /** The block's name from the client, or its offset. */
      block_key: text(),
      position: bigint(),
      size_bytes: bigint(),
      blob_key: text(),
    },
    { unique: [['artifact_id', 'block_key']] },
  ),

  /** A cache entry that a job saves for later jobs. */
  action_cache: table(
    {
      id: id<CacheId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      /** The reference of the run that created the entry; it decides which runs can read the entry. */
      scope: text(),
      cache_key: text(),
      /** The version string of the client. Only entries of the same version match. */
      version: text(),
      is_whole: flag(),
      size_bytes: bigint(),
      blob_key: text(),
      created_unix: unix(),
      used_unix: unix(),
      /** Bytes of the received and arriving blocks, charged to the owner; 0 after completion. */
      reserved_bytes: bigint(0),
    },
    {
      unique: [['repo_id', 'scope', 'version', 'cache_key']],
      indexes: { action_cache_used: '(repo_id, used_unix)', action_cache_age: '(used_unix)' },
    },
  ),

  /** A block of an incomplete cache entry. */
  action_cache_block: table(
    {
      id: id<number>(),
      cache_id: ref<CacheId>('action_cache', 'cascade'),
      block_key: text(),
      position: bigint(),
      size_bytes: bigint(),
      blob_key: text(),
    },
    { unique: [['cache_id', 'block_key']] },
  ),
}

export type ActionStorageTables = TablesOf<typeof actionStorageTables>
export type ActionArtifactRow = Selectable<ActionStorageTables['action_artifact']>
export type NewActionArtifactRow = Insertable<ActionStorageTables['action_artifact']>
export type ActionArtifactBlockRow = Selectable<ActionStorageTables['action_artifact_block']>
export type ActionCacheRow = Selectable<ActionStorageTables['action_cache']>
export type ActionCacheBlockRow = Selectable<ActionStorageTables['action_cache_block']>
