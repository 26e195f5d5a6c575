/** Number of leading bytes that determine the type of a file. */
export const sniffBytes = 1024

const magic: readonly { readonly type: string; readonly at: number; readonly bytes: Buffer }[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/bmp', 0, 'BM'],
  ['image/x-icon', 0, '\0\0\x01\0'],
  ['image/x-icon', 0, '\0\0\x02\0'],
  ['image/webp', 8, 'WEBPVP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['application/pdf', 0, '%PDF-'],
  ['audio/wave', 8, 'WAVE'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/midi', 0, 'MThd\0\0\0\x06'],
  ['video/avi', 8, 'AVI '],
  ['video/webm', 0, '\x1aE\xdf\xa3'],
].map(([type, at, text]) => ({ type: type as string, at: at as number, bytes: Buffer.from(text as string, 'latin1') }))

/** Control characters that do not occur in text; tab, line ends, form feed and escape do. */
const isBinaryByte = (byte: number): boolean =>
  byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b && byte !== 0x08

/** What may precede the root element of SVG: a declaration, a comment, or the document type. */
const svgPrologue = /\s*(?:<\?xml\b[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE\s+svg\b[^>]*>)/iy
const svgRoot = /\s*<svg\b/iy

/**
 * Returns whether a text is SVG. Each part before the root element is consumed once; a single pattern would backtrack over
 * many comments.
 */
function isSvg(text: string): boolean {
  let at = 0
  do {
    svgPrologue.lastIndex = at
    svgRoot.lastIndex = at
    if (svgRoot.test(text)) return true
    at = svgPrologue.test(text) ? svgPrologue.lastIndex : 0
  } while (at > 0)
  return false
}

/**
 * Returns the media type of a file by its first `sniffBytes` bytes, never by its name. Content that a browser would execute
 * is plain text; binary content other than known images, audio, video and PDF is `application/octet-stream`.
 * Source: the contract's table of raw files.
 */
export function sniffContentType(head: Buffer): string {
  const start = head.subarray(0, sniffBytes)
  const bom = start.subarray(0, 2).toString('hex')
  if (bom === 'fffe') return 'text/plain; charset=utf-16le'
  if (bom === 'feff') return 'text/plain; charset=utf-16be'
  if (isOgg(start)) return oggType(start)
  const known = magic.find(({ at, bytes }) => start.subarray(at, at + bytes.length).equals(bytes))
  if (known && !(known.type === 'image/bmp' && isText(start))) return known.type
  if (isMp4(start)) return 'video/mp4'
  if (!isText(start)) return 'application/octet-stream'
  const text = start.toString('utf8').replace(/^\ufeff/, '')
  if (isSvg(text)) return 'image/svg+xml'
  return `text/plain; charset=${textCharset(start)}`
}

/** Returns whether the bytes are text. */
const isText = (head: Buffer): boolean => !head.subarray(0, sniffBytes).some(isBinaryByte)

/**
 * Returns whether the first box of a file is complete and names an MP4 brand, major or compatible.
 * Source: MIME Sniffing Standard, "matches the signature for MP4".
 */
function isMp4(head: Buffer): boolean {
  if (head.length < 12) return false
  const boxBytes = head.readUInt32BE(0)
  if (head.length < boxBytes || boxBytes % 4 !== 0 || head.toString('latin1', 4, 8) !== 'ftyp') return false
  for (let at = 8; at < boxBytes; at += 4) {
    // The version of the major brand lies between the brands.
    if (at !== 12 && head.toString('latin1', at, at + 3) === 'mp4') return true
  }
  return false
}

const isOgg = (head: Buffer): boolean => head.subarray(0, 5).toString('latin1') === 'OggS\0'

const oggType = (head: Buffer): string => (head.includes('theora', 0, 'latin1') ? 'video/ogg' : 'audio/ogg')

/** Minimum number of non-ASCII letters for Latin 1 rather than damaged UTF-8. */
const minLatinLetters = 4

function textCharset(head: Buffer): string {
  // The sample may cut its last character.
  const cuts = head.length >= sniffBytes ? [0, 1, 2, 3] : [0]
  if (cuts.some((cut) => isUtf8(head.subarray(0, head.length - cut)))) return 'utf-8'
  const high = head.filter((byte) => byte >= 0x80)
  return high.length >= minLatinLetters && high.every((byte) => byte >= 0xa0) ? 'iso-8859-1' : 'utf-8'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function isUtf8(bytes: Buffer): boolean {
  try {
    utf8.decode(bytes)
    return true
  } catch {
    return false
  }
}
