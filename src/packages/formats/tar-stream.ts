import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { extract } from 'tar-stream'
import type { WantedFiles } from './archive-job.ts'

/** Largest number of entries of an archive that are read. */
const maxEntries = 100_000

/** Number of entries after which other work of the thread has its turn. */
const entriesPerTurn = 200

/** A file of a tar archive. */
export interface TarFile {
  readonly name: string
  readonly content: Buffer
}

/** An archive has more entries than are read. */
export class TooManyEntries extends Error {}

/** A wanted file is larger than its limit. */
export class FileTooLarge extends Error {}

/**
 * Reads the wanted files of a tar stream that is unpacked, and destroys the stream.
 * @param found gets each file; it has what was read also when the stream breaks
 * @throws TooManyEntries, FileTooLarge, and the error of the stream
 */
export async function readTarStream(content: Readable, wanted: WantedFiles, found: TarFile[]): Promise<void> {
  const tar = extract()
  content.on('error', (error) => tar.destroy(error))
  content.pipe(tar)
  let entries = 0
  try {
    for await (const entry of tar) {
      if (++entries > maxEntries) throw new TooManyEntries()
      // Small entries of one chunk follow each other in microtasks, which would keep everything else waiting.
      if (entries % entriesPerTurn === 0) await setImmediate()
      const name = entry.header.name.replace(/^(?:\.\/)+/, '')
      if (entry.header.type !== 'file' || !wanted.name.test(name)) {
        entry.resume()
        continue
      }
      found.push({ name, content: await contentOf(entry, wanted.maxBytes) })
      if (found.length >= wanted.count) break
    }
  } finally {
    content.unpipe(tar)
    content.destroy()
    tar.destroy()
  }
}

async function contentOf(entry: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of entry) {
    size += (chunk as Buffer).length
    if (size > maxBytes) throw new FileTooLarge()
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
