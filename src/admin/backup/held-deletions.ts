import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { storageKinds, type StorageKind } from '../../config/storage-settings.ts'
import { transaction, type Db } from '../../db/database.ts'
import { isGitKey, type GitKey } from '../../git/git-key.ts'
import { job } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { Blobs } from '../../storage/blobs.ts'
import { pinLeaseMs } from './pin.service.ts'
import { isPinned } from './pin.store.ts'

/** What a backup pins: a kind of stored files, packs in a storage, or repositories on the disk. */
type Place = StorageKind | 'packs' | 'repositories'

/** Deletes a file or repository that a backup pinned, when it is no longer pinned. */
export const deleteUnpinned = job({
  name: 'deleteUnpinned',
  input: Type.Object({ place: Type.Unsafe<Place>(Type.String()), key: Type.String() }),
  priority: 'low',
  merge: ({ place, key }) => `${place} ${key}`,
  async run({ git, packs, blobs }: Services, { place, key }) {
    if (place === 'repositories') {
      if (isGitKey(key)) await git.remove(key)
    } else if (place === 'packs') await packs?.delete(key)
    else await blobs[place].delete(key)
  },
})

type Stored = Pick<Services, 'git' | 'packs' | 'blobs'>

/**
 * Returns the stores and the git layer of an application with deletions that wait while a backup is being made. A deletion
 * follows the commit that removed its row, and a backup reads its rows after the commit of its pin. So a deletion of what the
 * rows of a backup name finds the pin. Archives are not in backups, and are made again under the same key.
 */
export function holdDeletions(db: Db, { git, packs, blobs }: Stored): Stored {
  const held =
    (place: Place, remove: (key: string) => Promise<void>) =>
    async (key: string): Promise<void> => {
      if (!(await isPinned(db))) return remove(key)
      await transaction(db, (tx) => enqueue(tx, deleteUnpinned, { place, key }, { delayMs: pinLeaseMs }))
    }
  const holding = (store: Blobs, place: StorageKind | 'packs'): Blobs => {
    const remove = store.delete.bind(store)
    store.delete = held(place, remove)
    return store
  }
  for (const kind of storageKinds) if (kind !== 'repoArchive') holding(blobs[kind], kind)
  if (packs) return { git, packs: holding(packs, 'packs'), blobs }
  const remove = held('repositories', (key) => git.remove(key as GitKey))
  return { git: { ...git, remove }, packs, blobs }
}
