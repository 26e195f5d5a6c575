import { escapeParameter } from '../../lib/escape-url.ts'

/** Longest offered file name, in bytes. */
const maxNameBytes = 255

/** Returns the file name in an address (base64url), without a path and invisible characters. */
export function offeredName(encoded: string): string | undefined {
  if (!/^[\w-]+={0,2}$/.test(encoded)) return undefined
  const name = Buffer.from(encoded, 'base64url')
    .toString('utf8')
    .split(/[\\/]/)
    .at(-1)!
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '')
    .trim()
  return name === '' || Buffer.byteLength(name) > maxNameBytes ? undefined : name
}

/** Returns `Content-Disposition`: the simple form for ASCII names (observed), otherwise that of RFC 6266. */
export function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^ -~]/g, '_').replaceAll(/[\\"]/g, '\\$&')
  const quoted = `attachment; filename="${plain}"`
  return /^[ -~]*$/.test(name) ? quoted : `${quoted}; filename*=UTF-8''${escapeParameter(name)}`
}
