import { sql } from 'kysely'
import { isEmptyPackage } from './package.store.ts'
import type { Db, Tx } from '../db/database.ts'
import type { PackageId, UserId } from '../lib/ids.ts'

/**
 * Lists owners whose ledger of stored bytes differs from the sum of their files and unfinished uploads. One statement
 * reads
 * both, so a concurrent upload cannot cause a difference.
 */
export async function listMiscounted(
  db: Db | Tx,
): Promise<{ readonly ownerId: UserId; readonly written: number; readonly counted: number }[]> {
  const { rows } = await sql<{ owner_id: UserId; written: number | string; counted: number | string }>`
    select owner_id, sum(written) as written, sum(counted) as counted from (
      select owner_id, size_bytes as written, 0 as counted from usage where kind = 'packages' and repo_id is null
      union all
      select package_version.owner_id, 0, package_file.size_bytes from package_file
        inner join package_version on package_version.id = package_file.version_id
      union all
      select owner_id, 0, reserved_bytes from package_upload
    ) as both_sides
    group by owner_id having sum(written) <> sum(counted) order by owner_id`.execute(db)
  return rows.map((row) => ({
    ownerId: row.owner_id,
    written: Number(row.written),
    counted: Number(row.counted),
  }))
}

/** Lists packages without versions, which are deleted with the last version. */
export const listEmptyPackages = async (db: Db): Promise<PackageId[]> =>
  (await db.selectFrom('package').select('id').where(isEmptyPackage).orderBy('id').execute()).map((row) => row.id)
