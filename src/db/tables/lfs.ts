import type { Insertable, Selectable } from 'kysely'
import type { LfsBlobId, LfsLockId, RepoId, UserId } from '../../lib/ids.ts'
import { bigint, id, nullable, ref, table, text, unique, unix, type TablesOf } from '../table.ts'

export const lfsTables = {
  /** Stored LFS objects. Repositories share one copy of each content. */
  lfs_blob: table(
    {
      id: id<LfsBlobId>(),
      /** SHA-256 of the content, hexadecimal. */
      oid: unique(text()),
      size_bytes: bigint(),
      /** The blob key. Each upload gets a new key, so a deletion cannot remove a content that was just uploaded again. */
      blob_key: unique(text()),
      created_unix: unix(),
      /** When a repository last removed its reference; null when none did. */
      released_unix: nullable(unix()),
    },
    { indexes: { lfs_blob_released: '(released_unix) where released_unix is not null' } },
  ),

  /** The LFS objects of each repository. */
  lfs_object: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      blob_id: ref<LfsBlobId>('lfs_blob'),
      oid: text(),
      size_bytes: bigint(),
      created_unix: unix(),
      /** When the object was uploaded, requested by a push, or found in the repository's history. */
      seen_unix: unix(),
    },
    {
      primaryKey: ['repo_id', 'oid'],
      indexes: { lfs_object_blob: '(blob_id)', lfs_object_seen: '(repo_id, seen_unix)' },
    },
  ),

  /** LFS locks. The locked path need not exist. */
  lfs_lock: table(
    {
      id: id<LfsLockId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      owner_id: ref<UserId>('user', 'cascade'),
      path: text(),
      /** The case-folded path: one lock covers all its spellings. */
      path_key: text(),
      /** The reference that the client sent; empty for none. The lock applies to all references. */
      ref_name: text(),
      created_unix: unix(),
    },
    { unique: [['repo_id', 'path_key']], indexes: { lfs_lock_owner: '(owner_id)' } },
  ),
}

export type LfsTables = TablesOf<typeof lfsTables>
export type LfsBlobRow = Selectable<LfsTables['lfs_blob']>
export type NewLfsBlobRow = Insertable<LfsTables['lfs_blob']>
export type LfsObjectRow = Selectable<LfsTables['lfs_object']>
export type LfsLockRow = Selectable<LfsTables['lfs_lock']>
export type NewLfsLockRow = Insertable<LfsTables['lfs_lock']>
