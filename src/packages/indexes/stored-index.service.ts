import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { PackageIndexPartRow } from '../../db/tables/packages.ts'
import { pluck } from '../../lib/pluck.ts'
import type { PackageFileId } from '../../lib/ids.ts'
import { listDescribedFiles, type FileWithMetadata } from '../catalog/catalog.store.ts'
import { joinPieces, packPiece } from '../formats/joined-gzip.ts'
import { divided } from './index-part.rules.ts'
import { deleteIndexParts, lockFiles, listIndexParts, putIndexParts } from './index-part.store.ts'

/** Number of parts that are read at once, and of files whose entries are made at once. */
const partsAtOnce = 1000
const filesAtOnce = 256

/** Number of bytes that are hashed in one turn of the event loop. */
const hashedAtOnce = 512 << 10

/** An index with one entry per file, in the order of publication. */
export interface IndexPlan {
  /**
   * Distinguishes indexes that begin with the same file. A change of the entries' form needs a new name, because stored
   * parts are
   * not compared with `entry`.
   */
  readonly name: string
  readonly fileIds: readonly PackageFileId[]
  readonly entry: (file: FileWithMetadata) => string | Buffer
}

/** Packed entries and their unpacked size. */
type IndexPart = Pick<PackageIndexPartRow, 'packed' | 'size_bytes'>

const digestOf = (ids: readonly PackageFileId[]): string => createHash('sha256').update(ids.join(' ')).digest('base64')

/**
 * Returns the parts of an index. A part is stored with a digest of its files' ids and made again when these differ, so
 * a stored
 * part is right whichever process changed the files.
 */
async function getParts({ db }: Pick<Ctx, 'db'>, { name, fileIds, entry }: IndexPlan): Promise<IndexPart[]> {
  const wanted = divided(fileIds).map((ids) => ({ ids, members: digestOf(ids) }))
  const kept = new Map<PackageFileId, PackageIndexPartRow>()
  for (let at = 0; at < wanted.length; at += partsAtOnce) {
    const heads = wanted.slice(at, at + partsAtOnce).flatMap(({ ids }) => ids.slice(0, 1))
    for (const part of await listIndexParts(db, name, heads)) kept.set(part.file_id, part)
  }
  const missing = wanted.filter(({ ids: [head], members }) => kept.get(head as PackageFileId)?.members !== members)
  for (const some of inGroups(missing)) {
    const files = new Map(
      (
        await listDescribedFiles(
          db,
          some.flatMap(({ ids }) => ids),
        )
      ).map((file) => [file.id, file]),
    )
    const made = await Promise.all(
      some.map(async ({ ids, members }): Promise<PackageIndexPartRow> => {
        const content = Buffer.concat(
          ids.flatMap((id) => {
            const file = files.get(id)
            return file ? [Buffer.from(entry(file))] : []
          }),
        )
        const packed = await packPiece(content)
        return { file_id: ids[0] as PackageFileId, name, members, size_bytes: content.length, packed }
      }),
    )
    await keep(db, name, made, some)
    for (const part of made) kept.set(part.file_id, part)
  }
  return wanted.map(({ ids: [head] }) => kept.get(head as PackageFileId) as PackageIndexPartRow)
}

/** Groups missing parts so that each group has at most `filesAtOnce` files. */
function inGroups<Part extends { readonly ids: readonly PackageFileId[] }>(parts: readonly Part[]): Part[][] {
  const groups: Part[][] = []
  let files = filesAtOnce
  for (const part of parts) {
    if (files + part.ids.length > filesAtOnce) {
      groups.push([])
      files = 0
    }
    groups.at(-1)?.push(part)
    files += part.ids.length
  }
  return groups
}

const keep = (
  db: Ctx['db'],
  name: string,
  parts: readonly PackageIndexPartRow[],
  made: readonly { readonly ids: readonly PackageFileId[] }[],
): Promise<void> =>
  transaction(db, async (tx) => {
    // A part is deleted with its first file, which may be gone already.
    const there = await lockFiles(tx, pluck(parts, 'file_id'))
    const kept = parts.filter((part) => there.has(part.file_id))
    if (kept.length > 0) await putIndexParts(tx, kept)
    const others = made.flatMap(({ ids }) => ids.slice(1))
    if (others.length > 0) await deleteIndexParts(tx, name, others)
  })

/** The size of a file and its digests by their `node:crypto` names. */
export interface Checksums {
  readonly sizeBytes: number
  readonly digests: Readonly<Record<string, string>>
}

/** Computes digests and yields to the event loop between chunks. */
export async function checksumsOf(content: Buffer, algorithms: readonly string[]): Promise<Checksums> {
  const hashes = algorithms.map((algorithm) => [algorithm, createHash(algorithm)] as const)
  for (let at = 0; at < content.length; at += hashedAtOnce) {
    if (at > 0) await setImmediate()
    for (const [, hash] of hashes) hash.update(content.subarray(at, at + hashedAtOnce))
  }
  return {
    sizeBytes: content.length,
    digests: Object.fromEntries(hashes.map(([algorithm, hash]) => [algorithm, hash.digest('hex')])),
  }
}

/** A packed index and the checksums of both forms; `unpackJoined` returns the unpacked form. */
export interface StoredIndex {
  readonly packed: Buffer
  readonly plain: Checksums
  readonly gz: Checksums
}

/**
 * Returns an index and makes only its changed parts.
 * @param frame returns the text before and after the entries, given the size of the entries
 */
export async function getStoredIndex(
  ctx: Pick<Ctx, 'db'>,
  plan: IndexPlan,
  algorithms: readonly string[],
  frame?: (sizeBytes: number) => { readonly head: string | Buffer; readonly tail: string | Buffer },
): Promise<StoredIndex> {
  const parts = await getParts(ctx, plan)
  const sizeBytes = parts.reduce((sum, part) => sum + part.size_bytes, 0)
  const { head = '', tail = '' } = frame?.(sizeBytes) ?? {}
  const framed = [Buffer.from(head), Buffer.from(tail)] as const
  const [first, last] = await Promise.all(framed.map(packPiece))
  const pieces = [first as Buffer, ...parts.map(({ packed }) => packed), last as Buffer]
  const { packed, content } = await joinPieces(pieces, sizeBytes + framed[0].length + framed[1].length)
  return { packed, plain: await checksumsOf(content, algorithms), gz: await checksumsOf(packed, algorithms) }
}
