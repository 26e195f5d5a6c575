import { Readable } from 'node:stream'
import { serveThread } from '../../lib/thread-port.ts'
import type { ArchiveAnswer, ArchiveJob } from './archive-job.ts'
import { packBzip2, unpackBzip2 } from './bzip2.ts'
import { oneIsEnough, readTarStream } from './tar.ts'

/** At most so many of the bytes of some parts. */
function* within(parts: Iterable<Buffer>, maxBytes: number): Generator<Buffer> {
  let size = 0
  for (const part of parts) {
    size += part.length
    if (size > maxBytes) return
    yield part
  }
}

/** The thread that packs and unpacks by bzip2, which takes long and has no part in Node. */
serveThread(async (job: ArchiveJob): Promise<ArchiveAnswer> => {
  if (job.kind === 'pack') return { content: packBzip2(job.content) }
  const parts = Readable.from(within(unpackBzip2(job.packed), job.maxUnpackedBytes))
  const wanted = (name: string) => (name === job.name ? job.maxBytes : undefined)
  try {
    const [found] = await readTarStream(parts, wanted, oneIsEnough)
    return found ? { content: found.content } : {}
  } catch {
    // Half an archive ends too early, and a broken one is none: either way the file was not found.
    return {}
  }
})
