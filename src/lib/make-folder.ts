import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it; one that exists stays as it is. Throws the error of the system with its code. Unlike
 * Node's `recursive`, which never returns below folders that make none (`/proc`), it tries each folder twice at most.
 * Used while starting, so it may block.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (makeOne(path, mode)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above, mode)
  mkdirSync(path, { mode })
}

/** @returns false when the folder above it does not exist */
function makeOne(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode })
    return true
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code === 'ENOENT') return false
    // A link to a folder counts as one. Some systems name another reason for a folder that exists, such as a root.
    if (isFolder(path)) return true
    throw error
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // The caller throws the reason why the folder could not be made.
    return false
  }
}
