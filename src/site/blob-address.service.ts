import type { Services } from '../access/context.ts'
import { storedContent } from '../access/contributions/stored-content.ts'
import { type StorageKind, storageKinds } from '../config/storage-settings.ts'
import type { ServedFile } from '../http/file-reply.ts'
import type { Call } from '../http/operation.ts'
import { untied } from '../http/untied-body.ts'
import { Forbidden, NotFound, TooLarge } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import type { SignedPut, StoredBlob } from '../storage/blobs.ts'

/** A blob in a signed address. */
export interface BlobAddress {
  readonly kind: StorageKind
  readonly key: string
}

export interface GetAddressOptions {
  readonly expiresSeconds: number
  /** Name of the downloaded file. */
  readonly fileName: string
  readonly contentType?: string
}

export interface PutAddressOptions {
  readonly expiresSeconds: number
  /** Largest size, in bytes. */
  readonly maxBytes: number
  /** Exact size in bytes, when known. */
  readonly sizeBytes?: number
  readonly contentType?: string
}

const purpose = { get: 'blob-get', put: 'blob-put' } as const

/**
 * Returns a temporary address to download a blob: of object storage with `SERVE_DIRECT`, otherwise of this server. It
 * needs no other credential, so give it only to people who may read the blob.
 */
export async function blobGetAddress(
  services: Services,
  blob: BlobAddress,
  options: GetAddressOptions,
): Promise<string> {
  const direct = await services.blobs[blob.kind].signedUrl?.(blob.key, options)
  if (direct !== undefined) return direct
  const { expiresSeconds, fileName, contentType = '' } = options
  return ownAddress(services, purpose.get, { ...blob, fileName, contentType }, expiresSeconds)
}

/** Returns a temporary address and headers to upload one blob with PUT. Throws TooLarge. */
export async function blobPutAddress(
  services: Services,
  blob: BlobAddress,
  options: PutAddressOptions,
): Promise<SignedPut> {
  if (options.sizeBytes !== undefined && options.sizeBytes > options.maxBytes) {
    throw new TooLarge('the file is larger than allowed', 'file_too_large', { maxBytes: options.maxBytes })
  }
  const blobs = services.blobs[blob.kind]
  // Without a known size only this server can enforce the limit.
  const direct = options.sizeBytes === undefined ? undefined : await blobs.signedPutUrl?.(blob.key, options)
  if (direct !== undefined) return direct
  const { expiresSeconds, maxBytes, sizeBytes = -1, contentType = '' } = options
  const payload = { ...blob, maxBytes, sizeBytes, contentType }
  const url = ownAddress(services, purpose.put, payload, expiresSeconds)
  return { url, headers: contentType === '' ? {} : { 'content-type': contentType } }
}

/** Returns the blob of an address of this server. Throws Forbidden for a forged or expired address, NotFound. */
export async function openBlobAddress(services: Services, grant: string): Promise<ServedFile> {
  const { fileName, contentType, ...blob } = opened(services, purpose.get, grant)
  const content = await storedContent(services.blobs[kindOf(blob['kind'])], String(blob['key']))
  if (content === undefined) throw new NotFound('the file does not exist', 'blob_gone')
  const type = contentType === '' ? {} : { contentType: String(contentType) }
  return { name: String(fileName), content, disposition: 'attachment', ...type }
}

/** Stores an upload to an address of this server. Throws Forbidden, and the errors of `Blobs.put`. */
export async function storeAtBlobAddress(services: Services, grant: string, call: Call): Promise<StoredBlob> {
  const { kind, key, maxBytes, sizeBytes, contentType } = opened(services, purpose.put, grant)
  return services.blobs[kindOf(kind)].put(String(key), untied(call.body()), {
    maxBytes: Number(maxBytes),
    ...(sizeBytes === -1 ? {} : { expected: { sizeBytes: Number(sizeBytes) } }),
    ...(contentType === '' ? {} : { contentType: String(contentType) }),
    signal: call.signal,
  })
}

function ownAddress(
  services: Services,
  use: (typeof purpose)[keyof typeof purpose],
  payload: Readonly<Record<string, string | number>>,
  expiresSeconds: number,
): string {
  const grant = services.secrets.sign(use, payload, nowUnix(services.clock) + Math.ceil(expiresSeconds))
  return `${services.config.server.rootUrl}assets/blobs/${grant}`
}

function opened(services: Services, use: string, grant: string) {
  const payload = services.secrets.verify(use, grant, nowUnix(services.clock))
  if (payload === undefined) throw new Forbidden('this address is invalid or has expired', 'address_expired')
  return payload
}

function kindOf(kind: unknown): StorageKind {
  const known = storageKinds.find((each) => each === kind)
  if (known === undefined) throw new Forbidden('this address is invalid or has expired', 'address_expired')
  return known
}
