import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SubjectCtx } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { viewerAs } from '../../auth/viewer.ts'
import type { PackageUpstreamRow } from '../../db/tables/packages.ts'
import { BadRequest, NotFound, Refusal, Unauthenticated, Unavailable } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { hostNameMatcher } from '../../outgoing/host-rules.ts'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import type { OutgoingReply } from '../../outgoing/outgoing.ts'
import { getFilesOfVersions } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import { storeContents, type ReceivedContent } from '../content/content.service.ts'
import { archiveIn, type StoredArchive } from '../formats/stored-archive.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { comparable } from '../package.rules.ts'
import { findVersion } from '../package.store.ts'
import { publishVersion, type PublishCtx } from '../publish.service.ts'
import { documentTimeoutMs, fileTimeoutMs, maxDocumentBytes, upstreamClient, upstreamWork } from './upstream-client.ts'
import { keptName, upstreamVersion } from './upstream.rules.ts'

/** How long a stored document is used without a request, in seconds. */
const freshSeconds = 300
const maxRedirects = 5

/** A document of an upstream, such as the list of a package's versions. */
export interface UpstreamDocument {
  readonly content: Buffer
  /** The content type from the upstream. */
  readonly contentType: string
  readonly file: FileWithMetadata
}

/** The known digests of a file, in hexadecimal. */
export interface Digests {
  readonly md5?: string | undefined
  readonly sha1?: string | undefined
  readonly sha256?: string | undefined
  readonly sha512?: string | undefined
}

/** The location and digests of a file at the upstream. */
export interface UpstreamFile {
  readonly url: string
  readonly digests: Digests
  readonly headers?: Readonly<Record<string, string>>
  /** Checks the received file where the protocol has no digests. Throws `BadRequest`. */
  readonly check?: (archive: StoredArchive) => Promise<void>
}

/** Fetches documents and files of one package name from the upstream of a registry, and stores them. */
export interface UpstreamSource {
  /** The upstream's URL without a trailing slash. */
  readonly url: string
  /**
   * Returns a document and fetches it when the stored one is old. The stored one is used while the upstream is
   * unavailable.
   * @param transform converts the received document for storage; throws `BadRequest` for invalid documents
   */
  document(
    key: string,
    path: string,
    options?: {
      readonly headers?: Readonly<Record<string, string>>
      readonly transform?: (content: Buffer, reply: OutgoingReply) => Buffer | Promise<Buffer>
    },
  ): Promise<UpstreamDocument>
  /** Returns an immutable file. It is verified before the first byte is served. */
  file(fileName: string, limitBytes: number, locate: () => Promise<UpstreamFile>): Promise<FileWithMetadata>
}

const missing = () => new NotFound('neither the owner nor the upstream has the package', 'package_not_found')
const signInToFetch = () =>
  new Unauthenticated('sign in to fetch packages from the upstream; guests get stored ones only')
const broken = (why: string) => new Unavailable(`the upstream ${why}`, 'upstream_broken')

/** Converts an error of a fetch into the error for the client. */
function clientErrorOf(error: unknown): unknown {
  if (error instanceof OutgoingError) return new Unavailable(`the upstream is away: ${error.message}`, 'upstream_away')
  if (error instanceof BadRequest) return broken(`sent an invalid document: ${error.message}`)
  return error
}

