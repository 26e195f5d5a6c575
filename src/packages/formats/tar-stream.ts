import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { extract } from 'tar-stream'
import type { WantedFiles } from './archive-job.ts'

/** Largest number of entries in an archive. */
const maxEntries = 100_000

/** Number of entries that are read in one turn of the event loop. */
const entriesPerTurn = 200

export interface TarFile {
  readonly name: string
  readonly content: Buffer
}

export class TooManyEntries extends Error {}

export class FileTooLarge extends Error {}

/**
 * Reads the wanted files of an unpacked tar stream, and destroys the stream.
 * @param found receives each file, also when the stream fails later
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
      // Small entries of one chunk arrive in microtasks, which would block the event loop.
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
