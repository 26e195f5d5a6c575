import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { Conflict } from '../../lib/errors.ts'
import { getFilesOfType } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import { listFiles, type FileRecord } from '../content/file.store.ts'
import { archiveIn, brokenArchive, firstBytes, type StoredArchive } from '../formats/stored-archive.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { comparable, noFile } from '../package.rules.ts'
import { getFiles, getNamedFile, getVersion, removeFiles } from '../package.service.ts'
import { findVersion } from '../package.store.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { signBytes } from '../indexes/signing.service.ts'
import {
  anyArch,
  archFileName,
  checkGroup,
  compareArchVersions,
  describePackage,
  isArchive,
  packageOfFileName,
  readPackageInfo,
  type ArchMetadata,
  type ArchPackage,
} from './arch.rules.ts'

const type = 'arch'
const compress = promisify(gzip)

/** A tar archive ends with two empty blocks. */
const endOfArchive = Buffer.alloc(1024)

const wanted = { name: /^\.PKGINFO$/, maxBytes: 1 << 20, count: 1 }

/** Returns the file name extension for the archive's compression. */
async function endingOf(archive: StoredArchive): Promise<string> {
  const head = (await firstBytes(archive, 6)).toString('hex')
  if (head.startsWith('1f8b')) return 'gz'
  if (head.startsWith('28b52ffd')) return 'zst'
  if (head === 'fd377a585a00') return 'xz'
  throw brokenArchive('has an unknown compression')
}

async function readPackage(ctx: PublishCtx, archive: StoredArchive): Promise<ArchPackage> {
  const { readTar } = await import('../formats/tar.ts')
  const [found] = await readTar(ctx, archive, wanted)
  if (!found) throw brokenArchive('has no description')
  return readPackageInfo(found.content.toString('utf8'))
}

/** Publishes a package into a group, with a signature by the owner's key. */
export async function publishArch(ctx: PublishCtx, group: string, incoming: IncomingFile): Promise<void> {
  checkGroup(group)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeArch, async ({ arrived, receive }) => {
    const archive = archiveIn(ctx, arrived)
    const ending = await endingOf(archive)
    const info = await readPackage(ctx, archive)
    const { name, version, architecture } = info
    const fileName = archFileName(info, ending)
    await refuseSame(ctx, group, info)
    const signature = await signBytes(ctx, type, await archive.open())
    const signed = await receive(Readable.from([signature]), Infinity, incoming.signal)
    const description = describePackage(info, {
      fileName,
      sizeBytes: arrived.sizeBytes,
      md5: arrived.digests.md5 ?? '',
      sha256: arrived.sha256,
      signature: signature.toString('base64'),
    })
    const { partOfIndex } = await import('./index-part.ts')
    const metadata: ArchMetadata = { architecture, part: await partOfIndex(info, description) }
    await publishVersion(ctx, {
      type,
      name,
      version,
      metadata: { description: info.fields.get('pkgdesc')?.[0] ?? '' },
      files: [
        { fileName, fileKey: group, isLead: true, content: arrived, metadata },
        { fileName: `${fileName}.sig`, fileKey: group, isLead: false, content: signed },
      ],
    })
  })
}

/** Refuses a package that exists with another compression. */
async function refuseSame({ db, subject }: PublishCtx, group: string, info: ArchPackage): Promise<void> {
  const key = { ownerId: subject.id, type, lowerName: comparable(info.name) }
  const version = await findVersion(db, key, comparable(info.version))
  if (version && filesOf(await listFiles(db, version.id), group, info).length > 0) {
    throw new Conflict('the package exists already', 'package_file_exists')
  }
}

/** Returns the files of a package in a group, with any compression, and its signature. */
const filesOf = (files: readonly FileRecord[], group: string, named: Omit<ArchPackage, 'fields'>) =>
  files.filter((file) => file.file_key === group && file.lower_name.startsWith(comparable(archFileName(named, ''))))

/** Returns the packages in an index: the newest version of each, for the architecture or for all. */
function newestOfEach(files: readonly FileWithMetadata[], architecture: string): FileWithMetadata[] {
  const newest = new Map<string, FileWithMetadata>()
  for (const file of files.filter(isArchive)) {
    const own = metadataOf<ArchMetadata>(file).architecture
    if (own !== architecture && own !== anyArch) continue
    const other = newest.get(file.package_name)
    if (!other || compareArchVersions(other.version, file.version) <= 0) newest.set(file.package_name, file)
  }
  return [...newest.values()].toSorted((one, other) => (one.package_name < other.package_name ? -1 : 1))
}

/** Returns the index of a group for an architecture, and its signature. Throws `NotFound` for an empty one. */
export const getIndex = (ctx: SubjectCtx, group: string, architecture: string) =>
  cachedByRevision(ctx, type, `index ${architecture} ${group}`, async () => {
    const files = newestOfEach(await getFilesOfType(ctx, type, { fileKey: group }), architecture)
    if (files.length === 0) throw noFile()
    const parts = files.map((file) => Buffer.from(metadataOf<ArchMetadata>(file).part, 'base64'))
    const index = Buffer.concat([...parts, await compress(endOfArchive)])
    return { index, signature: await signBytes(ctx, type, index) }
  })

/** Returns a package or its signature by file name. */
export async function getArchFile(ctx: SubjectCtx, group: string, fileName: string): Promise<FileRecord> {
  const named = packageOfFileName(fileName)
  if (!named) throw noFile()
  return getNamedFile(ctx, { type, ...named, fileName, fileKey: group })
}

/** Removes a package and its signature from a group. */
export async function removeArch(
  ctx: SubjectCtx & SignedInCtx,
  group: string,
  named: Omit<ArchPackage, 'fields'>,
): Promise<void> {
  const version = await getVersion(ctx, { type, name: named.name, version: named.version })
  await removeFiles(ctx, version, filesOf(await getFiles(ctx, version), group, named))
}
