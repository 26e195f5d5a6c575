import { Readable, Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { extract } from 'tar-stream'
import { brokenArchive, firstBytes, reading, wholeOf, type StoredArchive } from './stored-archive.ts'

/** Most bytes of an archive that are unpacked to find something in it; a small one may hold a great deal of nothing. */
const maxUnpackedBytes = 1 << 30
/** Most files of an archive that are looked at. */
const maxEntries = 100_000

/** Takes a stream apart that was packed by one of the usual ways; which one its first bytes say. */
export async function unpacked(content: Readable, head: Buffer, maxBytes = maxUnpackedBytes): Promise<Readable> {
  const bounded = bound(maxBytes)
  if (startsWith(head, 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)) {
    const { XzReadableStream } = await import('./xz.ts')
    const unpacking = Readable.fromWeb(new XzReadableStream(Readable.toWeb(content) as never) as never)
    unpacking.on('error', (error) => bounded.destroy(error))
    bounded.on('close', () => unpacking.destroy())
    return unpacking.pipe(bounded)
  }
  const through = unpackerFor(head)
  content.on('error', (error) => (through ?? bounded).destroy(error))
  bounded.on('close', () => content.destroy())
  if (!through) return content.pipe(bounded)
  through.on('error', (error) => bounded.destroy(error))
  bounded.on('close', () => through.destroy())
  return content.pipe(through).pipe(bounded)
}

const startsWith = (head: Buffer, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => head[index] === byte)

function unpackerFor(head: Buffer): Transform | undefined {
  if (startsWith(head, 0x1f, 0x8b)) return createGunzip()
  if (startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)) return createZstdDecompress()
  return undefined
}

function bound(maxBytes: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) done(brokenArchive('unpacks to too much'))
      else done(null, chunk)
    },
  })
}

/** A file that was looked for in a tar archive. */
export interface TarFile {
  readonly name: string
  readonly content: Buffer
}

/**
 * Takes some files out of a tar archive, packed or not. Throws `BadRequest` for what is none, and for a wanted file of more
 * than its size.
 * @param wanted the largest size of a file that is wanted, in bytes; undefined for others. Names begin without `./`
 * @param isEnough says that the rest need not be read
 */
export function readTar(
  archive: StoredArchive,
  wanted: (name: string) => number | undefined,
  isEnough: (found: readonly TarFile[]) => boolean,
): Promise<readonly TarFile[]> {
  return reading(async () => {
    const head = await firstBytes(archive, 512)
    return readTarStream(await unpacked(await archive.open(), head), wanted, isEnough)
  })
}

/** The same of a tar stream that is unpacked. It is destroyed in the end. */
export function readTarStream(
  content: Readable,
  wanted: (name: string) => number | undefined,
  isEnough: (found: readonly TarFile[]) => boolean,
  each?: (name: string, sizeBytes: number) => void,
): Promise<readonly TarFile[]> {
  return reading(async () => {
    const tar = extract()
    content.on('error', (error) => tar.destroy(error))
    content.pipe(tar)
    const found: TarFile[] = []
    let entries = 0
    try {
      for await (const entry of tar) {
        entries += 1
        if (entries > maxEntries) throw brokenArchive('has too many files')
        const name = entry.header.name.replace(/^(?:\.\/)+/, '')
        each?.(name, entry.header.size ?? 0)
        const maxBytes = entry.header.type === 'file' ? wanted(name) : undefined
        if (maxBytes === undefined) {
          entry.resume()
          continue
        }
        found.push({ name, content: await wholeOf(entry, maxBytes) })
        if (isEnough(found)) break
      }
    } finally {
      content.unpipe(tar)
      content.destroy()
      tar.destroy()
    }
    return found
  })
}

/** For looking for one file. */
export const oneIsEnough = (found: readonly TarFile[]): boolean => found.length > 0
