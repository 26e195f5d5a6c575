import { Readable } from 'node:stream'
import { Invalid, NotFound, Unavailable } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { type CatCommand, maxListedObjectBytes, maxTextObjectBytes } from '../broker/protocol.ts'
import { type CachedObject, checkOids, explainMissing, type GitContext, type Location, locate } from '../context.ts'
import { withSlot } from './with-slot.ts'
import type { Blob, Commit, ObjectType, PathEntry, ReadFrom, Tag, TreeEntry } from '../git.ts'
import type { ClientShare } from '../git-service.ts'
import { parseCommit, parseTag, parseTree } from './object-codec.ts'

/** Limit for parsed commits, tags and trees. */
const maxParsedBytes = 64 << 20
/** Largest blob that a pooled reader serves. A larger one gets its own process, so that it blocks no other read. */
const maxPooledBlobBytes = 4 << 20
/** Commands per request to a reader. */
const batchSize = 500
/** Commits per request to a reader: their beginnings are in memory at once. */
const listedBatchSize = 100

type Reply = {
  readonly name: string
  readonly type?: ObjectType
  readonly sizeBytes: number
  readonly content?: Buffer
  /** `cut`: the content is only the beginning of the object. */
  readonly state: 'found' | 'cut' | 'missing' | 'ambiguous' | 'large'
}

/** Replies in the order of `commands`. */
export async function cat(context: GitContext, location: Location, commands: readonly CatCommand[]): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let start = 0; start < commands.length; start += batchSize) {
    const part = commands.slice(start, start + batchSize)
    const limit = part.reduce((sum, command) => sum + (command[0] === 'blob' ? command[2] : 0) + 4096, maxParsedBytes)
    const raw = await context.broker
      .cat(location.directory, location.environment, part, limit)
      .catch((error: unknown) => explainMissing(location, error))
    replies.push(...parseReplies(raw, part))
  }
  return replies
}

function parseReplies(raw: Buffer, commands: readonly CatCommand[]): Reply[] {
  let offset = 0
  return commands.map((command) => {
    const end = raw.indexOf(10, offset)
    if (end === -1) throw new Unavailable('git sent an incomplete answer', 'git_unavailable')
    const fields = raw.toString('latin1', offset, end).split(' ')
    offset = end + 1
    const last = fields.at(-1)
    if (last === 'missing' || last === 'ambiguous') return { name: fields[0]!, sizeBytes: 0, state: last }
    const [name = '', type, size] = fields
    const found = { name, type: type as ObjectType, sizeBytes: Number(size) }
    if (last === 'large') return { ...found, state: 'large' }
    if (command[0] === 'info') return { ...found, state: 'found' }
    if (last === 'cut') {
      const cutBytes = command[0] === 'beginning' ? maxListedObjectBytes : maxTextObjectBytes
      const content = raw.subarray(offset, offset + cutBytes)
      offset += cutBytes
      return { ...found, content, state: 'cut' }
    }
    const content = raw.subarray(offset, offset + found.sizeBytes)
    offset += found.sizeBytes + 1
    return { ...found, content, state: 'found' }
  })
}

const missing = (what: string, oid: string): NotFound =>
  new NotFound(`${what} ${oid} does not exist`, 'git_object_missing')

/**
 * Commits, trees and tags by id, from the cache or in one batch; of blobs only the type. Missing objects are left out.
 */
export async function readParsed(
  context: GitContext,
  location: Location,
  oids: Iterable<Oid>,
): Promise<Map<Oid, CachedObject | { kind: 'blob' }>> {
  const found = new Map<Oid, CachedObject | { kind: 'blob' }>()
  const wanted = new Set<Oid>()
  for (const oid of oids) {
    const cached = context.caches.objects.get(`${location.scope}:${oid}`)
    if (cached === undefined) wanted.add(oid)
    else found.set(oid, cached)
  }
  if (wanted.size === 0) return found
  checkOids(...wanted)
  const replies = await cat(
    context,
    location,
    [...wanted].map((oid) => ['contents', oid] as const),
  )
  for (const reply of replies) {
    if (reply.state !== 'found' && reply.state !== 'cut') continue
    const oid = reply.name as Oid
    const object = parseObject(oid, reply)
    found.set(oid, object)
    if (object.kind !== 'blob') context.caches.objects.set(`${location.scope}:${oid}`, object)
  }
  return found
}

/** Larger blobs are not cached. */
const maxRememberedBytes = 64 << 10

/** Caches an object that was just written, because its writer reads it next. */
export function rememberWritten(
  context: GitContext,
  at: ReadFrom,
  { type, oid, content }: { readonly type: ObjectType; readonly oid: Oid; readonly content: Buffer },
): void {
  if (content.length > maxRememberedBytes) return
  const location = locate(context, at)
  context.caches.infos.set(`${location.scope}:${oid}`, { type, sizeBytes: content.length })
  const object = parseObject(oid, { name: oid, type, sizeBytes: content.length, content, state: 'found' })
  if (object.kind === 'blob') rememberBlob(context, location, oid, content)
  else context.caches.objects.set(`${location.scope}:${oid}`, object)
}

