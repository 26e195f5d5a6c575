/**
 * The parts of fetches and pushes that need no git process: the advertisement of protocol v2, its `ls-refs` command,
 * and the list of references that begins a push. The capability lines come from the installed git, which is asked once
 * per object format.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Invalid } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { formatOf, type GitContext } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { ObjectFormat } from '../git.ts'
import { zeroOid } from '../../lib/refs.ts'
import { flushPacket, packet, parsePackets } from '../pkt-line.ts'
import { listRefs, readHead, readRefs } from '../refs/ref-reader.ts'

/** git's own capabilities: its v2 advertisement, and the capabilities on the first line of a push's list. */
export type Capabilities = { readonly fetchV2: Buffer; readonly push: string }

const maxPrefixes = 65_536

const known = new WeakMap<GitContext, Map<ObjectFormat, Promise<Capabilities>>>()

/** The capabilities of the installed git for an object format, asked once with a temporary empty repository. */
export function capabilitiesOf(context: GitContext, format: ObjectFormat): Promise<Capabilities> {
  const formats = known.get(context) ?? new Map<ObjectFormat, Promise<Capabilities>>()
  known.set(context, formats)
  const present = formats.get(format)
  if (present !== undefined) return present
  const probe = probeGit(context, format)
  formats.set(format, probe)
  // A failure is not cached.
  probe.catch(() => formats.delete(format))
  return probe
}

async function probeGit(context: GitContext, format: ObjectFormat): Promise<Capabilities> {
  const folder = join(context.root, '.settings', `probe-${randomBytes(8).toString('hex')}.git`)
  const { broker } = context
  await mkdir(folder, { recursive: true })
  try {
    mustSucceed(
      await broker.run({
        args: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, folder],
        cwd: folder,
        kind: 'write',
      }),
      'init',
    )
    const ask = async (command: string, environment: Record<string, string>): Promise<Buffer> => {
      const result = await broker.run({
        args: [command, '--stateless-rpc', '--advertise-refs', folder],
        name: command,
        cwd: folder,
        kind: 'read',
        environment,
      })
      mustSucceed(result, command)
      return result.stdout
    }
    const push = await ask('receive-pack', {})
    const line = parsePackets(push)[0]?.split('\0')[1]
    if (line === undefined) throw new Error('git receive-pack told no capabilities')
    return { fetchV2: await ask('upload-pack', { GIT_PROTOCOL: 'version=2' }), push: line }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The protocol version in `GIT_PROTOCOL`: the highest of its `version=` keys, as in git. */
export function protocolVersion(protocol: string | undefined): number {
  const versions = (protocol ?? '').split(':').map((part) => /^version=([12])$/.exec(part)?.[1])
  return Math.max(0, ...versions.map((version) => Number(version ?? 0)))
}

/** The list of references that begins a push (protocol v0). Pull request references are hidden. */
export async function pushAdvertisement(context: GitContext, key: GitKey): Promise<Buffer> {
  const format = await formatOf(context, key)
  const { push } = await capabilitiesOf(context, format)
  const refs = (await readRefs(context, key)).filter((ref) => !ref.name.startsWith('refs/pull/'))
  const empty = zeroOid(format)
  const list = refs.length === 0 ? [{ name: 'capabilities^{}', oid: empty }] : refs
  const lines = list.map((ref, index) => packet(`${ref.oid} ${ref.name}${index === 0 ? `\0${push}` : ''}\n`))
  return Buffer.from(lines.join('') + flushPacket)
}

/** Longer requests are negotiations, which git handles. */
const maxLookedAtBytes = 64 << 10

/**
 * Classifies a request of protocol v2: a list of references, a fresh clone (wants without haves), or another request.
 */
export function kindOfRequest(request: Buffer): 'ls-refs' | 'clone' | 'other' {
  if (request.length > maxLookedAtBytes) return 'other'
  // Some clients end the command line with a line feed.
  const command = /^00[0-9a-f]{2}command=(ls-refs|fetch)(?!-)/.exec(request.toString('latin1', 0, 64))?.[1]
  if (command === 'ls-refs') return 'ls-refs'
  return command === 'fetch' && isClone(parsePackets(request)) ? 'clone' : 'other'
}

const isClone = (packets: ReadonlyArray<string | undefined>): boolean =>
  packets.includes('done') &&
  packets.some((text) => text?.startsWith('want ')) &&
  !packets.some((text) => text?.startsWith('have ') || text?.startsWith('shallow '))

/** Reads a whole stream. Rejects when it fails or ends early. */
export async function readWhole(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Counts the commands in the beginning of a push, and returns whether the client wants all of them or none. */
export function commandsOf(start: Buffer): { readonly count: number; readonly isAtomic: boolean } {
  let count = 0
  let isAtomic = false
  for (let offset = 0; offset + 4 <= start.length;) {
    const length = Number.parseInt(start.toString('latin1', offset, offset + 4), 16)
    // The end of the list, or a malformed packet that git refuses.
    if (!(length >= 4)) break
    count += 1
    // The first command carries the capabilities.
    if (count === 1) {
      const [, capabilities = ''] = start.toString('latin1', offset + 4, offset + length).split('\0')
      isAtomic = capabilities.trimEnd().split(' ').includes('atomic')
    }
    offset += length
  }
  return { count, isAtomic }
}

/**
 * Returns the first bytes of a stream and leaves them in it. A stream that ends before is `whole`, and `body` replaces
 * it.
 */
export async function peek(
  stream: Readable,
  bytes: number,
): Promise<{ start: Buffer; body: Readable; whole: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for (;;) {
    const chunk = stream.read() as Buffer | null
    if (chunk !== null) {
      chunks.push(chunk)
      size += chunk.length
    }
    if (size >= bytes) {
      const start = Buffer.concat(chunks)
      stream.unshift(start)
      return { start, body: stream, whole: false }
    }
    if (stream.readableEnded) {
      const start = Buffer.concat(chunks)
      return { start, body: Readable.from([start], { objectMode: false }), whole: true }
    }
    if (stream.destroyed) return { start: Buffer.alloc(0), body: stream, whole: false }
    if (chunk === null) await nextEvent(stream)
  }
}

/** Resolves when the stream has more data or has ended. */
export const nextEvent = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    const events = ['readable', 'end', 'close', 'error']
    const settle = (): void => {
      for (const event of events) stream.off(event, settle)
      resolve()
    }
    for (const event of events) stream.on(event, settle)
  })

