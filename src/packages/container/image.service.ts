import { text } from 'node:stream/consumers'
import type { SubjectCtx } from '../../access/context.ts'
import { pluck } from '../../lib/pluck.ts'
import { BadRequest } from '../../lib/errors.ts'
import { listDescribed, type VersionWithMetadata } from '../catalog/catalog.store.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import type { FileRecord } from '../content/file.store.ts'
import { parsePackageJson, recordOf, textIn } from '../registry/json-text.rules.ts'
import { blobFile, contentNameOf, isDigest, isTag, type ManifestMetadata } from './container.rules.ts'
import { listVersionsWithManifest, loadSizes } from './container.store.ts'
import { manifestFile } from './contents.ts'
import { describeImage, entriesOfIndex, type DescribedImage } from './image.rules.ts'

/** Largest manifest and configuration that is read for a page, in bytes. */
const maxReadBytes = 4 * 1024 * 1024
/** Largest number of manifests of an index that is shown. */
const maxEntries = 100

/** One platform of an image for several platforms. */
export interface PlatformOfImage {
  readonly platform: string
  readonly digest: string
  /** The sum of the stored files; undefined when the manifest is stored under another name than its digest. */
  readonly sizeBytes: number | undefined
}

/** What an image consists of. */
export interface ImageDetails {
  readonly digest: string
  readonly mediaType: string
  /** All tags of the same manifest. */
  readonly tags: readonly string[]
  /** The platforms of an index; empty for an image of one platform. */
  readonly platforms: readonly PlatformOfImage[]
  /** Undefined for an index, and when the configuration is too large. */
  readonly image: DescribedImage | undefined
}

/** Returns the content of a file; undefined when it is missing, too large, or not JSON. */
async function readJson({ blobs }: SubjectCtx, file: FileRecord | undefined): Promise<unknown> {
  if (file === undefined || file.size_bytes > maxReadBytes) return undefined
  const stored = await blobs.packages.get(file.blob_key)
  const content = stored === undefined ? '' : await text(stored.stream)
  try {
    return parsePackageJson(content)
  } catch (error) {
    // The configuration of an artifact may be any bytes.
    if (error instanceof BadRequest) return undefined
    throw error
  }
}

/** Describes a version of an image from its manifest and configuration. */
export async function getImageDetails(
  ctx: SubjectCtx,
  version: Pick<VersionWithMetadata, 'package_id' | 'metadata'>,
  files: readonly FileRecord[],
): Promise<ImageDetails> {
  const { digest = '', mediaType = '', isIndex = false } = metadataOf<Partial<ManifestMetadata>>(version)
  const [manifest, tags] = await Promise.all([
    readJson(
      ctx,
      files.find(({ name }) => name === manifestFile),
    ),
    tagsOf(ctx, version, digest),
  ])
  if (isIndex) {
    return { digest, mediaType, tags, platforms: await platformsOf(ctx, version, manifest), image: undefined }
  }
  const named = textIn(recordOf(recordOf(manifest)['config'])['digest'])
  const config = files.find(
    ({ name, sha512 }) =>
      isDigest(named) && (name === blobFile(contentNameOf(named).hex) || named === `sha512:${sha512}`),
  )
  const image = manifest === undefined ? undefined : describeImage(manifest, await readJson(ctx, config))
  return { digest, mediaType, tags, platforms: [], image }
}

async function tagsOf(
  { db }: SubjectCtx,
  version: Pick<VersionWithMetadata, 'package_id'>,
  digest: string,
): Promise<readonly string[]> {
  if (!isDigest(digest)) return []
  const ids = await listVersionsWithManifest(db, version.package_id, contentNameOf(digest))
  return (await listDescribed(db, ids)).map((each) => each.version).filter(isTag)
}

async function platformsOf(
  { db }: SubjectCtx,
  version: Pick<VersionWithMetadata, 'package_id'>,
  index: unknown,
): Promise<readonly PlatformOfImage[]> {
  const entries = entriesOfIndex(index)
    .filter(({ platform }) => platform !== '')
    .slice(0, maxEntries)
  const sizes = await loadSizes(db, version.package_id, pluck(entries, 'digest'))
  return entries.map(({ platform, digest }) => ({ platform, digest, sizeBytes: sizes.get(digest) }))
}
