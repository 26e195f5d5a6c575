import type { SubjectCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { PackageRow } from '../../db/tables/packages.ts'
import { NotFound } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteTag, listTags, putTag } from './metadata.store.ts'
import { comparable } from '../package.rules.ts'
import { findVersionOf, lockPackage } from '../package.store.ts'
import { bumpRevision } from '../revision.store.ts'

/** Lists the tags of a package. */
export const getTags = ({ db }: SubjectCtx, row: PackageRow) => listTags(db, [row.id])

/** Points a tag to a version. Throws `NotFound` for an unknown version. */
export async function setTag(ctx: SubjectCtx, row: PackageRow, name: string, version: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const held = await lockPackage(tx, row.id)
    const found = held && (await findVersionOf(tx, held.id, comparable(version)))
    if (!held || !found || found.is_internal) throw new NotFound('the version does not exist', 'package_not_found')
    await putTag(tx, held.id, name, found.id)
    await bumpRevision(tx, held.owner_id, held.type, nowUnix(ctx.clock))
  })
}

/** Removes a tag if it exists. */
export async function removeTag(ctx: SubjectCtx, row: PackageRow, name: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const held = await lockPackage(tx, row.id)
    if (!held) return
    await deleteTag(tx, held.id, name)
    await bumpRevision(tx, held.owner_id, held.type, nowUnix(ctx.clock))
  })
}
