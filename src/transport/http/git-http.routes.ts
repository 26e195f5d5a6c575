import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Type } from 'typebox'
import { contentTypeOf } from '../../http/media-type.ts'
import { bytesOf, operation, type Call } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import type { GitService as RunningGit } from '../../git/git-service.ts'
import { flushPacket, packet } from '../../git/pkt-line.ts'
import { BadRequest, NotFound, Unauthenticated, UnsupportedMediaType } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import type { GitCtx, GitService } from '../git-access.service.ts'
import { shareOfClient } from '../../access/client-share.ts'
import { gitErrors, mayFetch, mayPush, mayUseNamedService } from './git.requirements.ts'
import { limitFetchInput } from '../input-limits.ts'
import { pushInto } from '../push.ts'

/** Headers that prevent caching. */
const neverCached = {
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
}

const protocolOf = (call: Call): { protocol?: string } => {
  const header = call.headers['git-protocol']
  return typeof header === 'string' ? { protocol: header } : {}
}

/** The request body, decompressed. */
function requestBody(call: Call, service: GitService): Readable {
  if (contentTypeOf(call).split(';', 1)[0] !== `application/x-${service}-request`) {
    throw new Unauthenticated(`the content type must be application/x-${service}-request`)
  }
  const encoding = call.headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return call.body()
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new UnsupportedMediaType(`content encoding ${String(encoding)} is not supported; send gzip or none`)
  }
  const unpacked = new PassThrough()
  // A body that is not gzip or ends early fails the stream that git reads.
  pipeline(call.body(), createGunzip(), unpacked).catch((error: NodeJS.ErrnoException) => {
    const isBroken = error.code?.startsWith('Z_') === true
    unpacked.destroy(isBroken ? new BadRequest('the body is not valid gzip', 'body_not_gzip') : error)
  })
  return unpacked
}

/** git's output as a reply. Its exit code adds nothing to the output. */
function gitReply(service: GitService, kind: 'advertisement' | 'result', running: RunningGit) {
  running.finished.catch((error: Error) => running.output.destroy(error))
  if (kind === 'result') return bytes(`application/x-${service}-result`, running.output)
  const content = new PassThrough()
  content.write(packet(`# service=${service}\n`) + flushPacket)
  pipeline(running.output, content).catch((error: Error) => content.destroy(error))
  return bytes(`application/x-${service}-advertisement`, content, { headers: neverCached })
}

/** The references of a repository at the start of a clone, fetch or push; without a service for dumb clients. */
export const gitInfoRefs = operation({
  method: 'GET',
  path: '/{username}/{reponame}/info/refs',
  cost: 'usual',
  base: 'site',
  family: 'git',
  scope: null,
  errors: gitErrors,
  requires: [mayUseNamedService],
  query: { service: Type.Optional(Type.String()) },
  reply: {
    200: bytesOf(
      'text/plain',
      'application/x-git-upload-pack-advertisement',
      'application/x-git-receive-pack-advertisement',
    ),
  },
  async run({ ctx, query, call }) {
    const service = query.service as GitService | undefined
    if (service === undefined) {
      const { refs } = await ctx.git.listRefs(ctx.gitKey, { sort: 'name' })
      const lines = refs.flatMap((ref) => [
        `${ref.oid}\t${ref.name}\n`,
        ...(ref.peeled === ref.oid ? [] : [`${ref.peeled}\t${ref.name}^{}\n`]),
      ])
      return bytes('text/plain; charset=utf-8', lines.join(''), { headers: neverCached })
    }
    const share = shareOfClient(ctx, service === 'git-upload-pack' ? 'fetches' : 'pushes')
    const request = {
      ...protocolOf(call),
      stateless: true,
      advertise: true,
      signal: call.signal,
      ...(share && { share }),
    }
    const running =
      service === 'git-upload-pack'
        ? await ctx.git.uploadPack(ctx.gitKey, request)
        : await ctx.git.receivePack(ctx.gitKey, { ...request, callbacks: neverCalled })
    return gitReply(service, 'advertisement', running)
  },
})

/** An advertisement has no push. */
const neverCalled = {
  checkPush: () => Promise.reject(new Error('an advertisement has no push')),
  moveRefs: () => Promise.reject(new Error('an advertisement has no push')),
}

