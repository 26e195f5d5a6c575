import { Readable } from 'node:stream'
import { serveThread } from '../../lib/thread-port.ts'
import type { ArchiveAnswer, ArchiveJob, FindJob } from './archive-job.ts'
import { packBzip2, unpackBzip2 } from './bzip2.ts'
import { FileTooLarge, readTarStream, type TarFile } from './tar-stream.ts'
import { XzReadableStream } from './xz.ts'

/** The bytes of some parts, up to a limit. */
async function* within(parts: Iterable<Buffer> | AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer> {
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
  const { wanted, maxUnpackedBytes } = job
  const found: TarFile[] = []
  try {
    await readTarStream(Readable.from(within(unpack(job), maxUnpackedBytes)), wanted, found)
  } catch (error) {
    if (error instanceof FileTooLarge) return { isTooLarge: true }
    // Half an archive ends too early, and a broken one is none: what came before is what there is to find.
  }
  return { found }
}

/** Packs and unpacks what Node has no native code for, or what takes the main thread too long. */
serveThread(async (job: ArchiveJob): Promise<ArchiveAnswer> =>
  job.kind === 'pack' ? { content: packBzip2(job.content) } : find(job),
)
