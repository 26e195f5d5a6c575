import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { RepoCtx } from '../../access/context.ts'
import type { LargeFiles } from '../../access/contributions/large-files.ts'
import { contributionsOf } from '../../access/feature.ts'
import { TooLarge } from '../../lib/errors.ts'
import { paddedSize, tarBlockBytes, tarEntries, type TarEntry, withSize } from './tar-entries.ts'
import { type ZipEntry, zipOf } from './zip-writer.ts'

/** The result of filling an archive with large files. */
export interface FillResult {
  /** Large files that are not stored; their pointers stay. */
  missing: number
}

/** Limits of large files in an archive, in total and repeated. */
export interface FillLimits {
  readonly maxBytes: number
  readonly maxRepeatedBytes: number
}

/** An entry with the content that replaces its own. */
interface FilledEntry {
  readonly entry: TarEntry
  readonly sizeBytes: number
  readonly content: AsyncIterable<Buffer>
}

/**
 * Streams git's archive with large files in place of their pointers. Only the directory of a ZIP archive is held in
 * memory.
 * @param filling receives the number of missing files
 */
export function filledArchive(
  ctx: RepoCtx,
  tar: Readable,
  format: 'zip' | 'tar.gz',
  limits: FillLimits,
  filling: FillResult,
): Readable {
  const entries = filledEntries(ctx, tar, limits, filling)
  if (format === 'zip') return Readable.from(zipOf(zipEntries(entries)), { objectMode: false })
  const packing = createGzip()
  const source = Readable.from(tarOf(entries), { objectMode: false })
  source.on('error', (error) => packing.destroy(error))
  packing.on('close', () => source.destroy())
  return source.pipe(packing)
}

async function* filledEntries(
  ctx: RepoCtx,
  tar: Readable,
  { maxBytes, maxRepeatedBytes }: FillLimits,
  filling: FillResult,
): AsyncGenerator<FilledEntry> {
  const { largeFiles } = contributionsOf(ctx)
  const seen = new Set<string>()
  let [bytes, repeatedBytes] = [0, 0]
  for await (const entry of tarEntries(tar)) {
    const mayPoint =
      entry.kind === 'file' && entry.sizeBytes > 0 && entry.sizeBytes <= (largeFiles?.maxPointerBytes ?? 0)
    if (!mayPoint || largeFiles === undefined) {
      yield { entry, sizeBytes: entry.sizeBytes, content: entry.content }
      continue
    }
    const parts: Buffer[] = []
    for await (const piece of entry.content) parts.push(piece)
    const small = Buffer.concat(parts)
    const isPointer = largeFiles.isPointer(small)
    const large = isPointer ? await largeFiles.find(ctx, small) : undefined
    if (isPointer && !large) filling.missing += 1
    if (!large) {
      yield { entry, sizeBytes: small.length, content: wholly(small) }
      continue
    }
    bytes += large.sizeBytes
    if (seen.has(large.id)) repeatedBytes += large.sizeBytes
    seen.add(large.id)
    if (bytes > maxBytes || repeatedBytes > maxRepeatedBytes) {
      throw new TooLarge('the large files of the archive come to too much', 'tree_too_large', { maxBytes })
    }
    yield { entry, sizeBytes: large.sizeBytes, content: contentOf(large.content) }
  }
}

type LargeContent = NonNullable<Awaited<ReturnType<LargeFiles['find']>>>['content']

async function* wholly(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

async function* contentOf(content: LargeContent): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(content)) yield content
  else yield* (await content.open()) as AsyncIterable<Buffer>
}

async function* tarOf(entries: AsyncIterable<FilledEntry>): AsyncGenerator<Buffer> {
  let written = 0
  for await (const { entry, sizeBytes, content } of entries) {
    const header = sizeBytes === entry.sizeBytes ? entry.header : withSize(entry.header, sizeBytes)
    if (!header) throw new TooLarge('a large file does not fit into the archive', 'tree_too_large')
    if (entry.before.length > 0) yield entry.before
    yield header
    yield* content
    const padding = paddedSize(sizeBytes) - sizeBytes
    if (padding > 0) yield Buffer.alloc(padding)
    written += entry.before.length + header.length + paddedSize(sizeBytes)
  }
  // Two empty blocks end the archive, padded to a tape record.
  const recordBytes = 20 * tarBlockBytes
  const endBytes = 2 * tarBlockBytes
  yield Buffer.alloc(endBytes + ((recordBytes - ((written + endBytes) % recordBytes)) % recordBytes))
}

/** Unix file types. */
const unixKinds = { file: 0o100000, folder: 0o40000, link: 0o120000 } as const

async function* zipEntries(entries: AsyncIterable<FilledEntry>): AsyncGenerator<ZipEntry> {
  for await (const { entry, content } of entries) {
    const { kind, path, mode, modifiedUnix, target } = entry
    if (kind === 'about-all') continue
    const rights = kind === 'link' ? 0o777 : mode & 0o777
    yield {
      ...{ path, modifiedUnix, mode: unixKinds[kind] | rights },
      content: kind === 'link' ? wholly(Buffer.from(target)) : content,
    }
  }
}
