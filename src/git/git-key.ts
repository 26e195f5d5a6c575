import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { GitKey } from '../lib/ids.ts'

/**
 * The opaque name of one bare repository: 24 lower-case hexadecimal characters, stored in the row of what it belongs to
 * (a wiki has a key of its own). Renames and transfers change rows, never the disk.
 */
export type { GitKey }

/** A fresh key; 96 random bits, so two never meet. */
export const newGitKey = (): GitKey => randomBytes(12).toString('hex') as GitKey

/** Whether a text has the form of a key; the repository itself may not exist. */
export const isGitKey = (text: string): text is GitKey => /^[0-9a-f]{24}$/.test(text)

/** Where the repository of a key lies. For `src/git/` only: nothing else knows a path. */
export function repositoryPath(repositoriesRoot: string, key: GitKey): string {
  if (!isGitKey(key)) throw new TypeError('not a git key')
  return join(repositoriesRoot, key.slice(0, 2), `${key}.git`)
}
