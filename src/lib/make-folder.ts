import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents; an existing folder stays. Throws the system error with its code. Unlike `recursive` of
 * Node, which never returns below `/proc`, it tries each folder at most twice. It blocks: for the start of the program.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (makeOne(path, mode)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above, mode)
  mkdirSync(path, { mode })
}

/** @returns false when the parent folder does not exist */
function makeOne(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode })
    return true
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code === 'ENOENT') return false
    // A link to a folder counts as a folder. Some systems report another code for an existing folder, such as a root.
    if (isFolder(path)) return true
    throw error
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // The caller throws the error of the creation.
    return false
  }
}
