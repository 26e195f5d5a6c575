import { BadRequest, NotFound, Unsupported } from '../../lib/errors.ts'
import { isRecord, parsePackageJson, recordOf } from '../registry/json-text.rules.ts'
import type { ContentName, KnownContent } from './contents.ts'

/** Longest image name in characters (OCI distribution). */
const maxNameLength = 255
const nameForm = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
const tagForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const digestForm = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/

/** Largest number of blobs and manifests that a manifest may name. */
const maxDescriptors = 2000

const manifestTypes = new Set([
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
])
const indexTypes = new Set([
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
])
/** Supported media types of manifests. */
export const manifestMediaTypes = [...manifestTypes, ...indexTypes]
export const indexType = 'application/vnd.oci.image.index.v1+json'

/** The internal version that holds blobs which no manifest names yet. */
export const uploadVersion = '_upload'

/** Throws `BadRequest` for an invalid image name. */
export function checkImageName(image: string): void {
  if (image.length > maxNameLength || !nameForm.test(image)) {
    throw new BadRequest('the name of the image is invalid', 'name_invalid')
  }
}

export const isDigest = (text: string): boolean => digestForm.test(text)
export const isTag = (text: string): boolean => tagForm.test(text)

/** Splits a valid digest into algorithm and hexadecimal value. */
export function contentNameOf(digest: string): ContentName {
  const [algorithm, hex = ''] = digest.split(':')
  return { algorithm: algorithm === 'sha512' ? 'sha512' : 'sha256', hex }
}

export const digestOf = (hex: string): string => `sha256:${hex}`

/** Returns the name of the file that holds a blob. */
export const blobFile = (hex: string): string => `sha256_${hex}`

/** A descriptor in a manifest. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** Metadata of a manifest. */
export interface ManifestMetadata {
  readonly mediaType: string
  readonly digest: string
  readonly sizeBytes: number
  readonly isTagged: boolean
  readonly isIndex: boolean
  readonly artifactType?: string
  readonly subject?: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** A parsed manifest. */
export interface Manifest {
  readonly mediaType: string
  readonly isIndex: boolean
  /** The blobs that it names: those of an image, and the entries of an index that are no manifests, as in build caches. */
  readonly blobs: readonly Descriptor[]
  /** The manifests of an index. */
  readonly manifests: readonly Descriptor[]
  readonly artifactType: string | undefined
  readonly subject: string | undefined
  readonly annotations: Readonly<Record<string, string>> | undefined
}

const invalid = (why: string) => new BadRequest(`the manifest ${why}`, 'manifest_invalid')

function descriptorOf(value: unknown): Descriptor {
  const { mediaType, digest, size } = recordOf(value)
  if (typeof digest !== 'string' || !isDigest(digest)) throw invalid('names a content without a digest')
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw invalid('names a content without a size')
  }
  return { mediaType: typeof mediaType === 'string' ? mediaType : '', digest, size }
}

const textMap = (value: unknown): Readonly<Record<string, string>> | undefined =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : undefined

/** Foreign layers are fetched from elsewhere and need not be stored. */
const isForeign = ({ mediaType }: Descriptor): boolean => /\.nondistributable\.|\.foreign\./.test(mediaType)

/**
 * Parses a manifest. Throws `BadRequest`, and `Unsupported` for another version of the format.
 * @param contentType the request's content type, which takes precedence over the document's
 */
export function parseManifest(text: string, contentType: string): Manifest {
  const document = parsePackageJson(text, 'manifest_invalid')
  if (!isRecord(document)) throw invalid('is no object')
  if (document['schemaVersion'] !== 2) throw new Unsupported('manifests are of version 2', 'unsupported')
  const declared = typeof document['mediaType'] === 'string' ? document['mediaType'] : ''
  const sent = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const mediaType = manifestTypes.has(sent) || indexTypes.has(sent) ? sent : declared
  const isIndex = indexTypes.has(mediaType)
  if (!isIndex && !manifestTypes.has(mediaType)) throw invalid('has an unknown media type')
  const list = isIndex ? document['manifests'] : document['layers']
  const listed: readonly unknown[] = Array.isArray(list) ? list : []
  if (listed.length > maxDescriptors) throw invalid('names too many contents')
  const descriptors = listed.map(descriptorOf)
  const isManifest = ({ mediaType: type }: Descriptor): boolean => manifestTypes.has(type) || indexTypes.has(type)
  const config = isIndex ? undefined : descriptorOf(document['config'])
  const subject = document['subject'] === undefined ? undefined : descriptorOf(document['subject']).digest
  const artifactType =
    typeof document['artifactType'] === 'string' ? document['artifactType'] : subject && config?.mediaType
  return {
    mediaType,
    isIndex,
    blobs: [
      ...(config ? [config] : []),
      ...descriptors.filter((each) => !isForeign(each) && !(isIndex && isManifest(each))),
    ],
    manifests: isIndex ? descriptors.filter(isManifest) : [],
    artifactType,
    subject,
    annotations: textMap(document['annotations']),
  }
}

/** Throws unless each named blob or manifest is stored with its size; `known` has the sizes by digest. */
export function checkParts(
  parts: readonly Descriptor[],
  what: 'manifest' | 'content',
  known: ReadonlyMap<string, KnownContent>,
): void {
  for (const { digest, size } of parts) {
    const have = known.get(digest)?.sizeBytes
    if (have === undefined) {
      throw new NotFound(`a ${what} that the manifest names is not there`, 'manifest_blob_unknown', { digest })
    }
    if (have !== size) throw invalid('gives a content another size')
  }
}

/** Parses `Content-Range` of a chunk; returns undefined without the header. */
export function rangeOf(contentRange: unknown): { readonly start: number; readonly end: number } | undefined {
  if (contentRange === undefined) return undefined
  const [, start, end] =
    /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/.*)?$/.exec(typeof contentRange === 'string' ? contentRange : '') ?? []
  if (start === undefined || Number(end) < Number(start)) {
    throw new BadRequest('the range of the content is malformed', 'blob_upload_invalid')
  }
  return { start: Number(start), end: Number(end) }
}
