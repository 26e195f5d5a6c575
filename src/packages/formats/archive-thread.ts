import { ownService } from '../../access/own-service.ts'
import type { Ctx } from '../../access/context.ts'
import { createOwnThread, ThreadOverrun } from '../../lib/own-thread.ts'
import type { ArchiveAnswer, ArchiveJob, FindJob, FoundFile, WantedFiles } from './archive-job.ts'
import { brokenArchive, firstBytes, type StoredArchive } from './stored-archive.ts'
import type { TarFile } from './tar-stream.ts'

/** The thread that packs bzip2 and unpacks bzip2 and xz. */
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

/** Sizes of the beginning to search, one after the other. Descriptions are usually in the first megabyte. */
const looks = [1 << 20, 32 << 20]
const maxUnpackedBytes = 128 << 20

/**
 * Finds files in a tar archive that is packed with bzip2 or xz.
 * @throws BadRequest for a file over its limit, and for an archive that takes too long
 */
export async function findInPacked(
  ctx: Pick<Ctx, 'budget' | 'claim' | 'own'>,
  archive: StoredArchive,
  format: FindJob['format'],
  wanted: WantedFiles,
): Promise<readonly TarFile[]> {
  let found: readonly FoundFile[] = []
  for (const [index, bytes] of looks.entries()) {
    if (index > 0 && archive.sizeBytes <= (looks[index - 1] ?? 0)) break
    const packed = await firstBytes(archive, bytes)
    const answer = await archiveThread
      .of(ctx)
      .ask({ kind: 'find', format, packed, wanted, maxUnpackedBytes }, ctx)
      .catch((error: unknown) => {
        throw error instanceof ThreadOverrun ? brokenArchive('takes too long to unpack') : error
      })
    if (answer.isTooLarge) throw brokenArchive('has a description that is too large')
    found = answer.found ?? []
    if (found.length >= wanted.count) break
  }
  return found.map(({ name, content }) => ({ name, content: Buffer.from(content) }))
}

export async function bzip2(ctx: Pick<Ctx, 'budget' | 'claim' | 'own'>, content: Buffer): Promise<Buffer> {
  const { content: packed } = await archiveThread.of(ctx).ask({ kind: 'pack', content }, ctx)
  if (!packed) throw new Error('the thread of archives packed nothing')
  return Buffer.from(packed)
}
