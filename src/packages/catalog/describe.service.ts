import type { SubjectCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { NotFound } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { findDescribed, type VersionWithMetadata } from './catalog.store.ts'
import { encodedMetadata } from './metadata.rules.ts'
import { putVersionMetadata } from './metadata.store.ts'
import { lockPackage } from '../package.store.ts'
import { bumpRevision } from '../revision.store.ts'

/**
 * Changes the metadata of a version.
 * @param change receives the metadata while the package row is locked
 */
export async function updateVersionMetadata<Metadata extends object>(
  ctx: SubjectCtx,
  version: VersionWithMetadata,
  change: (known: Metadata) => Metadata,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const held = await lockPackage(tx, version.package_id)
    const current = held && (await findDescribed(tx, held.id, version.lower_version))
    if (!held || current?.id !== version.id) throw new NotFound('the version does not exist', 'package_not_found')
    const changed = change(JSON.parse(current.metadata ?? '{}') as Metadata)
    await putVersionMetadata(tx, version.id, encodedMetadata(changed))
    await bumpRevision(tx, held.owner_id, held.type, nowUnix(ctx.clock))
  })
}