function parseObject(oid: Oid, reply: Reply): CachedObject | { kind: 'blob' } {
  const content = reply.content!
  const isCut = reply.state === 'cut'
  const { sizeBytes } = reply
  if (reply.type === 'commit') {
    return { kind: 'commit', sizeBytes, commit: shortened(parseCommit(oid, Buffer.from(content)), isCut) }
  }
  if (reply.type === 'tag') {
    return { kind: 'tag', sizeBytes, tag: shortened(parseTag(oid, Buffer.from(content)), isCut) }
  }
  if (reply.type === 'tree') return { kind: 'tree', entries: parseTree(content, oid.length / 2) }
  return { kind: 'blob' }
}

/** Characters kept of a truncated message. */
const cutMessageLength = 32 << 10

/** A truncated commit or tag: its message says so, and its signature is dropped, since it cannot be checked. */
function shortened<Text extends Commit | Tag>(object: Text, isCut: boolean): Text {
  if (!isCut) return object
  const { signature: _signature, signedPayload: _signedPayload, ...rest } = object
  // A slice would hold the whole message in memory.
  const beginning = Buffer.from(object.message.slice(0, cutMessageLength)).toString()
  return { ...rest, message: `${beginning}\n[the rest of the message is left out]\n` } as Text
}

/**
 * Commits and tags for lists, in the order of `oids`: of an object above `maxListedObjectBytes` the message is cut and
 * the signature is left out. This depends only on the object, whatever is cached.
 */
async function readListed(context: GitContext, at: ReadFrom, oids: readonly Oid[]): Promise<Map<Oid, CachedObject>> {
  const location = locate(context, at)
  const found = new Map<Oid, CachedObject>()
  const wanted = new Set<Oid>()
  for (const oid of oids) {
    const whole = context.caches.objects.get(`${location.scope}:${oid}`)
    const known = whole && !isLarge(whole) ? whole : context.caches.objects.get(listedName(location, oid))
    if (known === undefined) wanted.add(oid)
    else found.set(oid, known)
  }
  checkOids(...wanted)
  const left = [...wanted]
  while (left.length > 0) {
    const batch = left.splice(0, listedBatchSize)
    const replies = await cat(
      context,
      location,
      batch.map((oid) => ['beginning', oid] as const),
    )
    for (const reply of replies) {
      if (reply.state !== 'found' && reply.state !== 'cut') continue
      const oid = reply.name as Oid
      const object = reply.state === 'cut' ? await listedObject(context, location, oid, reply) : parseObject(oid, reply)
      if (object.kind === 'blob') continue
      found.set(oid, object)
      const name = reply.state === 'cut' ? listedName(location, oid) : `${location.scope}:${oid}`
      context.caches.objects.set(name, object)
    }
  }
  return found
}

const listedName = (location: Location, oid: Oid): string => `${location.scope}:listed:${oid}`

const isLarge = (object: CachedObject): boolean => object.kind !== 'tree' && object.sizeBytes > maxListedObjectBytes

/** The listed form of a large object. Its header may be longer than the beginning, and names the parents. */
async function listedObject(context: GitContext, location: Location, oid: Oid, reply: Reply) {
  if (reply.content!.includes('\n\n')) return parseObject(oid, reply)
  const [whole] = await cat(context, location, [['contents', oid]])
  return parseObject(oid, { ...whole!, state: 'cut' })
}

/** Commits for lists, in the order of `oids` (`readListed`). */
export async function readCommits(context: GitContext, at: ReadFrom, oids: readonly Oid[]): Promise<readonly Commit[]> {
  const found = await readListed(context, at, oids)
  return oids.map((oid) => {
    const object = found.get(oid)
    if (object?.kind !== 'commit') throw missing('commit', oid)
    return object.commit
  })
}

/** Annotated tags for lists, in the order of `oids` (`readListed`). */
export async function readTags(context: GitContext, at: ReadFrom, oids: readonly Oid[]): Promise<readonly Tag[]> {
  const found = await readListed(context, at, oids)
  return oids.map((oid) => {
    const object = found.get(oid)
    if (object?.kind !== 'tag') throw missing('tag', oid)
    return object.tag
  })
}

export async function readCommit(context: GitContext, at: ReadFrom, oid: Oid): Promise<Commit> {
  const object = (await readParsed(context, locate(context, at), [oid])).get(oid)
  if (object?.kind !== 'commit') throw missing('commit', oid)
  return object.commit
}

