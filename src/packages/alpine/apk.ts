import { createHash } from 'node:crypto'
import { readMember } from '../formats/gzip-members.ts'
import { brokenArchive, firstBytes, reading, type StoredArchive } from '../formats/stored-archive.ts'
import { readTarBytes } from '../formats/tar.ts'
import { apkOf } from './alpine.rules.ts'

/** Most bytes that signatures and description have together, packed, and each of them unpacked. */
const maxControlBytes = 4 << 20
const maxUnpackedBytes = 16 << 20
const wanted = { name: /^\.PKGINFO$/, maxBytes: 1 << 20, count: 1 }
/** Most parts before the content. */
const maxParts = 8

/**
 * What the description inside of a package says. A package is signatures, description and content, packed one after the
 * other; indexes name the digest of the second of them. Throws `BadRequest`.
 */
export const readApk = (archive: StoredArchive) =>
  reading(async () => {
    const bytes = await firstBytes(archive, maxControlBytes)
    let start = 0
    for (let part = 0; part < maxParts; part += 1) {
      const { content, end } = await readMember(bytes, start, maxUnpackedBytes)
      const [found] = await readTarBytes(content, wanted, maxUnpackedBytes)
      if (found) {
        const sha1 = createHash('sha1').update(bytes.subarray(start, end)).digest('base64')
        const apk = apkOf(found.content.toString('utf8'), `Q1${sha1}`)
        await checkContent(archive, end, apk.dataSha256)
        return apk
      }
      start = end
    }
    throw brokenArchive('holds no description')
  })

/** The content has to have the digest that the description names. */
async function checkContent(archive: StoredArchive, start: number, told: string): Promise<void> {
  if (told === '') return
  const hash = createHash('sha256')
  if (start < archive.sizeBytes) {
    for await (const chunk of await archive.open({ start, end: archive.sizeBytes - 1 })) {
      hash.update(chunk as Buffer)
    }
  }
  if (hash.digest('hex') !== told) throw brokenArchive('does not have the digest that it names')
}
