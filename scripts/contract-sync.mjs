#!/usr/bin/env node
/**
 * Copies the contract's data, the exchange kit, the benchmark and the judges from the folder beside the project, so that
 * a clone has them without it. `--check` only compares, and passes where that folder does not exist.
 *
 *     npm run contract:sync [-- --check]
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { fail, fromRoot } from './lib/project.mjs'

const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const source = fromRoot('..', 'shared')

/** What is copied, relative to both folders. The contract's prose stays where it is. */
const copied = [
  ...['operations', 'types', 'enums', 'settings', 'pagination'].map((name) => `contract/${name}.json`),
  ...['run', 'run.mjs', 'lib', 'scenarios', 'expected', 'profiles', 'README.md'].map((name) => `conformance/${name}`),
  'bench',
  'judges',
]

if (!existsSync(source)) {
  if (!options.check) fail(`${source} does not exist: nothing to copy from`)
  console.log('contract:sync: the source folder does not exist here, nothing to compare')
  process.exit(0)
}

/** Relative paths of all files at or below a path. */
const filesBelow = (base, path) => {
  const full = join(base, path)
  if (!existsSync(full)) return []
  if (!statSync(full).isDirectory()) return [path]
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(base, join(entry.parentPath, entry.name)))
}

const wanted = new Set(copied.flatMap((path) => filesBelow(source, path)))
const present = new Set(copied.flatMap((path) => filesBelow(fromRoot(), path)))
const isExecutable = (path) => (statSync(path).mode & 0o100) !== 0
const differs = (path) =>
  !present.has(path) ||
  !readFileSync(join(source, path)).equals(readFileSync(fromRoot(path))) ||
  isExecutable(join(source, path)) !== isExecutable(fromRoot(path))

const changed = [...wanted].filter(differs)
const gone = [...present].filter((path) => !wanted.has(path))

if (options.check) {
  for (const path of changed) console.error(`${present.has(path) ? 'differs' : 'missing'}: ${path}`)
  for (const path of gone) console.error(`not in the source: ${path}`)
  if (changed.length + gone.length > 0) fail('contract:sync: the copies are not current, run npm run contract:sync')
  console.log(`contract:sync: ${wanted.size} files are current`)
} else {
  for (const path of changed) {
    mkdirSync(dirname(fromRoot(path)), { recursive: true })
    cpSync(join(source, path), fromRoot(path), { force: true })
    // The source is read-only; a copy must stay replaceable.
    chmodSync(fromRoot(path), isExecutable(join(source, path)) ? 0o755 : 0o644)
  }
  for (const path of gone) rmSync(fromRoot(path))
  console.log(`contract:sync: ${changed.length} files copied, ${gone.length} removed, ${wanted.size} in all`)
}
