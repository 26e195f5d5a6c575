import { isDisguisedGitModules, isDotGit } from '../git/objects/dot-git.ts'
import { bytesOfName, isNameText } from '../lib/file-names.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** Longest path, in bytes, that common file systems can check out. */
const maxPathBytes = 4000

/** A path without empty segments. */
export const cleanPath = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '')
    .join('/')

/**
 * Resolves a path like a POSIX path below `/`: `.` and `..` disappear, and nothing leads above the root (contract,
 * contents: path rules).
 */
export function resolvePath(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** Whether a resolved path may be written: it is not empty, and no file system reads a segment as a git file. */
export function mayWritePath(path: string): Verdict {
  if (path === '') return deny('path_invalid', 'a path is required')
  if (path.includes('\0')) return deny('path_invalid', 'a path holds no zero bytes')
  if (bytesOfName(path).length > maxPathBytes) return deny('path_invalid', `a path has at most ${maxPathBytes} bytes`)
  if (!isNameText(path)) return deny('path_invalid', 'a path is spelled with the characters of its bytes')
  const reserved = path.split('/').find((part) => isDotGit(part) || isDisguisedGitModules(part))
  return reserved === undefined ? allow : deny('path_invalid', `${reserved} is reserved for git`)
}
