import type { Ctx, RepoCtx } from '../../access/context.ts'
import { pluck } from '../../lib/pluck.ts'
import { parseSizedJson } from '../../http/json-size.ts'
import { Invalid } from '../../lib/errors.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { migrationClient } from '../../repos/mirrors/migration-client.ts'
import { basicAuthorization, type RemoteAddress } from '../../repos/mirrors/remote-address.rules.ts'
import { asInvalid } from '../../repos/mirrors/remote-repository.service.ts'
import { lfsType } from '../lfs-errors.ts'
import { storeObject } from './object.service.ts'
import { listObjects } from './object.store.ts'
import { readPointers } from './references.service.ts'
import type { Pointer } from './pointer.rules.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

/** Objects per request, and concurrent downloads. */
const batch = 100
const parallelDownloads = 3

/** Timeout of one download, in milliseconds. */
const downloadTimeoutMs = 6 * 3_600_000

/** Result of a fetch. */
export interface FetchedObjects {
  readonly fetched: number
  /** Reasons of missing objects that the other server does not have either. */
  readonly missing: readonly string[]
}

/** Returns the default LFS endpoint of a repository (LFS server discovery). */
const endpointOf = (url: string): string => `${url.replace(/\.git$/, '')}.git/info/lfs`

/**
 * Fetches the objects that the history of a repository refers to and that are missing. Objects that the other server
 * lacks are reported; any other failure is `Invalid`. Objects that arrived before a failure are kept.
 */
export async function fetchRemoteObjects(
  ctx: Ctx & Pick<RepoCtx, 'repo' | 'owner'>,
  remote: RemoteAddress,
  options: {
    readonly endpoint?: string | undefined
    readonly signal: AbortSignal
    /** Called after each batch with the number of fetched objects. */
    readonly progress?: (fetched: number) => Promise<void>
  },
): Promise<FetchedObjects> {
  const endpoint = trimTrailing(options.endpoint || endpointOf(remote.url), '/')
  const missing: string[] = []
  let fetched = 0
  let wanted = new Map<string, Pointer>()
  const flush = async (): Promise<void> => {
    const pointers = [...wanted.values()]
    wanted = new Map()
    const known = new Set((await listObjects(ctx.db, ctx.repo.id, pluck(pointers, 'oid'))).map(({ oid }) => oid))
    const lacking = pointers.filter(({ oid }) => !known.has(oid))
    if (lacking.length === 0) return
    const actions = await askFor(ctx, endpoint, remote, lacking, options.signal)
    await mapLimited(lacking, parallelDownloads, async (pointer) => {
      const action = actions.get(pointer.oid)
      if (typeof action !== 'object') {
        missing.push(`${pointer.oid}: ${action ?? 'the other server did not list it'}`)
        return
      }
      await download(ctx, pointer, action, options.signal)
      fetched += 1
    })
    await options.progress?.(fetched)
  }
  for await (const pointer of readPointers(ctx.git, ctx.repo, { signal: options.signal })) {
    options.signal.throwIfAborted()
    wanted.set(pointer.oid, pointer)
    if (wanted.size >= batch) await flush()
  }
  await flush()
  return { fetched, missing }
}

interface Download {
  readonly href: string
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the download address of each object, or why it is missing. */
async function askFor(
  ctx: Ctx,
  endpoint: string,
  remote: RemoteAddress,
  pointers: readonly Pointer[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Download | string>> {
  const isHome = URL.parse(endpoint)?.origin === new URL(remote.url).origin
  const credentials: Record<string, string> =
    isHome && remote.credentials ? { authorization: basicAuthorization(remote.credentials) } : {}
  const reply = await asInvalid(
    migrationClient.of(ctx).request(`${endpoint}/objects/batch`, {
      method: 'POST',
      headers: { accept: lfsType, 'content-type': lfsType, ...credentials },
      body: JSON.stringify({
        operation: 'download',
        transfers: ['basic'],
        hash_algo: 'sha256',
        objects: pointers.map(({ oid, sizeBytes }) => ({ oid, size: sizeBytes })),
      }),
      signal,
    }),
  )
  if (reply.status !== 200) {
    throw new Invalid(`the other server answered ${reply.status} when asked for LFS objects`, 'remote_lfs_refused')
  }
  const answer = parsed(reply.body)
  return new Map(
    answer.flatMap((object): [string, Download | string][] => {
      const oid = object['oid']
      if (typeof oid !== 'string') return []
      const { href, header } = inner(inner(object['actions'])['download'])
      if (typeof href === 'string') {
        const sameHost = URL.parse(href)?.origin === URL.parse(endpoint)?.origin
        const given = Object.entries(inner(header)).filter(
          (each): each is [string, string] => typeof each[1] === 'string',
        )
        return [[oid, { href, headers: given.length === 0 && sameHost ? credentials : Object.fromEntries(given) }]]
      }
      const { message } = inner(object['error'])
      return [[oid, typeof message === 'string' ? message.slice(0, 200) : 'the other server does not have it']]
    }),
  )
}

const inner = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

function parsed(body: Buffer): readonly Readonly<Record<string, unknown>>[] {
  try {
    const { objects } = inner(parseSizedJson(body))
    if (Array.isArray(objects)) return (objects as unknown[]).map(inner)
  } catch (error) {
    throw new Invalid('the other server returned an invalid list of LFS objects', 'remote_lfs_unreadable', {
      reason: Error.isError(error) ? error.message : String(error),
    })
  }
  throw new Invalid('the other server returned no list of LFS objects', 'remote_lfs_unreadable')
}

async function download(
  ctx: Ctx & Pick<RepoCtx, 'repo' | 'owner'>,
  pointer: Pointer,
  { href, headers }: Download,
  signal: AbortSignal,
): Promise<void> {
  const reply = await asInvalid(
    migrationClient.of(ctx).stream(href, {
      headers,
      maxRedirects: 5,
      maxBodyBytes: pointer.sizeBytes + 1,
      timeoutMs: downloadTimeoutMs,
      signal,
    }),
  )
  if (reply.status !== 200) {
    reply.body.destroy()
    throw new Invalid(
      `the other server answered ${reply.status} for the LFS object ${pointer.oid}`,
      'remote_lfs_refused',
    )
  }
  await asInvalid(storeObject(ctx, pointer, reply.body, signal))
}
