import type { Oid } from '../../lib/ids.ts'
import type { Commit, Identity, ObjectType, Tag, TreeEntry } from '../git.ts'
import { bytesOfName, nameOfBytes } from '../../lib/file-names.ts'
import { isAscii } from '../../lib/latin1.ts'
import { trimBoth } from '../../lib/trim-ends.ts'

/** An entry of a tree object. The name holds bytes (latin1), because not every name is UTF-8. */
export type RawTreeEntry = { readonly mode: string; readonly oid: Oid; readonly rawName: string }

export const typeOfMode = (mode: string): TreeEntry['type'] => {
  if (mode === '040000' || mode === '40000') return 'tree'
  return mode === '160000' ? 'commit' : 'blob'
}

/** Parses a tree object. `oidBytes` is 20 or 32. */
export function parseRawTree(content: Buffer, oidBytes: number): RawTreeEntry[] {
  const entries: RawTreeEntry[] = []
  let offset = 0
  while (offset < content.length) {
    const space = content.indexOf(32, offset)
    const nul = content.indexOf(0, space)
    if (space === -1 || nul === -1 || nul + 1 + oidBytes > content.length) throw new Error('a tree object is malformed')
    entries.push({
      mode: content.toString('latin1', offset, space).padStart(6, '0'),
      rawName: content.toString('latin1', space + 1, nul),
      oid: content.toString('hex', nul + 1, nul + 1 + oidBytes) as Oid,
    })
    offset = nul + 1 + oidBytes
  }
  return entries
}

/** Parses a tree object and decodes the names. */
export function parseTree(content: Buffer, oidBytes: number): TreeEntry[] {
  return parseRawTree(content, oidBytes).map(({ mode, oid, rawName }) => ({
    mode,
    type: typeOfMode(mode),
    oid,
    name: decodeName(rawName),
  }))
}

/** latin1 bytes → the text of a name. */
export const decodeName = (rawName: string): string =>
  isAscii(rawName) ? rawName : nameOfBytes(Buffer.from(rawName, 'latin1'))

/** The text of a name → latin1 bytes. */
export const encodeName = (name: string): string => (isAscii(name) ? name : bytesOfName(name).toString('latin1'))

/** Serializes a tree object. git sorts a folder as if its name ended with `/`. */
export function serializeTree(entries: readonly RawTreeEntry[]): Buffer {
  const keyed = entries.map((entry) => ({ entry, key: entry.mode === '040000' ? `${entry.rawName}/` : entry.rawName }))
  // latin1 code units sort like bytes.
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return Buffer.concat(
    keyed.flatMap(({ entry }) => [
      Buffer.from(`${entry.mode.replace(/^0/, '')} ${entry.rawName}\0`, 'latin1'),
      Buffer.from(entry.oid, 'hex'),
    ]),
  )
}

type Header = { readonly name: string; readonly value: string }

/** Parses header lines, joining continuations by line feeds, and finds the start of the message. */
function parseHeaders(content: Buffer): {
  headers: Header[]
  bodyStart: number
  signedRanges: Array<[number, number]>
} {
  const headers: Header[] = []
  const signatureRanges: Array<[number, number]> = []
  let offset = 0
  while (offset < content.length && content[offset] !== 10) {
    const start = offset
    let end = lineEnd(content, offset)
    const lines = [content.toString('utf8', offset, end)]
    offset = end + 1
    while (content[offset] === 32) {
      end = lineEnd(content, offset)
      lines.push(content.toString('utf8', offset + 1, end))
      offset = end + 1
    }
    const first = lines[0]!
    const space = first.indexOf(' ')
    const name = space === -1 ? first : first.slice(0, space)
    lines[0] = space === -1 ? '' : first.slice(space + 1)
    headers.push({ name, value: lines.join('\n') })
    if (name === 'gpgsig' || name === 'gpgsig-sha256') signatureRanges.push([start, offset])
  }
  return { headers, bodyStart: Math.min(offset + 1, content.length), signedRanges: signatureRanges }
}

const lineEnd = (content: Buffer, from: number): number => {
  const end = content.indexOf(10, from)
  return end === -1 ? content.length : end
}

/** Parses a commit. The signed bytes are the object without its signature headers (git's rule). */
export function parseCommit(oid: Oid, content: Buffer): Commit {
  const { headers, bodyStart, signedRanges } = parseHeaders(content)
  const find = (name: string): string | undefined => headers.find((header) => header.name === name)?.value
  const signature = find(oid.length === 64 ? 'gpgsig-sha256' : 'gpgsig')
  const decode = (from: number): string => decodeText(content.subarray(from), find('encoding'))
  return {
    oid,
    tree: (find('tree') ?? '') as Oid,
    parents: headers.filter((header) => header.name === 'parent').map((header) => header.value as Oid),
    author: parseIdentity(identityText(content, 'author', find('author') ?? '', find('encoding'))),
    committer: parseIdentity(identityText(content, 'committer', find('committer') ?? '', find('encoding'))),
    message: decode(bodyStart),
    ...(signature === undefined
      ? {}
      : { signature: ensureFinalNewline(signature), signedPayload: without(content, signedRanges) }),
  }
}