export async function readTag(context: GitContext, at: ReadFrom, oid: Oid): Promise<Tag> {
  const object = (await readParsed(context, locate(context, at), [oid])).get(oid)
  if (object?.kind !== 'tag') throw missing('tag', oid)
  return object.tag
}

/** The object at the end of a chain of tags; undefined when it does not exist. */
export async function peel(
  context: GitContext,
  at: ReadFrom,
  oid: Oid,
): Promise<{ oid: Oid; type: ObjectType } | undefined> {
  let current = oid
  // Tags of tags are legal; a long chain is an attack.
  for (let depth = 0; depth < 20; depth += 1) {
    const info = await objectInfo(context, at, current)
    if (info === undefined) return undefined
    if (info.type !== 'tag') return { oid: current, type: info.type }
    current = (await readTag(context, at, current)).target
  }
  return undefined
}

/** The entries of a tree, or of the tree of a commit or tag. */
export async function readTree(context: GitContext, at: ReadFrom, treeish: Oid): Promise<readonly TreeEntry[]> {
  const location = locate(context, at)
  let oid = treeish
  for (let depth = 0; depth < 20; depth += 1) {
    const object = (await readParsed(context, location, [oid])).get(oid)
    if (object === undefined || object.kind === 'blob') break
    if (object.kind === 'tree') return object.entries
    oid = object.kind === 'commit' ? object.commit.tree : object.tag.target
  }
  // The empty tree exists even when it is not stored.
  if (oid === emptyTreeOid(40) || oid === emptyTreeOid(64)) return []
  throw missing('tree', treeish)
}

