import type { Ctx } from '../../access/context.ts'
import { readParagraph } from '../formats/control-file.rules.ts'
import { brokenArchive, firstBytes, partOf, wholeOf, type StoredArchive } from '../formats/stored-archive.ts'
import { readTar } from '../formats/tar.ts'
import { debOf } from './debian.rules.ts'

/** Largest packed archive of description and scripts, in bytes. */
const maxControlBytes = 16 << 20
const wanted = { name: /^control$/, maxBytes: 1 << 20, count: 1 }
/** Largest unpacked size of that archive; scripts may precede the description. */
const maxUnpackedBytes = 64 << 20
/** Largest number of members before that archive. */
const maxMembers = 4

const magic = '!<arch>\n'
const headerBytes = 60

/** Finds the archive with the description in a package. */
async function findControl(archive: StoredArchive): Promise<{ readonly start: number; readonly sizeBytes: number }> {
  if ((await firstBytes(archive, magic.length)).toString('latin1') !== magic) throw brokenArchive('is no package')
  let at = magic.length
  for (let member = 0; member < maxMembers && at + headerBytes <= archive.sizeBytes; member += 1) {
    const header = await wholeOf(await archive.open({ start: at, end: at + headerBytes - 1 }), headerBytes)
    const name = header.toString('latin1', 0, 16).trim().replace(/\/$/, '')
    const sizeBytes = Number(header.toString('latin1', 48, 58).trim())
    const start = at + headerBytes
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0 || start + sizeBytes > archive.sizeBytes) break
    if (/^control\.tar(?:\.(?:gz|xz|zst))?$/.test(name)) return { start, sizeBytes }
    at = start + sizeBytes + (sizeBytes % 2)
  }
  throw brokenArchive('has no description')
}

/** Reads the description of a Debian package. Throws `BadRequest`. */
export async function readDeb(services: Pick<Ctx, 'budget' | 'claim' | 'own'>, archive: StoredArchive) {
  const { start, sizeBytes } = await findControl(archive)
  if (sizeBytes > maxControlBytes || sizeBytes === 0) throw brokenArchive('has a description that is too large')
  const [found] = await readTar(services, partOf(archive, start, sizeBytes), wanted, maxUnpackedBytes)
  if (!found) throw brokenArchive('has no description')
  const text = found.content.toString('utf8')
  return debOf(readParagraph(text), text)
}
