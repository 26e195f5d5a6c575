import { Readable } from 'node:stream'
import { readParagraph } from '../formats/control-file.rules.ts'
import { brokenArchive, firstBytes, wholeOf, type StoredArchive } from '../formats/stored-archive.ts'
import { oneIsEnough, readTarStream, unpacked } from '../formats/tar.ts'
import { debOf } from './debian.rules.ts'

/** Largest packed description with its scripts, and largest description, in bytes. */
const maxControlBytes = 16 << 20
const maxDescriptionBytes = 1 << 20
/** Most bytes of the archive with the description, in which scripts may come before it. */
const maxUnpackedBytes = 64 << 20
/** Most members that come before the description. */
const maxMembers = 4

const magic = '!<arch>\n'
const headerBytes = 60

/** Where the archive with the description lies inside of a package. */
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
  throw brokenArchive('holds no description')
}

/** What the description inside of a Debian package says. Throws `BadRequest`. */
export async function readDeb(archive: StoredArchive) {
  const { start, sizeBytes } = await findControl(archive)
  if (sizeBytes > maxControlBytes || sizeBytes === 0) throw brokenArchive('holds a description that is too large')
  const packed = await wholeOf(await archive.open({ start, end: start + sizeBytes - 1 }), maxControlBytes)
  const wanted = (name: string) => (name === 'control' ? maxDescriptionBytes : undefined)
  const content = await unpacked(Readable.from([packed]), packed.subarray(0, 6), maxUnpackedBytes)
  const [found] = await readTarStream(content, wanted, oneIsEnough)
  if (!found) throw brokenArchive('holds no description')
  const text = found.content.toString('utf8')
  return debOf(readParagraph(text), text)
}
