import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes all copies of repositories in a folder, as a new machine lacks them. */
export function removeCopies(repositories: string): void {
  for (const name of readdirSync(repositories)) {
    if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(repositories, name), { recursive: true, maxRetries: 5 })
  }
}
