import { Readable } from 'node:stream'
import { RangeNotSatisfiable } from '../lib/errors.ts'
import { sniffBytes, sniffContentType } from '../lib/content-type.ts'
import { matchesEtag } from './etag.ts'
import { bytesOf, type Call } from './operation.ts'
import { bytes, empty, type Reply, type StreamReply } from './reply.ts'
import { escapeParameter } from '../lib/escape-url.ts'

/** A range of a file; `end` is exclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The content of a file: whole, or its size and a function that opens it. */
export type FileContent =
  | Buffer
  | { readonly sizeBytes: number; readonly open: (range?: ByteRange) => Readable | Promise<Readable> }

export interface ServedFile {
  /** File name for saving, without a path. */
  readonly name: string
  readonly content: FileContent
  /** Detected from the content by default, so that browsers execute nothing. */
  readonly contentType?: string
  /** Default `inline`. */
  readonly disposition?: 'inline' | 'attachment'
  /** Entity tag without quotes; equal texts mean equal content. */
  readonly etag?: string
  readonly modifiedUnix?: number
  /** Default `private, max-age=300`. */
  readonly cacheControl?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Reply shapes of an operation that serves a file. */
export const fileReplies = { 200: bytesOf('*/*'), 206: bytesOf('*/*'), 304: 'empty' } as const

/** Returns `Content-Disposition` (RFC 6266), with a plain name for old clients and an escaped one. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  // oxlint-disable-next-line no-control-regex -- header values hold no control characters
  const clean = name.replace(/[\u0000-\u001f\u007f]/g, '').toWellFormed()
  // Node writes header values as Latin 1, so each UTF-8 byte becomes one character.
  const quoted = Buffer.from(clean.replace(/[\\"]/g, '\\$&'), 'utf8').toString('latin1')
  return `${kind}; filename="${quoted}"; filename*=UTF-8''${escapeParameter(clean)}`
}

/** SVG and PDF may contain scripts: a restrictive policy for the page that shows them. */
function contentSecurityPolicy(contentType: string): string | undefined {
  if (contentType.startsWith('image/svg+xml')) return "default-src 'none'; style-src 'unsafe-inline'; sandbox"
  // PDF viewers of browsers do not work in a sandbox.
  if (contentType.startsWith('application/pdf')) return "default-src 'none'; style-src 'unsafe-inline'"
  return undefined
}

/**
 * Serves a file: conditional requests (304), one range (206; outside of the file 416), a type that no browser runs, and
 * the headers that go with it. The content is opened only when bytes of it are sent. Source: the contract's tables of
 * raw files; RFC 9110 for conditions and ranges.
 */
export async function serveFile(call: Call, file: ServedFile): Promise<StreamReply<200 | 206> | Reply<304, undefined>> {
  const { content } = file
  const sizeBytes = Buffer.isBuffer(content) ? content.length : content.sizeBytes
  const headers: Record<string, string> = {
    'content-disposition': contentDisposition(file.disposition ?? 'inline', file.name),
    'access-control-expose-headers': 'Content-Disposition',
    'cache-control': file.cacheControl ?? 'private, max-age=300',
    'accept-ranges': 'bytes',
    // A kept file answers nobody whose session has ended meanwhile.
    ...(call.headers['cookie'] === undefined
      ? {}
      : { vary: [call.replyHeaders['vary'] ?? [], 'Cookie'].flat().join(', ') }),
    ...(file.etag === undefined ? {} : { etag: `"${file.etag}"` }),
    ...(file.modifiedUnix === undefined ? {} : { 'last-modified': httpDate(file.modifiedUnix) }),
    ...file.headers,
  }
  if (isUnchanged(call, file)) {
    const { 'content-disposition': _name, 'cache-control': _caching, 'accept-ranges': _ranges, ...kept } = headers
    return empty(304, kept)
  }
  const contentType = file.contentType ?? sniffContentType(await headOf(content, sizeBytes))
  const policy = contentSecurityPolicy(contentType)
  if (policy) headers['content-security-policy'] = policy

  const range = rangeWanted(call, file, sizeBytes)
  const start = range?.start ?? 0
  const end = range?.end ?? sizeBytes
  if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${sizeBytes}`
  const status = range ? 206 : 200
  const wanted = call.method === 'HEAD' || end === start ? Readable.from([]) : await contentIn(content, range)
  return bytes<200 | 206>(contentType, wanted, { status, sizeBytes: end - start, headers })
}

const contentIn = async (content: FileContent, range: ByteRange | undefined): Promise<Readable | Buffer> =>
  Buffer.isBuffer(content) ? (range ? content.subarray(range.start, range.end) : content) : content.open(range)

async function headOf(content: FileContent, sizeBytes: number): Promise<Buffer> {
  if (Buffer.isBuffer(content) || sizeBytes === 0) return Buffer.isBuffer(content) ? content : Buffer.alloc(0)
  const chunks: Buffer[] = []
  for await (const chunk of await content.open({ start: 0, end: Math.min(sizeBytes, sniffBytes) })) {
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

const httpDate = (unix: number): string => new Date(unix * 1000).toUTCString()

const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value

/** `If-None-Match` first; without it `If-Modified-Since`, in whole seconds (RFC 9110, 13.2.2). */
function isUnchanged(call: Call, file: ServedFile): boolean {
  const noneMatch = headerText(call.headers['if-none-match'])
  if (noneMatch !== undefined) {
    if (file.etag === undefined) return false
    return matchesEtag(noneMatch, `"${file.etag}"`)
  }
  const since = Date.parse(headerText(call.headers['if-modified-since']) ?? '')
  return file.modifiedUnix !== undefined && !Number.isNaN(since) && file.modifiedUnix <= Math.floor(since / 1000)
}

/** The one range a client asks for. Several, or a form that is no byte range, count as none; outside of the file is 416. */
function rangeWanted(call: Call, file: ServedFile, sizeBytes: number): ByteRange | undefined {
  const header = headerText(call.headers['range']) ?? ''
  const range = /^bytes=\s{0,9}(?:(\d{1,15})\s{0,9}-\s{0,9}(\d{1,15})?|-\s{0,9}(\d{1,15}))$/i.exec(header.trim())
  if (!range || call.method === 'HEAD') return undefined
  const condition = headerText(call.headers['if-range'])?.trim()
  if (condition !== undefined && condition !== (file.etag === undefined ? undefined : `"${file.etag}"`)) {
    if (file.modifiedUnix === undefined || condition !== httpDate(file.modifiedUnix)) return undefined
  }
  const [, first, last, suffix] = range
  const start = suffix === undefined ? Number(first) : Math.max(0, sizeBytes - Number(suffix))
  const end = suffix === undefined && last !== undefined ? Math.min(sizeBytes, Number(last) + 1) : sizeBytes
  if (last !== undefined && Number(last) < Number(first)) return undefined
  if (start >= sizeBytes || end <= start) {
    call.replyHeaders['content-range'] = `bytes */${sizeBytes}`
    throw new RangeNotSatisfiable(sizeBytes)
  }
  return { start, end }
}
