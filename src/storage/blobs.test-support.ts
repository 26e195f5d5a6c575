import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import S3rver from 's3rver'
import type { Blobs, UploadId } from './blobs.ts'
import { openBlobs } from './open-blobs.ts'
import type { S3Options } from './s3-service.ts'

export interface TestStore {
  readonly blobs: Blobs
  /** Opens the same store again, as another process would. */
  readonly reopen: () => Promise<Blobs>
  readonly folder: string
  /** The address and keys of the S3 store. */
  readonly s3?: S3Options
}

export async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-blobs-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const withLocal = (use: (store: TestStore) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const reopen = () => openBlobs({ type: 'local', path: join(folder, 'blobs') })
    await use({ blobs: await reopen(), reopen, folder })
  })

export const withS3 = (use: (store: TestStore) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'forge', configs: [] }],
    })
    const address: AddressInfo = await server.run()
    const s3: S3Options = {
      endpoint: `http://127.0.0.1:${address.port}`,
      region: 'us-east-1',
      bucket: 'forge',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      basePath: 'kind/',
      usePathStyle: true,
      skipTlsVerify: false,
      serveDirect: true,
      pieceBytes: 64 * 1024,
    }
    const opened: Blobs[] = []
    const reopen = async (): Promise<Blobs> => {
      const blobs = await openBlobs({ type: 's3', ...s3 })
      opened.push(blobs)
      return blobs
    }
    try {
      await use({ blobs: await reopen(), reopen, folder, s3 })
    } finally {
      for (const blobs of opened) blobs.close()
      await server.close()
    }
  })

export const storages = [
  ['a local folder', withLocal],
  ['an S3 service', withS3],
] as const

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

export const limit = { maxBytes: 50 * 1024 * 1024 }

export async function contentOf(blobs: Blobs, key: string): Promise<string | undefined> {
  const found = await blobs.get(key)
  return found === undefined ? undefined : text(found.stream)
}

export const bytesOf = (content: string | Buffer): Readable =>
  Readable.from(content.length === 0 ? [] : [Buffer.from(content)])

export async function arrived(blobs: Blobs, id: UploadId): Promise<string | undefined> {
  const found = await blobs.uploads.read(id)
  return found === undefined ? undefined : text(found.stream)
}

export async function keysOf(blobs: Blobs, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list(prefix)) keys.push(key)
  return keys.sort()
}

export function* chunksOf(content: Buffer, sizeBytes: number): Generator<Buffer> {
  for (let at = 0; at < content.length; at += sizeBytes) yield content.subarray(at, at + sizeBytes)
}
