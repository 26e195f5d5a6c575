import { bytewise } from '../db/bytewise.ts'
import type { Db, Tx } from '../db/database.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import type { AttachmentId, ReleaseId } from '../lib/ids.ts'

/** Returns files of releases ordered by name and age. */
export const listFilesOfReleases = (db: Db | Tx, releaseIds: readonly ReleaseId[]): Promise<AttachmentRow[]> =>
  releaseIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('attachment')
        .selectAll()
        .where('release_id', 'in', releaseIds)
        .orderBy(bytewise(db, 'name'))
        .orderBy('id')
        .execute()

export const findFileOfRelease = (db: Db, releaseId: ReleaseId, id: AttachmentId): Promise<AttachmentRow | undefined> =>
  db.selectFrom('attachment').selectAll().where('release_id', '=', releaseId).where('id', '=', id).executeTakeFirst()

/** Returns a file of a release by its name; of several, the newest. */
export const findFileNamed = (db: Db, releaseId: ReleaseId, name: string): Promise<AttachmentRow | undefined> =>
  db
    .selectFrom('attachment')
    .selectAll()
    .where('release_id', '=', releaseId)
    .where('name', '=', name)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findReleaseOfFile = (db: Db, id: ReleaseId) =>
  db.selectFrom('release').select('is_draft').where('id', '=', id).executeTakeFirst()