export const gitUploadPack = operation({
  method: 'POST',
  path: '/{username}/{reponame}/git-upload-pack',
  cost: 'usual',
  base: 'site',
  family: 'git',
  scope: null,
  errors: gitErrors,
  writes: false,
  requires: [mayFetch],
  body: bytesOf('application/x-git-upload-pack-request'),
  reply: { 200: bytesOf('application/x-git-upload-pack-result') },
  async run({ ctx, call }) {
    const body = limitFetchInput(requestBody(call, 'git-upload-pack'), (bytes) => call.holds(bytes))
    const share = shareOfClient(ctx, 'fetches')
    const running = await ctx.git.uploadPack(ctx.gitKey, {
      ...protocolOf(call),
      stateless: true,
      body,
      signal: call.signal,
      ...(share && { share }),
    })
    return gitReply('git-upload-pack', 'result', running)
  },
})

export const gitReceivePack = operation({
  method: 'POST',
  path: '/{username}/{reponame}/git-receive-pack',
  cost: 'usual',
  base: 'site',
  family: 'git',
  scope: null,
  errors: gitErrors,
  requires: [mayPush],
  body: bytesOf('application/x-git-receive-pack-request'),
  reply: { 200: bytesOf('application/x-git-receive-pack-result') },
  async run({ ctx, call }) {
    const body = requestBody(call, 'git-receive-pack')
    const running = await pushInto(ctx, { ...protocolOf(call), stateless: true, body, signal: call.signal })
    return gitReply('git-receive-pack', 'result', running)
  },
})

/** The branch of HEAD, for dumb clients. */
export const gitHead = operation({
  method: 'GET',
  path: '/{username}/{reponame}/HEAD',
  cost: 'usual',
  base: 'site',
  family: 'git',
  scope: null,
  errors: gitErrors,
  requires: [mayFetch],
  reply: { 200: bytesOf('text/plain') },
  async run({ ctx }) {
    const { branch } = await ctx.git.readHead(ctx.gitKey)
    return bytes('text/plain', `ref: refs/heads/${branch}\n`, { headers: neverCached })
  },
})

/** The names of packs, for dumb clients. */
export const gitPacks = operation({
  method: 'GET',
  path: '/{username}/{reponame}/objects/info/packs',
  cost: 'usual',
  base: 'site',
  family: 'git',
  scope: null,
  errors: gitErrors,
  requires: [mayFetch],
  reply: { 200: bytesOf('text/plain') },
  async run({ ctx }) {
    const packs = await ctx.git.listPacks(ctx.gitKey)
    const lines = packs.map((name) => `P ${name}\n`)
    return bytes('text/plain; charset=utf-8', `${lines.join('')}\n`, { headers: neverCached })
  },
})

/** A loose object, a pack or its index, for dumb clients. These files never change and are cacheable. */
export const gitStoredFile = operation({
  method: 'GET',
  path: '/{username}/{reponame}/objects/{folder}/{filename}',
  cost: 'usual',
  base: 'site',
  family: 'git',
  scope: null,
  errors: gitErrors,
  requires: [mayFetch],
  reply: {
    200: bytesOf(
      'application/x-git-loose-object',
      'application/x-git-packed-objects',
      'application/x-git-packed-objects-toc',
    ),
  },
  async run({ ctx, params }) {
    const found = await ctx.git.storedFile(ctx.gitKey, `${params.folder}/${params.filename}`)
    if (!found) throw new NotFound('the object does not exist: not found')
    return bytes(storedType(params.filename), found.read(), {
      sizeBytes: found.sizeBytes,
      headers: keptForAYear(ctx),
    })
  },
})

const storedType = (name: string): string =>
  name.endsWith('.pack')
    ? 'application/x-git-packed-objects'
    : name.endsWith('.idx')
      ? 'application/x-git-packed-objects-toc'
      : 'application/x-git-loose-object'

const yearSeconds = 31_536_000

/** Public caches may keep public repositories. Dates are Unix seconds, as clients expect. */
function keptForAYear({ clock, repo, owner }: GitCtx): Record<string, string> {
  const now = nowUnix(clock)
  const who = repo.is_private || owner.visibility !== 'public' ? 'private' : 'public'
  return { date: String(now), expires: String(now + yearSeconds), 'cache-control': `${who}, max-age=${yearSeconds}` }
}
