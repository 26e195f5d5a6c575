import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { SubjectCtx } from '../../access/context.ts'
import { noFile } from '../package.rules.ts'
import { getFilesOfType } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { FileRecord } from '../content/file.store.ts'
import { bzip2, findInPacked } from '../formats/archive-thread.ts'
import { archiveIn, brokenArchive, type StoredArchive } from '../formats/stored-archive.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getNamedFile } from '../package.service.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import {
  checkChannel,
  condaFileName,
  packageNameOf,
  packageOfFileName,
  readIndex,
  type CondaMetadata,
  type Ending,
} from './conda.rules.ts'

const type = 'conda'

const wanted = { name: /^info\/index\.json$/, maxBytes: 1 << 20, count: 1 }
/** Largest packed and unpacked size of the archive with the description, in bytes. */
const maxInfoBytes = 16 << 20
const maxUnpackedInfoBytes = 256 << 20

/** Reads the description in a `.conda` archive: a zip file with a tar archive for metadata. */
async function findInConda(archive: StoredArchive): Promise<Buffer | undefined> {
  const { readZip } = await import('../formats/zip.ts')
  const { readTarBytes } = await import('../formats/tar.ts')
  const { files } = await readZip(archive, { name: /^info-[^/]+\.tar\.zst$/, maxBytes: maxInfoBytes, count: 1 })
  const [info] = files.values()
  if (!info) return undefined
  const [found] = await readTarBytes(info, wanted, maxUnpackedInfoBytes)
  return found?.content
}

/** Reads the description in a `.tar.bz2` archive. */
async function findInTarBz2(ctx: PublishCtx, archive: StoredArchive): Promise<Buffer | undefined> {
  const [found] = await findInPacked(ctx, archive, 'bzip2', wanted)
  return found?.content
}

/** Publishes a package into a channel. */
export async function publishConda(
  ctx: PublishCtx,
  channel: string,
  ending: Ending,
  incoming: IncomingFile,
): Promise<void> {
  checkChannel(channel)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeConda, async ({ arrived }) => {
    const archive = archiveIn(ctx, arrived)
    const found = ending === 'conda' ? await findInConda(archive) : await findInTarBz2(ctx, archive)
    if (!found) throw brokenArchive('has no description')
    const { name, version, metadata } = readIndex(found.toString('utf8'))
    const fileName = condaFileName(name, version, metadata.build, ending)
    await publishVersion(ctx, {
      type,
      name: packageNameOf(channel, name),
      version,
      metadata: { license: metadata.license },
      files: [{ fileName, fileKey: metadata.subdir, isLead: true, content: arrived, metadata }],
    })
  })
}

function shownFile(file: FileWithMetadata, channel: string) {
  const { timestamp, ...about } = metadataOf<CondaMetadata>(file)
  return {
    name: file.package_name.slice(channel === '' ? 0 : channel.length + 1),
    version: file.version,
    ...about,
    timestamp: timestamp ?? file.created_unix * 1000,
    md5: file.md5,
    sha256: file.sha256,
    size: file.size_bytes,
  }
}

/** Returns whether a file belongs to the channel itself, not to a channel below it. */
const isOf = (channel: string) => {
  const beginning = packageNameOf(channel, '')
  return ({ package_name: name }: FileWithMetadata) =>
    name.toLowerCase().startsWith(beginning.toLowerCase()) && !name.slice(beginning.length).includes('/')
}

/** Returns the index of a channel for a platform as JSON. Throws `NotFound` for an empty one. */
const getIndexText = (ctx: SubjectCtx, channel: string, subdir: string): Promise<Buffer> =>
  cachedByRevision(ctx, type, `index ${subdir} ${channel}`, async () => {
    const files = (await getFilesOfType(ctx, type, { fileKey: subdir })).filter(isOf(channel))
    if (files.length === 0) throw noFile()
    const ofForm = (isNew: boolean) =>
      Object.fromEntries(
        files
          .filter(({ name }) => name.endsWith('.conda') === isNew)
          .map((file) => [file.name, shownFile(file, channel)]),
      )
    const index = { info: { subdir }, packages: ofForm(false), 'packages.conda': ofForm(true), removed: [] }
    return Buffer.from(JSON.stringify(index))
  })

/** The compression of an index, by its file name ending. */
export type Packing = 'bz2' | 'zst' | undefined

/** Returns the index of a channel for a platform with the given compression. */
export async function getIndex(ctx: SubjectCtx, channel: string, subdir: string, packing: Packing): Promise<Buffer> {
  const text = await getIndexText(ctx, channel, subdir)
  if (packing === undefined) return text
  return cachedByRevision(ctx, type, `${packing} ${subdir} ${channel}`, () =>
    packing === 'bz2' ? bzip2(ctx, text) : promisify(zlib.zstdCompress)(text),
  )
}

/** Returns a package of a channel by its file name. */
export async function getCondaFile(
  ctx: SubjectCtx,
  channel: string,
  subdir: string,
  fileName: string,
): Promise<FileRecord> {
  const named = packageOfFileName(fileName)
  if (!named) throw noFile()
  const name = packageNameOf(channel, named.name)
  return getNamedFile(ctx, { type, name, version: named.version, fileName, fileKey: subdir })
}
