import { Readable } from 'node:stream'
import { serveThread } from '../../lib/thread-port.ts'
import type { ArchiveAnswer, ArchiveJob, FindJob } from './archive-job.ts'
import { packBzip2 } from './pack-bzip2.ts'
import { FileTooLarge, readTarStream, type TarFile } from './tar-stream.ts'
import { unpackBzip2 } from './unpack-bzip2.ts'
import { XzReadableStream } from './xz.ts'

/** Yields parts up to a total size. */
async function* bounded(parts: Iterable<Buffer> | AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const part of parts) {
    size += part.length
    if (size > maxBytes) return
    yield Buffer.from(part)
  }
}

function unpack({ format, packed }: FindJob): Iterable<Buffer> | AsyncIterable<Uint8Array> {
  if (format === 'bzip2') return unpackBzip2(packed)
  return Readable.fromWeb(new XzReadableStream(Readable.toWeb(Readable.from([packed])) as never) as never)
}

async function find(job: FindJob): Promise<ArchiveAnswer> {
  const found: TarFile[] = []
  try {
    await readTarStream(Readable.from(bounded(unpack(job), job.maxUnpackedBytes)), job.wanted, found)
  } catch (error) {
    if (error instanceof FileTooLarge) return { isTooLarge: true }
    // The job has only the beginning of the archive, so the end may be missing. The files before it are the result.
  }
  return { found }
}

serveThread(async (job: ArchiveJob): Promise<ArchiveAnswer> =>
  job.kind === 'pack' ? { content: packBzip2(job.content) } : find(job),
)
