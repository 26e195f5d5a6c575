import { ownService } from '../../access/own-service.ts'
import type { Services } from '../../access/context.ts'
import { createOwnThread } from '../../lib/own-thread.ts'
import type { ArchiveAnswer, ArchiveJob } from './archive-job.ts'
import { firstBytes, type StoredArchive } from './stored-archive.ts'

/** Packing and unpacking by bzip2, in a thread of its own. */
export const archiveThread = ownService('the thread of archives', {
  open: () =>
    createOwnThread<ArchiveJob, ArchiveAnswer>({
      name: 'archives',
      file: 'archive-worker.js',
      timeoutMs: 60_000,
      maxQueue: 32,
      idleMs: 30_000,
      maxMemoryMb: 256,
    }),
  close: (thread) => thread.close(),
})

/** How much of an archive is looked at for a file that lies at its beginning, in bytes: little first, and then more. */
const looks = [1 << 20, 32 << 20]
const maxUnpackedBytes = 512 << 20

/** A file of a tar archive that is packed by bzip2; undefined when there is none, or too far in it. */
export async function findInBzip2(
  services: Pick<Services, 'own'>,
  archive: StoredArchive,
  name: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  for (const [index, bytes] of looks.entries()) {
    if (index > 0 && archive.sizeBytes <= (looks[index - 1] ?? 0)) break
    const packed = await firstBytes(archive, bytes)
    const { content } = await archiveThread.of(services).ask({ kind: 'find', packed, name, maxBytes, maxUnpackedBytes })
    if (content) return Buffer.from(content)
  }
  return undefined
}

/** Packs a content by bzip2. */
export async function bzip2(services: Pick<Services, 'own'>, content: Buffer): Promise<Buffer> {
  const { content: packed } = await archiveThread.of(services).ask({ kind: 'pack', content })
  if (!packed) throw new Error('the thread of archives packed nothing')
  return Buffer.from(packed)
}
