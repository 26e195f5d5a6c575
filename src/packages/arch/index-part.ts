import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { ArchPackage } from './arch.rules.ts'

const compress = promisify(gzip)

const endBytes = 1024

/**
 * Returns a package's part of an index in base64: a gzip member with the package's folder. An index is a sequence of
 * such members
 * (RFC 1952), so a change of one package packs only its own part again.
 */
export async function partOfIndex(
  { name, version }: Pick<ArchPackage, 'name' | 'version'>,
  description: string,
): Promise<string> {
  const tar = pack()
  const about = { mtime: new Date(0), uname: 'root', gname: 'root' }
  tar.entry({ ...about, name: `${name}-${version}/`, type: 'directory', mode: 0o755 })
  tar.entry({ ...about, name: `${name}-${version}/desc`, mode: 0o644 }, description)
  tar.finalize()
  const whole = await buffer(tar)
  return (await compress(whole.subarray(0, whole.length - endBytes))).toString('base64')
}