/** Answers an `ls-refs` request (gitprotocol-v2). */
export async function answerLsRefs(context: GitContext, key: GitKey, request: Buffer): Promise<Buffer> {
  const packets = parsePackets(request).filter((text) => text !== undefined)
  const format = packets.find((text) => text.startsWith('object-format='))?.slice(14) ?? 'sha1'
  if (format !== (await formatOf(context, key))) throw new Invalid('the repository has another object format')
  const prefixes = packets.filter((text) => text.startsWith('ref-prefix ')).map((text) => text.slice(11))
  const wanted = (name: string): boolean =>
    prefixes.length === 0 || prefixes.length > maxPrefixes || prefixes.some((prefix) => name.startsWith(prefix))
  const head = await readHead(context, key)
  const target = packets.includes('symrefs') && head.branch !== '' ? ` symref-target:refs/heads/${head.branch}` : ''
  const lines: string[] = []
  if (wanted('HEAD')) {
    if (head.oid !== undefined) lines.push(`${head.oid} HEAD${target}`)
    else if (packets.includes('unborn') && target !== '') lines.push(`unborn HEAD${target}`)
  }
  lines.push(...(await refLines(context, key, wanted, packets.includes('peel'))))
  return Buffer.from(lines.map((line) => packet(`${line}\n`)).join('') + flushPacket)
}

async function refLines(
  context: GitContext,
  key: GitKey,
  wanted: (name: string) => boolean,
  peel: boolean,
): Promise<string[]> {
  const plain = (ref: { oid: Oid; name: string }): string => `${ref.oid} ${ref.name}`
  const bare = (await readRefs(context, key)).filter((ref) => wanted(ref.name))
  if (!peel) return bare.map(plain)
  // Only tags can be peeled: branches and pull request references are commits.
  const tags = bare.some((ref) => ref.name.startsWith('refs/tags/'))
    ? new Map((await listRefs(context, key, { prefix: 'refs/tags/' })).refs.map((ref) => [ref.name, ref] as const))
    : undefined
  return bare.map((ref) => {
    const tag = tags?.get(ref.name)
    return tag === undefined || tag.peeled === ref.oid ? plain(ref) : `${plain(ref)} peeled:${tag.peeled}`
  })
}
