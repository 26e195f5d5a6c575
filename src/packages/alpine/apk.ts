import { createHash } from 'node:crypto'
import { readMember } from '../formats/gzip-members.ts'
import { brokenArchive, firstBytes, reading, type StoredArchive } from '../formats/stored-archive.ts'
import { readTarBytes } from '../formats/tar.ts'
import { apkOf } from './alpine.rules.ts'

/** Largest total packed size of signatures and description, and largest unpacked size of each. */
const maxControlBytes = 4 << 20
const maxUnpackedBytes = 16 << 20
const wanted = { name: /^\.PKGINFO$/, maxBytes: 1 << 20, count: 1 }
/** Largest number of segments before the content. */
const maxParts = 8

/**
 * Reads the description of a package. A package consists of the gzip members signatures, control and content; indexes
 * contain the
 * digest of the control member. Throws `BadRequest`.
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
    throw brokenArchive('has no description')
  })

/** Verifies the digest of the content that the description names. */
async function checkContent(archive: StoredArchive, start: number, expected: string): Promise<void> {
  if (expected === '') return
  const hash = createHash('sha256')
  if (start < archive.sizeBytes) {
    for await (const chunk of await archive.open({ start, end: archive.sizeBytes - 1 })) {
      hash.update(chunk as Buffer)
    }
  }
  if (hash.digest('hex') !== expected) throw brokenArchive('does not have the digest that it names')
}
