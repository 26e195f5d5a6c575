import { bytewise } from '../db/bytewise.ts'
import type { Db } from '../db/database.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import type { ReleaseId } from '../lib/ids.ts'

/** Files of releases by their names, those of one name in the order they came. */
export const listFilesOfReleases = (db: Db, releaseIds: readonly ReleaseId[]): Promise<AttachmentRow[]> =>
  releaseIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('attachment')
        .selectAll()
        .where('release_id', 'in', releaseIds)
        .orderBy(bytewise(db, 'name'))
        .orderBy('id')
        .execute()
