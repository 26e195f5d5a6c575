import { statfs } from 'node:fs/promises'
import type { Services } from '../access/context.ts'
import { fullDisk } from '../lib/full-disk.ts'
import { countPeople } from '../users/user.store.ts'

/**
 * Resolves when the database answers and the disks have room.
 * @throws Unavailable when a disk is full
 */
export async function checkHealth(services: Services): Promise<void> {
  const { paths, ingot } = services.config
  await Promise.all([
    countPeople(services.db),
    ...[paths.data, paths.repositories].map(async (folder) => {
      const { bavail, bsize } = await statfs(folder)
      if (bavail * bsize < ingot.minFreeSpace) throw fullDisk()
    }),
  ])
}
