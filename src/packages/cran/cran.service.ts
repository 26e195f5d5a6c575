import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SubjectCtx } from '../../access/context.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { noFile } from '../package.rules.ts'
import { getFilesOfType } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import { readParagraph } from '../formats/control-file.rules.ts'
import { archiveIn, firstBytes, type StoredArchive } from '../formats/stored-archive.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { compareCran, cranPackageOf, cranParagraph, type CranMetadata } from './cran.rules.ts'

const type = 'cran'
const compress = promisify(gzip)

const wanted = { name: /^[^/]+\/DESCRIPTION$/, maxBytes: 1 << 20, count: 1 }

/** Reads the description in an archive, and returns the file name extension. */
async function readDescription(ctx: PublishCtx, archive: StoredArchive, isSource: boolean) {
  const isZip = (await firstBytes(archive, 2)).toString('latin1') === 'PK'
  if (isZip && !isSource) {
    const { readZip } = await import('../formats/zip.ts')
    const { files } = await readZip(archive, wanted)
    return { description: [...files.values()][0], ending: 'zip' }
  }
  const { readTar } = await import('../formats/tar.ts')
  const [found] = await readTar(ctx, archive, wanted)
  return { description: found?.content, ending: isSource ? 'tar.gz' : 'tgz' }
}

/** Publishes a source or binary package under a file key. */
export async function publishPackage(ctx: PublishCtx, fileKey: string, incoming: IncomingFile): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeCran, async ({ arrived }) => {
    const { description, ending } = await readDescription(ctx, archiveIn(ctx, arrived), fileKey === 'src')
    if (!description) throw new BadRequest('the archive holds no package of R', 'cran_description_missing')
    const { name, version, metadata } = cranPackageOf(readParagraph(description.toString('utf8')))
    const file = { fileName: `${name}_${version}.${ending}`, fileKey, isLead: true, content: arrived, metadata }
    await publishVersion(ctx, { type, name, version, metadata, files: [file] })
  })
}

/** Returns the newest file of each package. */
function newestOfEach(files: readonly FileWithMetadata[]): FileWithMetadata[] {
  const newest = new Map<number, FileWithMetadata>()
  for (const file of files) {
    const other = newest.get(file.package_id)
    if (!other || compareCran(other.version, file.version) < 0) newest.set(file.package_id, file)
  }
  return [...newest.values()].toSorted((one, other) => (one.package_name < other.package_name ? -1 : 1))
}

/** Returns the index of a file key as text and packed. Throws `NotFound` for an empty one. */
export const getIndex = (ctx: SubjectCtx, fileKey: string): Promise<{ text: Buffer; packed: Buffer }> =>
  cachedByRevision(ctx, type, fileKey, async () => {
    const files = newestOfEach(await getFilesOfType(ctx, type, { fileKey }))
    if (files.length === 0) throw new NotFound('there are no packages', 'package_not_found')
    const paragraphs = files.map((file) =>
      cranParagraph(file.package_name, file.version, metadataOf<CranMetadata>(file), file.md5),
    )
    const text = Buffer.from(paragraphs.join('\n'))
    return { text, packed: await compress(text) }
  })

/** Returns a file by name, or throws `NotFound`. */
export async function getCranFile(ctx: SubjectCtx, fileKey: string, fileName: string): Promise<FileWithMetadata> {
  const [file] = await getFilesOfType(ctx, type, { fileKey, lowerName: fileName.toLowerCase() })
  if (!file) throw noFile()
  return file
}
