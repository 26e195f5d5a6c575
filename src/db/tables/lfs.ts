import type { Generated, Insertable, Selectable } from 'kysely'
import type { LfsBlobId, LfsLockId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Contents of LFS objects that are stored: each once, however many repositories have it. */
export interface LfsBlobTable {
  id: Generated<LfsBlobId>
  /** SHA-256 of the content, hexadecimal. */
  oid: string
  size_bytes: number
  /** Never used again for another upload, so that what deletes a file cannot meet one that has just arrived. */
  blob_key: string
  created_unix: Unix
  /** When a repository gave it up last; null: every repository that ever had it has it still. */
  released_unix: Unix | null
}

/** Which repository has which LFS object. */
export interface LfsObjectTable {
  repo_id: RepoId
  blob_id: LfsBlobId
  oid: string
  size_bytes: number
  created_unix: Unix
  /** When it arrived, was asked about by somebody who pushes, or was found in the history of its repository. */
  seen_unix: Unix
}

/** Files that somebody has locked for others, whether or not they are there. */
export interface LfsLockTable {
  id: Generated<LfsLockId>
  repo_id: RepoId
  owner_id: UserId
  path: string
  /** The path without regard to letter case: one lock for all its spellings. */
  path_key: string
  /** The reference that was named when it was made; empty for none. It holds everywhere. */
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
export type NewLfsObjectRow = Insertable<LfsObjectTable>
export type LfsLockRow = Selectable<LfsLockTable>
export type NewLfsLockRow = Insertable<LfsLockTable>
