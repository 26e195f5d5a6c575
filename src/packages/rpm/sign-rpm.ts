import { Readable } from 'node:stream'
import type { SubjectCtx } from '../../access/context.ts'
import type { ReadRpm } from '../formats/rpm.ts'
import { binaryEntry, writeHeader } from '../formats/rpm-header.ts'
import type { StoredArchive } from '../formats/stored-archive.ts'
import { signBytes } from '../indexes/signing.service.ts'

const leadBytes = 96
/** Tags of signatures, and of the space reserved for them. */
const signatureTags = new Set([267, 268, 1002, 1005, 1008])
const rsaHeaderTag = 268
const signatureRegion = 62

/** Returns a package with a signature by the owner's key instead of its own, and the new offsets of its header. */
export async function signedRpm(
  ctx: SubjectCtx,
  archive: StoredArchive,
  { signatures, headerContent, start }: ReadRpm,
): Promise<{ readonly content: Readable; readonly header: readonly [number, number] }> {
  const others = [...signatures.values()].filter(({ tag }) => !signatureTags.has(tag))
  const signature = binaryEntry(rsaHeaderTag, await signBytes(ctx, 'rpm', headerContent))
  const header = writeHeader([...others, signature], signatureRegion)
  const padding = Buffer.alloc((8 - (header.length % 8)) % 8)
  const newStart = leadBytes + header.length + padding.length
  async function* parts() {
    yield* await archive.open({ start: 0, end: leadBytes - 1 })
    yield header
    yield padding
    yield* await archive.open({ start, end: archive.sizeBytes - 1 })
  }
  return { content: Readable.from(parts()), header: [newStart, newStart + headerContent.length] }
}
