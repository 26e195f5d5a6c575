import type { Git } from '../../git/git.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { nameOfBytes } from '../../lib/file-names.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

/** Largest `.gitmodules`, in bytes. */
const maxModulesBytes = 256 * 1024

/** Addresses of submodules by path from `.gitmodules` of a commit; relative ones stay relative. */
export async function readSubmodules(git: Git, key: GitKey, commit: Oid): Promise<ReadonlyMap<string, string>> {
  const entry = await git.findPath(key, commit, '.gitmodules')
  if (entry?.type !== 'blob') return new Map()
  const { content } = await git.readBlob(key, entry.oid, { maxBytes: maxModulesBytes })
  return parseSubmodules(content ? nameOfBytes(content) : '')
}

/** Parses the sections of a `.gitmodules` file: path → address. */
function parseSubmodules(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let path = ''
  let url = ''
  const keep = () => {
    if (path !== '' && url !== '') found.set(path, url)
    path = ''
    url = ''
  }
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) keep()
    const [, key, value = ''] = /^\s*(path|url)\s*=(.*)$/is.exec(line) ?? []
    if (key?.toLowerCase() === 'path') path = unquoted(value.trim())
    else if (key) url = unquoted(value.trim())
  }
  keep()
  return found
}

const unquoted = (value: string): string => (/^".*"$/.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value)

/**
 * Returns the address of a submodule's pages; undefined when its address names no server. As git does, a relative address begins at
 * the address of the repository around it.
 * @param repository address of the repository around it, without `.git`
 */
export function submodulePage(url: string, repository: string): string | undefined {
  const whole = /^\.{1,2}\//.test(url) ? joinRelative(repository, url) : withScheme(url)
  const parsed = whole === undefined ? null : URL.parse(whole)
  if (!parsed || !/^(?:https?|ssh|git):$/.test(parsed.protocol) || parsed.hostname === '') return undefined
  const path = trimTrailing(parsed.pathname, '/').replace(/\.git$/, '')
  // Servers of git show their pages by HTTPS; ports and names of other protocols are not theirs.
  const origin = parsed.protocol.startsWith('http') ? parsed.origin : `https://${parsed.hostname}`
  return origin + path
}

function joinRelative(repository: string, url: string): string | undefined {
  const parts = repository.split('/')
  for (const part of url.split('/')) {
    // Scheme, empty part and host stay.
    if (part === '..' && parts.length > 3) parts.pop()
    else if (part === '..') return undefined
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** Gives an address of the form `git@host:path` the scheme that it stands for; a single letter before the colon is a drive. */
function withScheme(url: string): string {
  const [, host, path] = /^(?:[\w.-]+@)?([\w.-]{2,}):(?!\/\/)(.+)$/.exec(url) ?? []
  return host === undefined ? url : `ssh://${host}/${path?.replace(/^\//, '') ?? ''}`
}
