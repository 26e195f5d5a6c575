import { Readable } from 'node:stream'
import { ByteReader } from '../../lib/byte-reader.ts'
import { BadRequest } from '../../lib/errors.ts'
import { parsePackageJson } from '../registry/json-text.rules.ts'

/** Largest description of a crate, in bytes. */
const maxJsonBytes = 2 << 20

const cutShort = () => new BadRequest('the body ends early', 'body_incomplete')
const broken = () => new BadRequest('the body is not one of cargo publish', 'cargo_body_invalid')

/**
 * Parses the body of `cargo publish`: length of the description, JSON description, length of the archive, archive.
 * Throws
 * `BadRequest`, also from the archive's stream when its length is wrong.
 */
export async function readPublishBody(body: Readable): Promise<{
  readonly description: unknown
  readonly sizeBytes: number
  readonly archive: Readable
}> {
  const bytes = new ByteReader(body, cutShort)
  const jsonBytes = (await bytes.take(4)).readUInt32LE()
  if (jsonBytes > maxJsonBytes) throw broken()
  const text = (await bytes.take(jsonBytes)).toString('utf8')
  const sizeBytes = (await bytes.take(4)).readUInt32LE()
  const description = parsePackageJson(text, 'cargo_body_invalid')
  async function* rest() {
    yield* bytes.pieces(sizeBytes)
    if (!(await bytes.atEnd())) throw broken()
  }
  return { description, sizeBytes, archive: Readable.from(rest()) }
}
