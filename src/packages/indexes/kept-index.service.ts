import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { PackageIndexPartRow } from '../../db/tables/packages.ts'
import type { PackageFileId } from '../../lib/ids.ts'
import { listDescribedFiles, type DescribedFile } from '../catalog/catalog.store.ts'
import { joinPieces, packPiece } from '../formats/joined-gzip.ts'
import { divided } from './index-part.rules.ts'
import { deleteIndexParts, holdFiles, listIndexParts, putIndexParts } from './index-part.store.ts'

/** Parts that are read at once, and files of which parts are made at once. */
const partsAtOnce = 1000
const filesAtOnce = 256

/** Bytes that are hashed before others have their turn. */
const hashedAtOnce = 512 << 10

/** An index of files of a registry: what stands in it, one entry for each file, in the order in which they came. */
export interface IndexPlan {
  /**
   * Tells it from others that begin with the same file. It says which form the entries have, too: with another form comes
   * another name, since what is kept is looked at no more.
   */
  readonly name: string
  /** In their order. */
  readonly fileIds: readonly PackageFileId[]
  readonly entry: (file: DescribedFile) => string | Buffer
}

/** Some entries of an index: packed, and how many bytes they are unpacked. */
type IndexPart = Pick<PackageIndexPartRow, 'packed' | 'size_bytes'>

const digestOf = (ids: readonly PackageFileId[]): string => createHash('sha256').update(ids.join(' ')).digest('base64')

/**
 * The parts of an index, each kept until one of its files goes or another one comes to it: only those are made anew. What is
 * kept counts by the files that it was made of, so that it is right whoever changed these, and whenever.
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

/** Parts that are to be made, as many at a time as there are few files in them. */
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
    // A file may have gone meanwhile; its part goes with it.
    const there = await holdFiles(
      tx,
      parts.map((part) => part.file_id),
    )
    const kept = parts.filter((part) => there.has(part.file_id))
    if (kept.length > 0) await putIndexParts(tx, kept)
    const others = made.flatMap(({ ids }) => ids.slice(1))
    if (others.length > 0) await deleteIndexParts(tx, name, others)
  })

/** Digests of a file, by the names that `node:crypto` has for them, and its size. */
export interface Sums {
  readonly sizeBytes: number
  readonly digests: Readonly<Record<string, string>>
}

/** Digests of some bytes; a long way between others' work. */
export async function sumsOf(content: Buffer, algorithms: readonly string[]): Promise<Sums> {
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

/** An index as it is served. Its content is not kept beside what is packed: `unpackJoined` gives it. */
export interface KeptIndex {
  readonly packed: Buffer
  readonly plain: Sums
  readonly gz: Sums
}

/**
 * An index, of which as little is made anew as has changed.
 * @param frame what stands before and after the entries, when it is known how many bytes these are
 */
export async function getKeptIndex(
  ctx: Pick<Ctx, 'db'>,
  plan: IndexPlan,
  algorithms: readonly string[],
  frame?: (sizeBytes: number) => { readonly head: string | Buffer; readonly tail: string | Buffer },
): Promise<KeptIndex> {
  const parts = await getParts(ctx, plan)
  const sizeBytes = parts.reduce((sum, part) => sum + part.size_bytes, 0)
  const { head = '', tail = '' } = frame?.(sizeBytes) ?? {}
  const framed = [Buffer.from(head), Buffer.from(tail)] as const
  const [first, last] = await Promise.all(framed.map(packPiece))
  const pieces = [first as Buffer, ...parts.map(({ packed }) => packed), last as Buffer]
  const { packed, content } = await joinPieces(pieces, sizeBytes + framed[0].length + framed[1].length)
  return { packed, plain: await sumsOf(content, algorithms), gz: await sumsOf(packed, algorithms) }
}
