import type { Generated, Insertable, Selectable } from 'kysely'
import type { LfsBlobId, LfsLockId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Stored LFS objects. Repositories share one copy of each content. */
export interface LfsBlobTable {
  id: Generated<LfsBlobId>
  /** SHA-256 of the content, hexadecimal. */
  oid: string
  size_bytes: number
  /** The blob key. Each upload gets a new key, so a deletion cannot remove a content that was just uploaded again. */
  blob_key: string
  created_unix: Unix
  /** When a repository last removed its reference; null when none did. */
  released_unix: Unix | null
}

/** The LFS objects of each repository. */
export interface LfsObjectTable {
  repo_id: RepoId
  blob_id: LfsBlobId
  oid: string
  size_bytes: number
  created_unix: Unix
  /** When the object was uploaded, requested by a push, or found in the repository's history. */
  seen_unix: Unix
}

/** LFS locks. The locked path need not exist. */
export interface LfsLockTable {
  id: Generated<LfsLockId>
  repo_id: RepoId
  owner_id: UserId
  path: string
  /** The case-folded path: one lock covers all its spellings. */
  path_key: string
  /** The reference that the client sent; empty for none. The lock applies to all references. */
  ref_name: string
  created_unix: Unix
}

export interface LfsTables {
  lfs_blob: LfsBlobTable
  lfs_object: LfsObjectTable
  lfs_lock: LfsLockTable
}

export type LfsBlobRow = Selectable<LfsBlobTable>
export type NewLfsBlobRow = Insertable<LfsBlobTable>
export type LfsObjectRow = Selectable<LfsObjectTable>
export type LfsLockRow = Selectable<LfsLockTable>
export type NewLfsLockRow = Insertable<LfsLockTable>
