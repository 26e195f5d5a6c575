import { Readable, Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { Ctx } from '../../access/context.ts'
import type { WantedFiles } from './archive-job.ts'
import { findInPacked } from './archive-thread.ts'
import { brokenArchive, firstBytes, reading, type StoredArchive } from './stored-archive.ts'
import { FileTooLarge, readTarStream, TooManyEntries, type TarFile } from './tar-stream.ts'

/** Largest unpacked size in bytes; a small archive may unpack to terabytes. */
const maxUnpackedBytes = 1 << 30

const startsWith = (head: Buffer, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => head[index] === byte)

/** Returns the native unpacker for an archive that begins with `head`; undefined for an unpacked one. */
function unpackerFor(head: Buffer): Transform | undefined {
  if (startsWith(head, 0x1f, 0x8b)) return createGunzip()
  if (startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)) return createZstdDecompress()
  return undefined
}

function unpacked(content: Readable, head: Buffer, maxBytes: number): Readable {
  const bounded = bound(maxBytes)
  const through = unpackerFor(head)
  content.on('error', (error) => (through ?? bounded).destroy(error))
  bounded.on('close', () => content.destroy())
  if (!through) return content.pipe(bounded)
  through.on('error', (error) => bounded.destroy(error))
  bounded.on('close', () => through.destroy())
  return content.pipe(through).pipe(bounded)
}

function bound(maxBytes: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) done(brokenArchive('is too large when unpacked'))
      else done(null, chunk)
    },
  })
}

/**
 * Returns the wanted files of a stored tar archive, which may be packed with gzip, zstd or xz.
 * @throws BadRequest for a broken archive and for a file or archive over a limit
 */
export function readTar(
  ctx: Pick<Ctx, 'budget' | 'claim' | 'own'>,
  archive: StoredArchive,
  wanted: WantedFiles,
  maxBytes = maxUnpackedBytes,
): Promise<readonly TarFile[]> {
  return reading(async () => {
    const head = await firstBytes(archive, 6)
    // Node has no native unpacker for xz; the one in WebAssembly would block the event loop.
    if (startsWith(head, 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)) return findInPacked(ctx, archive, 'xz', wanted)
    return filesOf(unpacked(await archive.open(), head, maxBytes), wanted)
  })
}

/** Like `readTar`, for an archive in memory that is packed with gzip or zstd or not at all. */
export const readTarBytes = (content: Buffer, wanted: WantedFiles, maxBytes: number): Promise<readonly TarFile[]> =>
  reading(() => filesOf(unpacked(Readable.from([content]), content, maxBytes), wanted))

async function filesOf(content: Readable, wanted: WantedFiles): Promise<readonly TarFile[]> {
  const found: TarFile[] = []
  try {
    await readTarStream(content, wanted, found)
  } catch (error) {
    if (error instanceof TooManyEntries) throw brokenArchive('has too many files')
    if (error instanceof FileTooLarge) throw brokenArchive('has a description that is too large')
    throw error
  }
  return found
}
