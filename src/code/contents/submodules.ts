import type { Git } from '../../git/git.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'

/** Largest `.gitmodules`, in bytes. */
const maxModulesBytes = 256 * 1024

/** Addresses of submodules by path from `.gitmodules` of a commit; relative ones stay relative. */
export async function readSubmodules(git: Git, key: GitKey, commit: Oid): Promise<ReadonlyMap<string, string>> {
  const entry = await git.findPath(key, commit, '.gitmodules')
  if (entry?.type !== 'blob') return new Map()
  const { content } = await git.readBlob(key, entry.oid, { maxBytes: maxModulesBytes })
  return parseSubmodules(content?.toString('utf8') ?? '')
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
