import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import { pluck } from '../lib/pluck.ts'
import { loadUsers } from '../users/user.store.ts'
import { listFilesOfReleases } from './asset.store.ts'

/** A release with what belongs to it. */
export interface ReleaseDetails {
  readonly release: ReleaseRow
  /** Undefined: the account was deleted, or is on another server. */
  readonly publisher: UserRow | undefined
  readonly files: readonly AttachmentRow[]
}

/** Returns the publishers and files of releases, with one statement each. */
export async function loadReleaseDetails(db: Db, rows: readonly ReleaseRow[]): Promise<readonly ReleaseDetails[]> {
  if (rows.length === 0) return []
  const [users, files] = await Promise.all([
    loadUsers(db, pluck(rows, 'publisher_id')),
    listFilesOfReleases(db, pluck(rows, 'id')),
  ])
  const filesOf = Map.groupBy(files, (file) => file.release_id)
  return rows.map((release) => ({
    release,
    publisher: release.original_author === '' ? users.get(release.publisher_id) : undefined,
    files: filesOf.get(release.id) ?? [],
  }))
}
