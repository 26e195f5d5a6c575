/**
 * Copies of repositories that somebody removes from the disk, where objects are elsewhere (packs/blob-home.ts): what of a copy
 * is left, and which errors follow from it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal, Unavailable } from '../lib/errors.ts'
import { type GitContext, locate } from './context.ts'
import type { GitKey } from './git-key.ts'

/** What git takes for a repository. A removal that is under way, or was ended, may have left some of it. */
const parts = ['HEAD', 'config', 'refs', join('objects', 'pack')]

/** Whether a repository is on the disk: where objects are elsewhere, with all its parts. */
export function isHere(context: GitContext, key: GitKey): boolean {
  const { directory } = locate(context, key)
  const needed = context.home.isElsewhere ? parts : parts.slice(0, 1)
  return needed.every((part) => existsSync(join(directory, part)))
}

/** The refusal when a copy was removed from the disk during a call. The next reader brings it back. */
export const copyRemoved = (): Unavailable =>
  new Unavailable('the copy of the repository was removed meanwhile; try again', 'git_copy_removed', {
    retryAfterSeconds: 1,
  })

/** Whether an error says that an object does not exist. */
export const isOfMissingObject = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'git_object_missing' || error.code === 'git_invalid_object')

/** Whether an error may follow from a removed copy. Another reader may have brought it back already. */
export function isOfRemoved(context: GitContext, key: GitKey, error: unknown): boolean {
  if (!context.home.isElsewhere) return false
  if (error instanceof Refusal) {
    const { code } = error
    if (code === 'git_repository_missing' || code === 'git_copy_removed') return true
    return isOfMissingObject(error) && !isHere(context, key)
  }
  const { code, path } = error as NodeJS.ErrnoException
  return (code === 'ENOENT' && path?.startsWith(`${context.root}/`) === true) || !isHere(context, key)
}