/** The id of the empty tree. */
export const emptyTreeOid = (length: number): Oid =>
  (length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904') as Oid

/** Types and sizes in one batch; missing objects are left out. */
export async function objectInfos(
  context: GitContext,
  at: ReadFrom,
  oids: readonly Oid[],
): Promise<Map<Oid, { type: ObjectType; sizeBytes: number }>> {
  const location = locate(context, at)
  const found = new Map<Oid, { type: ObjectType; sizeBytes: number }>()
  const wanted = new Set<Oid>()
  for (const oid of oids) {
    const known = context.caches.infos.get(`${location.scope}:${oid}`)
    if (known === undefined) wanted.add(oid)
    else found.set(oid, known)
  }
  if (wanted.size === 0) return found
  checkOids(...wanted)
  for (const reply of await cat(
    context,
    location,
    [...wanted].map((oid) => ['info', oid] as const),
  )) {
    if (reply.state !== 'found') continue
    const info = { type: reply.type!, sizeBytes: reply.sizeBytes }
    found.set(reply.name as Oid, info)
    context.caches.infos.set(`${location.scope}:${reply.name}`, info)
  }
  return found
}

export async function objectInfo(
  context: GitContext,
  at: ReadFrom,
  oid: Oid,
): Promise<{ type: ObjectType; sizeBytes: number } | undefined> {
  return (await objectInfos(context, at, [oid])).get(oid)
}

export async function missingObjects(context: GitContext, at: ReadFrom, oids: readonly Oid[]): Promise<readonly Oid[]> {
  const found = await objectInfos(context, at, oids)
  return oids.filter((oid) => !found.has(oid))
}

/** Resolves an abbreviated id. A commit wins when several objects match. */
export async function expandAbbreviation(context: GitContext, at: ReadFrom, prefix: string): Promise<Oid | undefined> {
  const location = locate(context, at)
  const [plain, asCommit] = await cat(context, location, [
    ['info', prefix],
    ['info', `${prefix}^{commit}`],
  ])
  if (plain?.state === 'found') return plain.name as Oid
  return plain?.state === 'ambiguous' && asCommit?.state === 'found' ? (asCommit.name as Oid) : undefined
}

export async function readBlob(
  context: GitContext,
  at: ReadFrom,
  oid: Oid,
  { maxBytes }: { maxBytes: number },
): Promise<Blob> {
  checkOids(oid)
  const location = locate(context, at)
  const known = context.caches.blobs.get(`${location.scope}:${oid}`)
  if (known !== undefined && known.length <= maxBytes) return { oid, sizeBytes: known.length, content: known }
  const [reply] = await cat(context, location, [['blob', oid, Math.min(maxBytes, maxPooledBlobBytes)]])
  if (reply === undefined || reply.state === 'missing' || reply.type !== 'blob') throw missing('blob', oid)
  const { sizeBytes } = reply
  if (reply.content !== undefined) {
    rememberBlob(context, location, oid, reply.content)
    return { oid, sizeBytes, content: reply.content }
  }
  if (sizeBytes > maxBytes) return { oid, sizeBytes }
  const { stream } = await streamBlob(context, at, oid)
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return { oid, sizeBytes, content: Buffer.concat(chunks) }
}

/** Contents of small objects in one batch; missing ones are left out. */
export async function readContents(
  context: GitContext,
  at: ReadFrom,
  oids: readonly Oid[],
): Promise<ReadonlyMap<Oid, Buffer>> {
  checkOids(...oids)
  const replies = await cat(
    context,
    locate(context, at),
    oids.map((oid) => ['contents', oid] as const),
  )
  return new Map(replies.flatMap((reply) => (reply.state === 'found' ? [[reply.name as Oid, reply.content!]] : [])))
}

export async function blobSizes(
  context: GitContext,
  at: ReadFrom,
  oids: readonly Oid[],
): Promise<ReadonlyMap<Oid, number>> {
  const sizes = new Map<Oid, number>()
  for (const [oid, info] of await objectInfos(context, at, oids)) {
    if (info.type === 'blob') sizes.set(oid, info.sizeBytes)
  }
  return sizes
}

export async function blobSize(context: GitContext, at: ReadFrom, oid: Oid): Promise<number> {
  const size = (await blobSizes(context, at, [oid])).get(oid)
  if (size === undefined) throw missing('blob', oid)
  return size
}

type Range = { readonly start: number; readonly end: number }

export async function streamBlob(
  context: GitContext,
  at: ReadFrom,
  oid: Oid,
  options: { range?: Range; signal?: AbortSignal; share?: ClientShare | undefined } = {},
): Promise<{ sizeBytes: number; stream: Readable }> {
  const location = locate(context, at)
  const sizeBytes = await blobSize(context, at, oid)
  const { start, end } = options.range ?? { start: 0, end: sizeBytes }
  if (start < 0 || end > sizeBytes || start > end) throw new Invalid('the range is outside of the blob')
  if (sizeBytes <= maxPooledBlobBytes) {
    const content = await smallBlob(context, location, oid)
    return { sizeBytes, stream: Readable.from([content.subarray(start, end)], { objectMode: false }) }
  }
  const { output } = await withSlot(options.share, options.signal, () =>
    context.broker.stream({
      args: ['cat-file', 'blob', oid],
      cwd: location.directory,
      kind: 'download',
      environment: { GIT_DIR: location.directory, ...location.environment },
      signal: options.signal,
      timeoutMs: context.limits.transportTimeoutMs,
      idleMs: context.limits.transportIdleMs,
    }),
  )
  return { sizeBytes, stream: start === 0 && end === sizeBytes ? output : cut(output, start, end) }
}

/** The bytes of a blob of at most `maxPooledBlobBytes`. */
async function smallBlob(context: GitContext, location: Location, oid: Oid): Promise<Buffer> {
  const known = context.caches.blobs.get(`${location.scope}:${oid}`)
  if (known !== undefined) return known
  const [reply] = await cat(context, location, [['blob', oid, maxPooledBlobBytes]])
  if (reply?.content === undefined) throw missing('blob', oid)
  rememberBlob(context, location, oid, reply.content)
  return reply.content
}

/** Caches a copy: a view would keep the much larger buffer of the connection alive. */
function rememberBlob(context: GitContext, location: Location, oid: Oid, content: Buffer): void {
  if (content.length <= maxRememberedBytes) {
    context.caches.blobs.set(`${location.scope}:${oid}`, Buffer.from(content))
  }
}

/** Bytes `start` to `end` of a stream; the rest is not read. */
function cut(source: Readable, start: number, end: number): Readable {
  async function* part(): AsyncGenerator<Buffer> {
    let offset = 0
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const piece = chunk.subarray(Math.max(0, start - offset), Math.max(0, end - offset))
      offset += chunk.length
      if (piece.length > 0) yield piece
      if (offset >= end) return
    }
  }
  return Readable.from(part(), { objectMode: false })
}

/** The entry at a path below a commit or tree; the root is `''`. Repeated and outer slashes are ignored. */
export async function findPath(
  context: GitContext,
  at: ReadFrom,
  treeish: Oid,
  path: string,
): Promise<PathEntry | undefined> {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.length === 0) {
    const location = locate(context, at)
    const object = (await readParsed(context, location, [treeish])).get(treeish)
    if (object === undefined || object.kind === 'blob') return undefined
    if (object.kind === 'tag') return findPath(context, at, object.tag.target, '')
    return {
      mode: '040000',
      type: 'tree',
      oid: object.kind === 'commit' ? object.commit.tree : treeish,
      name: '',
      path: '',
    }
  }
  let tree = treeish
  for (const [index, part] of parts.entries()) {
    const entry = (await readTree(context, at, tree)).find((candidate) => candidate.name === part)
    if (entry === undefined) return undefined
    if (index === parts.length - 1) return { ...entry, path: parts.join('/') }
    if (entry.type !== 'tree') return undefined
    tree = entry.oid
  }
  return undefined
}
