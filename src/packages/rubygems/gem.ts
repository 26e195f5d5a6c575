import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { brokenArchive, reading, wholeOf, type StoredArchive } from '../formats/stored-archive.ts'
import { parseYaml } from '../formats/yaml.ts'
import { gemOf } from './rubygems.rules.ts'

const unpack = promisify(gunzip)

/** Largest packed and unpacked size of the description and the list of digests, in bytes. */
const maxPartBytes = 512 << 10
/** Largest number of members of a gem, which has three and a signature of each. */
const maxEntries = 20

const digests = ['sha256', 'sha512'] as const
const unpacked = async (packed: Buffer): Promise<string> =>
  (await unpack(packed, { maxOutputLength: maxPartBytes })).toString('utf8')

/** Reads the description of a gem and verifies the digests of its members. Throws `BadRequest`. */
export const readGem = (archive: StoredArchive) =>
  reading(async () => {
    const content = await archive.open()
    const tar = extract()
    content.on('error', (error) => tar.destroy(error))
    content.pipe(tar)
    const kept = new Map<string, Buffer>()
    const sums = new Map<string, Record<string, string>>()
    try {
      for await (const entry of tar) {
        const { name } = entry.header
        if (sums.size >= maxEntries || sums.has(name)) throw brokenArchive('has too many files')
        const hashes = digests.map((algorithm) => [algorithm, createHash(algorithm)] as const)
        const isKept = name === 'metadata.gz' || name === 'checksums.yaml.gz'
        if (isKept) {
          const part = await wholeOf(entry, maxPartBytes)
          kept.set(name, part)
          for (const [, hash] of hashes) hash.update(part)
        } else {
          for await (const chunk of entry) {
            for (const [, hash] of hashes) hash.update(chunk as Buffer)
          }
        }
        sums.set(name, Object.fromEntries(hashes.map(([algorithm, hash]) => [algorithm, hash.digest('hex')])))
      }
    } finally {
      content.unpipe(tar)
      content.destroy()
      tar.destroy()
    }
    const description = kept.get('metadata.gz')
    if (!description || !sums.has('data.tar.gz')) throw brokenArchive('is not a gem')
    const expected = kept.get('checksums.yaml.gz')
    if (expected) checkSums(parseYaml(await unpacked(expected), 'failsafe'), sums)
    return gemOf(parseYaml(await unpacked(description), 'failsafe'))
  })

/** Verifies the members of a gem by its SHA-256 and SHA-512 digests. */
function checkSums(expected: unknown, sums: ReadonlyMap<string, Readonly<Record<string, string>>>): void {
  const lists = (typeof expected === 'object' ? expected : undefined) as
    | Readonly<Record<string, unknown>>
    | null
    | undefined
  for (const algorithm of digests) {
    const list = lists?.[algorithm.toUpperCase()] as Readonly<Record<string, unknown>> | null | undefined
    for (const [name, digest] of Object.entries(list ?? {})) {
      if (sums.get(name)?.[algorithm] !== digest) throw brokenArchive('does not match its digests')
    }
  }
}
