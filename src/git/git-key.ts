import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { GitKey } from '../lib/ids.ts'

/**
 * The opaque name of a bare repository: 24 lower-case hexadecimal digits, stored in the row of its owner (a wiki has a
 * key of its own). Renames and transfers change rows, never files.
 */
export type { GitKey }

/** Returns a new key of 96 random bits. */
export const newGitKey = (): GitKey => randomBytes(12).toString('hex') as GitKey

/** Whether a text has the form of a key; the repository may not exist. */
export const isGitKey = (text: string): text is GitKey => /^[0-9a-f]{24}$/.test(text)

/** The folder of a repository. Only `src/git/` may call this. */
export function repositoryPath(repositoriesRoot: string, key: GitKey): string {
  if (!isGitKey(key)) throw new TypeError('not a git key')
  return join(repositoriesRoot, key.slice(0, 2), `${key}.git`)
}
