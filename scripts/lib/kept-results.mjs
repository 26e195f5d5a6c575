/** Results of builds that stay in a folder below `build/`, each under the state of its sources. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

/** Number of results to keep in each folder. */
const keptResults = 4

/**
 * Returns the folder of the result for a state. A missing one is built by `build(folder)`, which writes into an empty
 * folder; when two processes build the same result at once, both use the first. The results that were not used for the
 * longest time are removed.
 */
export async function keptResult(results, state, build) {
  const result = join(results, state)
  if (existsSync(result)) {
    utimesSync(result, new Date(), new Date())
    return result
  }
  mkdirSync(results, { recursive: true })
  const unfinished = mkdtempSync(join(results, 'unfinished-'))
  try {
    await build(unfinished)
    renameSync(unfinished, result)
  } catch (error) {
    // Another process may have put the same result there meanwhile.
    if (!existsSync(result)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  removeOldResults(results)
  return result
}

function removeOldResults(results) {
  const byAge = readdirSync(results)
    .map((name) => join(results, name))
    // Another process may remove it at the same time.
    .map((path) => ({ path, usedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.usedMs - a.usedMs)
  for (const { path } of byAge.slice(keptResults)) rmSync(path, { recursive: true, force: true })
}
