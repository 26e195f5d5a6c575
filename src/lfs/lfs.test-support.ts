import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { AddressInfo } from 'node:net'
import { loadUsage } from '../access/quota/usage.store.ts'
import type { Answer, ForgeClient, SendOptions } from '../testing/client.ts'
import { startForge, type Forge, type ForgeOptions } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'

export const lfsMediaType = 'application/vnd.git-lfs+json'

/** Starts a forge with LFS. */
export const startLfs = (options: ForgeOptions = {}): Promise<Forge> =>
  startForge({
    ...options,
    settings: { ...options.settings, server: { LFS_START_SERVER: true, ...options.settings?.['server'] } },
  })

/** A content with its object id and size. */
export interface LfsContent {
  readonly bytes: Buffer
  readonly oid: string
  readonly size: number
}

export function contentOf(text: string | Buffer): LfsContent {
  const bytes = Buffer.from(text)
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
}

export const pointerTo = ({ oid, size }: Pick<LfsContent, 'oid' | 'size'>): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

/** Client of the LFS API of a repository for one account. */
export class LfsClient {
  readonly #client: ForgeClient
  readonly #root: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(client: ForgeClient, repo: Pick<GivenRepo, 'fullName'>, headers: Readonly<Record<string, string>> = {}) {
    this.#client = client
    this.#root = `/${repo.fullName}.git/info/lfs`
    this.#headers = { accept: lfsMediaType, ...headers }
  }

  send(method: string, path: string, body?: unknown, options: SendOptions = {}): Promise<Answer> {
    return this.#client.send(method, `${this.#root}/${path}`, undefined, {
      site: true,
      ...options,
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { 'content-type': lfsMediaType }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { raw: JSON.stringify(body) }),
    })
  }

  batch(operation: 'upload' | 'download', contents: readonly Pick<LfsContent, 'oid' | 'size'>[]): Promise<Answer> {
    return this.send('POST', 'objects/batch', {
      operation,
      transfers: ['basic'],
      objects: contents.map(({ oid, size }) => ({ oid, size })),
    })
  }

  put({ oid, size, bytes }: LfsContent, sent: Uint8Array = bytes): Promise<Answer> {
    return this.send('PUT', `objects/${oid}/${size}`, undefined, {
      raw: sent,
      headers: { 'content-type': 'application/octet-stream' },
    })
  }

  get(oid: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('GET', `objects/${oid}`, undefined, { headers })
  }
}

/** Returns the action, or the error code, of each object of a batch reply. */
export const outcomes = (answer: Answer): (string | number)[] =>
  answer.json.objects.map((object: { actions?: object; error?: { code: number } }) =>
    object.error ? object.error.code : object.actions ? Object.keys(object.actions).join('+') : 'nothing',
  )

/** Returns the bytes of LFS objects charged to an account. */
export async function lfsUsageOf(forge: Forge, name: string): Promise<number> {
  const { user } = await forge.account(name)
  return (await loadUsage(forge.services.db, user.id)).lfs ?? 0
}

/** Returns settings for LFS objects in object storage, which runs until disposal. */
export async function startObjectStorage(
  options: { readonly isDirect?: boolean } = {},
): Promise<AsyncDisposable & { readonly settings: NonNullable<ForgeOptions['settings']> }> {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-lfs-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'forge', configs: [] }],
  })
  const address: AddressInfo = await server.run()
  return {
    settings: {
      lfs: {
        STORAGE_TYPE: 'minio',
        MINIO_ENDPOINT: `127.0.0.1:${address.port}`,
        MINIO_BUCKET: 'forge',
        MINIO_ACCESS_KEY_ID: 'S3RVER',
        MINIO_SECRET_ACCESS_KEY: 'S3RVER',
        SERVE_DIRECT: options.isDirect ?? false,
      },
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
