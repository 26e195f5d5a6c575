/** Results of builds that stay in a folder below `build/`, each under the state of its sources. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './process-tree.mjs'

/** Number of results to keep in each folder. */
const keptResults = 4

/**
 * Returns the folder of the result for a state. A missing one is built by `build(folder)`, which writes into an empty
 * folder; when two processes build the same result at once, both use the first. The results that were not used for the
 * longest time are removed, except those of processes that run.
 */
export async function keptResult(results, state, build) {
  const result = join(results, state)
  if (existsSync(result)) {
    utimesSync(result, new Date(), new Date())
    markUsed(result)
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
  markUsed(result)
  removeOldResults(results)
  return result
}

const mark = '.used-by-'

const ownMarks = new Set()

/** Notes beside a result that this process uses it until it ends. */
function markUsed(result) {
  const file = `${result}${mark}${process.pid}`
  if (ownMarks.size === 0) process.once('exit', () => ownMarks.forEach((each) => rmSync(each, { force: true })))
  ownMarks.add(file)
  writeFileSync(file, '')
}

function removeOldResults(results) {
  const [marks, names] = partition(readdirSync(results), (name) => name.includes(mark))
  const [used, ended] = partition(marks, (name) => isAlive(Number(name.split(mark)[1])))
  for (const name of ended) rmSync(join(results, name), { force: true })
  const usedNames = new Set(used.map((name) => name.split(mark)[0]))
  const byAge = names
    .map((name) => ({ name, path: join(results, name) }))
    // Another process may remove it at the same time.
    .map((result) => ({ ...result, usedMs: statSync(result.path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.usedMs - a.usedMs)
  for (const { name, path } of byAge.slice(keptResults)) {
    if (!usedNames.has(name)) rmSync(path, { recursive: true, force: true })
  }
}

const partition = (values, isFirst) => [values.filter(isFirst), values.filter((value) => !isFirst(value))]
