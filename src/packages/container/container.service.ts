import { Readable } from 'node:stream'
import type { Ctx, SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { findAccountByName } from '../../access/access.store.ts'
import type { Tx } from '../../db/database.ts'
import type { PackageRow, PackageVersionRow } from '../../db/tables/packages.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { PackageVersionId } from '../../lib/ids.ts'
import type { VersionWithMetadata } from '../catalog/catalog.store.ts'
import { findDescribed, findPackage, listDescribed } from '../catalog/catalog.store.ts'
import { storeContents, type ReceivedContent } from '../content/content.service.ts'
import type { DigestName } from '../../storage/blobs.ts'
import { uploadDigests, computeAllDigests } from '../content/digest.service.ts'
import type { FileRecord } from '../content/file.store.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getStanding } from '../package-access.service.ts'
import { mayReadPackages } from '../package.policy.ts'
import { comparable } from '../package.rules.ts'
import { findVersion } from '../package.store.ts'
import { getFile, removeFile, removeVersion } from '../package.service.ts'
import { publishVersion, uploadLimit, type PublishCtx } from '../publish.service.ts'
import {
  blobFile,
  checkImageName,
  checkParts,
  contentNameOf,
  digestOf,
  indexType,
  isDigest,
  isTag,
  parseManifest,
  uploadVersion,
  type Descriptor,
  type Manifest,
  type ManifestMetadata,
} from './container.rules.ts'
import { manifestFile, type KnownContent } from './contents.ts'
import {
  findFileOfImage,
  listImages,
  listReferrers,
  listTags,
  listVersionsWithManifest,
  loadContents,
  putReferences,
} from './container.store.ts'

const type = 'container'

const noImage = () => new NotFound('the image does not exist', 'name_unknown')
const noBlob = () => new NotFound('the content does not exist', 'blob_unknown')
const noManifest = () => new NotFound('the manifest does not exist', 'manifest_unknown')

const imageKey = ({ subject }: SubjectCtx, image: string) => ({
  ownerId: subject.id,
  type,
  lowerName: comparable(image),
})

/**
 * Stores a blob for an image until a manifest names it or a day has passed.
 * @param isWithoutQuota the bytes were charged during a chunked upload
 */
export async function keepBlob(
  ctx: PublishCtx,
  image: string,
  content: ReceivedContent | { sha256: string },
  isWithoutQuota = false,
): Promise<void> {
  const file = { fileName: blobFile(content.sha256), isLead: false, content, replaces: true }
  const version = uploadVersion
  await publishVersion(ctx, { type, name: image, version, isInternal: true, isWithoutQuota, files: [file] })
}

function hasDigest({ sha256, digests }: ReceivedContent, digest: string): boolean {
  const { algorithm, hex } = contentNameOf(digest)
  return (algorithm === 'sha512' ? digests.sha512 : sha256) === hex
}

/** Returns the digests to compute during an upload: the one in the request, and others where they are cheap. */
export const digestsOfContent = (digest: string, sizeBytes: number | undefined): readonly DigestName[] => [
  ...new Set<DigestName>([
    ...uploadDigests(sizeBytes),
    ...(contentNameOf(digest).algorithm === 'sha512' ? (['sha512'] as const) : []),
  ]),
]

/**
 * Finds contents of an image by digest with `find`. A lookup by SHA-512, which few clients use, first computes that
 * digest for all
 * contents.
 */
async function findNamed<Found>(
  ctx: Ctx,
  row: PackageRow,
  digests: readonly string[],
  find: () => Promise<Found>,
  isWhole: (found: Found) => boolean,
): Promise<Found> {
  const found = await find()
  if (isWhole(found) || !digests.some((digest) => contentNameOf(digest).algorithm === 'sha512')) return found
  await computeAllDigests(ctx, row.id)
  return find()
}

const findContent = (ctx: Ctx, row: PackageRow, digest: string): Promise<FileRecord | undefined> =>
  findNamed(
    ctx,
    row,
    [digest],
    () => findFileOfImage(ctx.db, row.id, contentNameOf(digest)),
    (file) => file !== undefined,
  )

/** Stores a blob from one request. Throws `BadRequest` unless it has the digest. */
export async function pushBlob(
  ctx: PublishCtx,
  image: string,
  digest: string,
  content: Readable,
  sizeBytes: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (!isDigest(digest)) throw new BadRequest('the digest is malformed', 'digest_invalid')
  await storeContents(ctx, async (receive) => {
    const maxBytes = uploadLimit(ctx, ctx.config.packages.limitSizeContainer)
    const arrived = await receive(content, maxBytes, signal, digestsOfContent(digest, sizeBytes))
    if (!hasDigest(arrived, digest)) {
      throw new BadRequest('the content is not what its digest says', 'digest_invalid')
    }
    await keepBlob(ctx, image, arrived)
  })
}

/** Mounts a blob of another image that the caller may read; returns false when it does not exist. */
export async function mountBlob(ctx: PublishCtx, image: string, digest: string, from: string): Promise<boolean> {
  const slash = from.indexOf('/')
  const owner = await findAccountByName(ctx.db, comparable(from.slice(0, Math.max(slash, 0))))
  if (!owner || !isDigest(digest)) return false
  const { viewer } = ctx
  const isOpen = mayReadPackages(viewer, owner, await getStanding(ctx, owner)).allowed
  if (!isOpen || (viewer.limit.publicOnly && owner.visibility === 'private')) return false
  const source = await findPackage(ctx.db, imageKey({ ...ctx, subject: owner }, from.slice(slash + 1)))
  const file = source && (await findContent(ctx, source, digest))
  if (!file) return false
  try {
    await keepBlob(ctx, image, { sha256: file.sha256 })
    return true
  } catch (error) {
    // The blob was deleted meanwhile, so the client uploads it.
    if (error instanceof NotFound) return false
    throw error
  }
}

/** Returns a blob of an image, or throws `NotFound`. */
export async function getBlob(ctx: SubjectCtx, image: string, digest: string): Promise<FileRecord> {
  const row = isDigest(digest) ? await findPackage(ctx.db, imageKey(ctx, image)) : undefined
  const file = row && (await findContent(ctx, row, digest))
  if (!file) throw noBlob()
  return file
}

/** Deletes a blob that no manifest names yet; others stay with their manifests. */
export async function removeBlob(ctx: SubjectCtx & SignedInCtx, image: string, digest: string): Promise<void> {
  const { sha256 } = await getBlob(ctx, image, digest)
  const version = await findVersion(ctx.db, imageKey(ctx, image), uploadVersion)
  if (version) await removeFile(ctx, version, await getFile(ctx, version, { fileName: blobFile(sha256) }))
}

async function getImage(ctx: SubjectCtx, image: string): Promise<PackageRow> {
  const row = await findPackage(ctx.db, imageKey(ctx, image))
  if (!row) throw noImage()
  return row
}

/**
 * Publishes a manifest under a tag or its digest when all that it names is stored. An existing tag moves. Returns the
 * digest.
 */
export async function pushManifest(
  ctx: PublishCtx,
  image: string,
  reference: string,
  bytes: Buffer,
  contentType: string,
  signal: AbortSignal,
): Promise<{ readonly digest: string; readonly manifest: Manifest }> {
  checkImageName(image)
  const isTagged = !isDigest(reference)
  if (isTagged && !isTag(reference)) throw new BadRequest('the tag is malformed', 'manifest_invalid')
  const manifest = parseManifest(bytes.toString('utf8'), contentType)
  const row = await findPackage(ctx.db, imageKey(ctx, image))
  const known = row ? await findParts(ctx, row, manifest.blobs, false) : new Map<string, KnownContent>()
  checkParts(manifest.blobs, 'content', known)
  const named = row ? await findParts(ctx, row, manifest.manifests, true) : new Map<string, KnownContent>()
  checkParts(manifest.manifests, 'manifest', named)
  return storeContents(ctx, async (receive) => {
    const arrived = await receive(Readable.from([bytes]), Infinity, signal)
    const digest = isTagged ? digestOf(arrived.sha256) : reference
    if (!hasDigest(arrived, digest)) {
      throw new BadRequest('the manifest is not what its digest says', 'digest_invalid')
    }
    const metadata: ManifestMetadata = {
      mediaType: manifest.mediaType,
      digest,
      sizeBytes: bytes.length,
      isTagged,
      isIndex: manifest.isIndex,
      ...(manifest.artifactType === undefined ? {} : { artifactType: manifest.artifactType }),
      ...(manifest.subject === undefined ? {} : { subject: manifest.subject }),
      ...(manifest.annotations === undefined ? {} : { annotations: manifest.annotations }),
    }
    const blobs = new Set(manifest.blobs.map(({ digest: of }) => known.get(of)?.sha256 ?? ''))
    await publishVersion(ctx, {
      type,
      name: image,
      version: reference,
      metadata,
      ifExists: 'replace',
      // The blobs are charged already, and an owner over quota may finish a push.
      isWithoutQuota: true,
      whileLocked: (tx, version) => noteReferences(tx, version, manifest),
      files: [
        { fileName: manifestFile, isLead: true, content: arrived },
        ...[...blobs].map((hex) => ({ fileName: blobFile(hex), isLead: false, content: { sha256: hex } })),
      ],
    })
    return { digest, manifest }
  })
}

/** Returns what is known of the blobs, or of the manifests, that a manifest names. */
async function findParts(
  ctx: PublishCtx,
  row: PackageRow,
  parts: readonly Descriptor[],
  areManifests: boolean,
): Promise<ReadonlyMap<string, KnownContent>> {
  const digests = parts.map(({ digest }) => digest)
  if (digests.length === 0) return new Map()
  return findNamed(
    ctx,
    row,
    digests,
    () => loadContents(ctx.db, row.id, digests.map(contentNameOf), areManifests),
    (found) => digests.every((digest) => found.has(digest)),
  )
}

/**
 * Stores the references of a manifest. It checks the manifests of an index again, because none can be deleted from here
 * on.
 */
async function noteReferences(
  tx: Tx,
  { id, package_id: packageId }: PackageVersionRow,
  manifest: Manifest,
): Promise<void> {
  const names = manifest.manifests.map(({ digest }) => contentNameOf(digest))
  const known = await loadContents(tx, packageId, names, true)
  checkParts(manifest.manifests, 'manifest', known)
  const parts = new Set(manifest.manifests.map(({ digest }) => known.get(digest)?.sha256 ?? ''))
  const row = (digest: string, isSubject: boolean) => ({
    version_id: id,
    package_id: packageId,
    digest,
    is_subject: isSubject,
  })
  await putReferences(tx, id, [
    ...[...parts].map((hex) => row(digestOf(hex), false)),
    ...(manifest.subject === undefined ? [] : [row(manifest.subject, true)]),
  ])
}

/** Returns the version of a tag or digest, or throws `NotFound`. */
async function getManifestVersion(ctx: SubjectCtx, image: string, reference: string): Promise<VersionWithMetadata> {
  const row = await findPackage(ctx.db, imageKey(ctx, image))
  if (!row) throw noManifest()
  const direct = await findDescribed(ctx.db, row.id, comparable(reference))
  if (direct) return direct
  const [first] = isDigest(reference) ? await listVersionsWithManifest(ctx.db, row.id, contentNameOf(reference)) : []
  const [found] = first === undefined ? [] : await listDescribed(ctx.db, [first])
  if (!found) throw noManifest()
  return found
}

/** Returns a manifest and its metadata. */
export interface FoundManifest {
  readonly file: FileRecord
  readonly metadata: Pick<ManifestMetadata, 'digest' | 'mediaType'>
}

export async function getManifest(ctx: SubjectCtx, image: string, reference: string): Promise<FoundManifest> {
  const version = await getManifestVersion(ctx, image, reference)
  const file = await getFile(ctx, version, { fileName: manifestFile })
  return { file, metadata: metadataOf<ManifestMetadata>(version) }
}

/** Deletes a tag, or a manifest with all of its tags. */
export async function removeManifest(ctx: SubjectCtx & SignedInCtx, image: string, reference: string): Promise<void> {
  const row = await findPackage(ctx.db, imageKey(ctx, image))
  if (!row) throw noManifest()
  const ids = isDigest(reference)
    ? await listVersionsWithManifest(ctx.db, row.id, contentNameOf(reference))
    : [(await getManifestVersion(ctx, image, reference)).id]
  const versions = await listDescribed(ctx.db, ids)
  if (versions.length === 0) throw noManifest()
  for (const version of versions) await removeVersion(ctx, version)
}

/** Returns a page of the tags of an image in lexical order (OCI distribution 1.1). */
export async function getTags(ctx: SubjectCtx, image: string, after: string, limit: number) {
  const row = await getImage(ctx, image)
  const tags = await listTags(ctx.db, row.id, comparable(after), limit + 1)
  return { tags: tags.slice(0, limit), hasMore: tags.length > limit }
}

/** Lists images that the caller may read, as `owner/image`. */
export const getImages = ({ db, viewer }: Ctx, after: string, limit: number): Promise<string[]> =>
  listImages(db, viewer, after.toLowerCase(), limit)

/**
 * Returns a page of the manifests that refer to a manifest, as an index (OCI distribution 1.1), of one artifact type if
 * given.
 * @param after the cursor of the previous page; 0 for the first page
 */
export async function getReferrers(
  ctx: SubjectCtx,
  image: string,
  digest: string,
  {
    artifactType,
    after,
    limit,
  }: { readonly artifactType: string | undefined; readonly after: number; readonly limit: number },
) {
  if (!isDigest(digest)) throw new BadRequest('the digest is malformed', 'digest_invalid')
  const row = await findPackage(ctx.db, imageKey(ctx, image))
  const rows = row ? await listReferrers(ctx.db, row.id, digest, after as PackageVersionId, limit + 1) : []
  const found = rows
    .slice(0, limit)
    .map((each) => metadataOf<ManifestMetadata>(each))
    .filter((each) => artifactType === undefined || each.artifactType === artifactType)
  const byDigest = new Map(found.map((each) => [each.digest, each]))
  const index = {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: [...byDigest.values()].map((each) => ({
      mediaType: each.mediaType,
      digest: each.digest,
      size: each.sizeBytes,
      ...(each.artifactType === undefined ? {} : { artifactType: each.artifactType }),
      ...(each.annotations === undefined ? {} : { annotations: each.annotations }),
    })),
  }
  return { index, next: rows.length > limit ? rows[limit - 1]?.id : undefined }
}
