import { text } from 'node:stream/consumers'
import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { PackageId } from '../../lib/ids.ts'
import { listFiles } from '../file.store.ts'
import { holdPackage } from '../package.store.ts'
import { contentNameOf, digestOf, parseManifest } from './container.rules.ts'
import { listUnreadIndexes, loadContents, putPartsOf } from './container.store.ts'
import { manifestFile } from './contents.ts'

/** Reads what indexes of images are made of, where an earlier release did not note it. */
export async function readIndexParts({ db, blobs }: Services, packageIds: readonly PackageId[]): Promise<void> {
  for (const { id, packageId } of await listUnreadIndexes(db, packageIds)) {
    const file = (await listFiles(db, id)).find((each) => each.lower_name === manifestFile)
    const stored = file && (await blobs.packages.get(file.blob_key))
    // Without its content nobody gets the index: it needs nothing.
    const parts = stored ? parseManifest(await text(stored.stream), '').parts : []
    await transaction(db, async (tx) => {
      if (!(await holdPackage(tx, packageId))) return
      const names = parts.map(({ digest }) => contentNameOf(digest))
      const known = await loadContents(tx, packageId, names, true)
      const hexes = new Set(parts.flatMap(({ digest }) => known.get(digest)?.sha256 ?? []))
      await putPartsOf(tx, id, packageId, [...hexes].map(digestOf))
    })
  }
}