/** Names in a commit with an `encoding` header use that encoding. */
function identityText(content: Buffer, name: string, utf8: string, encoding: string | undefined): string {
  if (encoding === undefined || !utf8.includes('\ufffd')) return utf8
  const start = content.indexOf(`\n${name} `) + name.length + 2
  return decodeText(content.subarray(start, lineEnd(content, start)), encoding)
}

function decodeText(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === undefined || /^utf-?8$/i.test(encoding)) return bytes.toString('utf8')
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    // Like git, falls back to UTF-8 for an unknown encoding.
    return bytes.toString('utf8')
  }
}

function without(content: Buffer, ranges: ReadonlyArray<[number, number]>): Buffer {
  const parts: Buffer[] = []
  let offset = 0
  for (const [start, end] of ranges) {
    parts.push(content.subarray(offset, start))
    offset = end
  }
  parts.push(content.subarray(offset))
  return Buffer.concat(parts)
}

const ensureFinalNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

const signatureStart = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m

/** Parses an annotated tag; its signature is at the end of the message. */
export function parseTag(oid: Oid, content: Buffer): Tag {
  const { headers, bodyStart } = parseHeaders(content)
  const find = (name: string): string | undefined => headers.find((header) => header.name === name)?.value
  const body = content.toString('utf8', bodyStart)
  const at = body.search(signatureStart)
  const tagger = find('tagger')
  const signed =
    at === -1
      ? undefined
      : {
          signature: body.slice(at),
          signedPayload: content.subarray(0, bodyStart + Buffer.byteLength(body.slice(0, at))),
        }
  return {
    oid,
    target: (find('object') ?? '') as Oid,
    targetType: (find('type') ?? 'commit') as ObjectType,
    name: find('tag') ?? '',
    ...(tagger === undefined ? {} : { tagger: parseIdentity(tagger) }),
    message: at === -1 ? body : body.slice(0, at),
    ...signed,
  }
}

/** Parses `Name <address> 1700000000 +0200`. Missing parts become empty or 0. */
export function parseIdentity(text: string): Identity {
  const open = text.indexOf('<')
  const close = text.lastIndexOf('>')
  const when = /^\s*(\d+)(?: ([+-])(\d{2})(\d{2}))?/.exec(text.slice(close + 1))
  const minutes = when?.[2] === undefined ? 0 : Number(when[3]) * 60 + Number(when[4])
  return {
    name: (open === -1 ? text : text.slice(0, open)).trim(),
    email: open === -1 || close < open ? '' : text.slice(open + 1, close),
    unixSeconds: when === null ? 0 : Number(when[1]),
    offsetMinutes: when?.[2] === '-' && minutes !== 0 ? -minutes : minutes,
  }
}

/** Characters that git strips from both ends of a name or address (ident.c, `strbuf_addstr_without_crud`). */
const crud = `${String.fromCharCode(...Array(33).keys())}.,:;<>"\\'`

/** A name or address as git writes it: without angle brackets, line feeds, and crud at its ends. */
export function cleanIdentityText(text: string): string {
  return trimBoth(text.replaceAll('\0', ''), crud).replaceAll(/[\n<>]/g, '')
}

export function formatIdentity(identity: Identity): string {
  const minutes = Math.abs(identity.offsetMinutes)
  const pad = (value: number): string => String(value).padStart(2, '0')
  const offset = `${identity.offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}${pad(minutes % 60)}`
  const email = cleanIdentityText(identity.email)
  const name = cleanIdentityText(identity.name) || email || 'unknown'
  return `${name} <${email}> ${Math.max(0, Math.floor(identity.unixSeconds))} ${offset}`
}

/** Serializes a commit; a signature becomes a header with continuation lines. */
export function serializeCommit(
  commit: {
    tree: Oid
    parents: readonly Oid[]
    author: Identity
    committer: Identity
    message: string
    isMessageWhole?: boolean
  },
  signature?: string,
): Buffer {
  const header = commit.tree.length === 64 ? 'gpgsig-sha256' : 'gpgsig'
  const message = commit.message.replaceAll('\0', '')
  return Buffer.from(
    [
      `tree ${commit.tree}\n`,
      ...commit.parents.map((parent) => `parent ${parent}\n`),
      `author ${formatIdentity(commit.author)}\n`,
      `committer ${formatIdentity(commit.committer)}\n`,
      ...(signature === undefined ? [] : [`${header} ${signature.trimEnd().replaceAll('\n', '\n ')}\n`]),
      '\n',
      message === '' || commit.isMessageWhole ? message : ensureFinalNewline(message),
    ].join(''),
  )
}

export function serializeTag(
  tag: { target: Oid; targetType: ObjectType; name: string; tagger: Identity; message: string },
  signature?: string,
): Buffer {
  return Buffer.from(
    [
      `object ${tag.target}\ntype ${tag.targetType}\ntag ${tag.name}\ntagger ${formatIdentity(tag.tagger)}\n\n`,
      tag.message === '' ? '' : ensureFinalNewline(tag.message.replaceAll('\0', '')),
      signature === undefined ? '' : ensureFinalNewline(signature),
    ].join(''),
  )
}