export function createSource(
  ctx: SubjectCtx,
  upstream: PackageUpstreamRow,
  secret: string | undefined,
  name: string,
): UpstreamSource {
  const { type, url: base } = upstream
  const { origin } = new URL(base)
  const work = upstreamWork.of(ctx)
  const client = upstreamClient.of(ctx)
  const keyOf = (what: string) => `${upstream.owner_id} ${base} ${name} ${what}`

  /** The secret is sent to the upstream's own origin only. */
  const credentialsFor = (url: string): Readonly<Record<string, string>> => {
    if (secret === undefined || URL.parse(url)?.origin !== origin) return {}
    const basic = Buffer.from(`${upstream.user_name}:${secret}`).toString('base64')
    return { authorization: upstream.user_name === '' ? `Bearer ${secret}` : `Basic ${basic}` }
  }

  /**
   * Sends a request. After a 401 reply with a token challenge (OCI distribution) it gets the token and sends the
   * request again.
   */
  async function ask(url: string, headers: Readonly<Record<string, string>>, maxBytes: number, timeoutMs: number) {
    const send = (more: Readonly<Record<string, string>>) =>
      client.stream(url, { headers: { ...headers, ...more }, maxRedirects, maxBodyBytes: maxBytes, timeoutMs })
    const first = await send(credentialsFor(url))
    const token = first.status === 401 ? await tokenFor(first).finally(() => first.body.destroy()) : undefined
    const reply = token === undefined ? first : await send({ authorization: `Bearer ${token}` })
    if (reply.status === 200) return reply
    reply.body.destroy()
    if (reply.status === 404 || reply.status === 410) throw missing()
    if (reply.status === 401 || reply.status === 403) {
      throw new Unavailable(
        'the upstream refuses the credentials: set `username` and `secret` of the upstream',
        'upstream_refuses',
      )
    }
    throw broken(`answered ${reply.status}`)
  }

  /**
   * The upstream chooses the URL of its token service, so only its own origin and configured hosts receive the secret.
   */
  const mayGetSecret = (realm: URL): boolean => {
    if (realm.origin === origin) return true
    const hosts = ctx.config.packages.upstreamTokenHostList
    // The matcher treats an empty list as all hosts.
    return realm.protocol === 'https:' && hosts.length > 0 && hostNameMatcher(hosts)(realm.hostname)
  }

  async function tokenFor({ headers }: OutgoingReply): Promise<string | undefined> {
    const challenge = String(headers['www-authenticate'] ?? '').slice(0, 2000)
    if (type !== 'container' || !/^Bearer /i.test(challenge)) return undefined
    const values = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]))
    const realm = URL.parse(values.get('realm') ?? '')
    if (!realm) return undefined
    if (secret !== undefined && !mayGetSecret(realm)) {
      throw new Unavailable(
        `the upstream names the token service ${realm.origin}: [packages].UPSTREAM_TOKEN_HOST_LIST does not allow it to get the secret`,
        'upstream_realm_refused',
      )
    }
    for (const key of ['service', 'scope']) {
      const value = values.get(key)
      if (value !== undefined) realm.searchParams.set(key, value)
    }
    const basic = Buffer.from(`${upstream.user_name}:${secret ?? ''}`).toString('base64')
    const reply = await client.request(realm.href, {
      headers: secret === undefined ? {} : { authorization: `Basic ${basic}` },
      maxBodyBytes: 1 << 16,
    })
    if (reply.status !== 200) return undefined
    try {
      const answer = JSON.parse(reply.body.toString('utf8')) as Readonly<Record<string, unknown>>
      const token = answer['token'] ?? answer['access_token']
      return typeof token === 'string' ? token : undefined
    } catch {
      throw broken('returned an invalid token')
    }
  }

  async function findKept(fileName: string, fileKey: string): Promise<FileWithMetadata | undefined> {
    const key = { ownerId: ctx.subject.id, type, lowerName: comparable(keptName(name)) }
    const version = await findVersion(ctx.db, key, upstreamVersion)
    const files = version ? await getFilesOfVersions(ctx, [version]) : []
    return files.find((file) => file.file_key === fileKey && file.lower_name === comparable(fileName))
  }

  /** Concurrent callers share one fetch, which continues when one of them disconnects. */
  function shareFetch<Result>(key: string, fetch: () => Promise<Result>): Promise<Result> {
    const known = work.underWay.get(key)
    if (known) return known as Promise<Result>
    if (!ctx.viewer) throw signInToFetch()
    if (work.missing.has(key)) throw missing()
    const fetching = fetch()
      .catch((error: unknown) => {
        if (error instanceof NotFound) work.missing.set(key, true)
        throw clientErrorOf(error)
      })
      .finally(() => work.underWay.delete(key))
    work.underWay.set(key, fetching)
    return fetching
  }

  /** Stored files count for the owner, not for the caller. */
  const keeper: PublishCtx = { ...ctx, viewer: viewerAs(ctx.subject) }

  const keep = (fileName: string, fileKey: string, content: ReceivedContent, metadata?: object) =>
    publishVersion(keeper, {
      isWithoutQuota: true,
      type,
      name: keptName(name),
      version: upstreamVersion,
      isInternal: true,
      files: [{ fileName, fileKey, isLead: false, content, replaces: true, ...(metadata ? { metadata } : {}) }],
    })

  async function getKept(fileName: string, fileKey: string): Promise<FileWithMetadata> {
    const kept = await findKept(fileName, fileKey)
    if (!kept) throw missing()
    return kept
  }

  async function read(file: FileWithMetadata): Promise<UpstreamDocument> {
    const stored = file.size_bytes === 0 ? undefined : await ctx.blobs.packages.get(file.blob_key)
    const { contentType = '' } = metadataOf<{ contentType?: string }>(file)
    return { file, contentType, content: stored ? await buffer(stored.stream) : Buffer.alloc(0) }
  }

  return {
    url: base,
    async document(key, path, { headers = {}, transform = (content: Buffer) => content } = {}) {
      const kept = await findKept(key, 'document')
      // Guests cause no requests to other servers; they read what is stored.
      if (kept && (!ctx.viewer || nowUnix(ctx.clock) - kept.created_unix < freshSeconds)) return read(kept)
      try {
        await shareFetch(keyOf(`document ${key}`), async () => {
          await refuseOverQuota(ctx, ctx.subject, 'size:assets:packages:all')
          const reply = await ask(`${base}${path}`, headers, maxDocumentBytes, documentTimeoutMs)
          const content = await transform(await buffer(reply.body), reply)
          const contentType = String(reply.headers['content-type'] ?? '').slice(0, 200)
          await storeContents(ctx, async (receive) => {
            const signal = AbortSignal.timeout(documentTimeoutMs)
            await keep(key, 'document', await receive(Readable.from([content]), Infinity, signal), { contentType })
          })
        })
      } catch (error) {
        // While the upstream is unavailable, an old document is served.
        if (kept && error instanceof Unavailable) return read(kept)
        throw error
      }
      return read(await getKept(key, 'document'))
    },
    async file(fileName, limitBytes, locate) {
      const kept = await findKept(fileName, 'file')
      if (kept) return kept
      await shareFetch(keyOf(`file ${fileName}`), async () => {
        await refuseOverQuota(ctx, ctx.subject, 'size:assets:packages:all')
        const { url, digests, headers = {}, check } = await locate()
        const maxBytes = limitBytes < 0 ? Infinity : limitBytes
        const reply = await ask(url, headers, maxBytes, fileTimeoutMs)
        await storeContents(ctx, async (receive) => {
          const arrived = await receive(reply.body, maxBytes, AbortSignal.timeout(fileTimeoutMs)).catch(
            (error: unknown) => {
              throw error instanceof Refusal || error instanceof OutgoingError
                ? error
                : broken('ended the connection within a file')
            },
          )
          checkDigests(arrived, digests, check !== undefined)
          await check?.(archiveIn(ctx, arrived))
          await keep(fileName, 'file', arrived)
        })
      })
      return getKept(fileName, 'file')
    },
  }
}

/** Throws unless the file has the given digests. */
function checkDigests({ sha256, digests: own }: ReceivedContent, wanted: Digests, isCheckedOtherwise: boolean): void {
  const have: Digests = { ...own, sha256 }
  const named = (['sha512', 'sha256', 'sha1', 'md5'] as const).filter((name) => wanted[name] !== undefined)
  if (named.length === 0 && !isCheckedOtherwise) throw broken('has no checksum of the file')
  if (named.some((name) => wanted[name]?.toLowerCase() !== have[name])) {
    throw new Unavailable('the file from the upstream does not match its checksum', 'upstream_checksum_wrong')
  }
}
