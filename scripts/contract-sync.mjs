#!/usr/bin/env node
/**
 * Copies the contract's data, the conformance kit, the benchmark and the client sessions from the folder beside the
 * project, so that a clone is complete without that folder. `--check` compares only, and passes where it does not exist.
 *
 *     npm run contract:sync [-- --check]
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { fail, fromRoot } from './lib/project.mjs'

const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const source = fromRoot('..', 'shared')

/** Each file or folder of the source with its copy here, and the files beside copies that belong to the project. */
const copies = [
  ['contract/settings.json', 'src/config/family-settings.json'],
  ...['operations', 'types', 'enums', 'pagination'].map((name) => [
    `contract/${name}.json`,
    `test/contract/${name}.json`,
  ]),
  ['contract/behaviour', 'test/contract/behaviour'],
  ...['run', 'run.mjs', 'lib', 'scenarios', 'expected', 'profiles', 'README.md'].map((name) => [
    `conformance/${name}`,
    `test/conformance/${name}`,
  ]),
  ['bench', 'scripts/bench/kit'],
  ['judges', 'test/clients'],
]
const ownFiles = /^test\/clients\/(expectations\.json$|own\/)/

if (!existsSync(source)) {
  if (!options.check) fail(`${source} does not exist: nothing to copy from`)
  console.log('contract:sync: the source folder does not exist here, nothing to compare')
  process.exit(0)
}

/** Paths of all files at or below a path, relative to it; an empty path for a file itself. */
const filesBelow = (path) => {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return ['']
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
}

/** The copy of each file of the source, by its path in the project. */
const originals = new Map(
  copies.flatMap(([from, to]) =>
    filesBelow(join(source, from)).map((file) => [join(to, file), join(source, from, file)]),
  ),
)
const present = new Set(copies.flatMap(([, to]) => filesBelow(fromRoot(to)).map((file) => join(to, file))))
const isExecutable = (path) => (statSync(path).mode & 0o100) !== 0
const differs = ([copy, original]) =>
  !present.has(copy) ||
  !readFileSync(original).equals(readFileSync(fromRoot(copy))) ||
  isExecutable(original) !== isExecutable(fromRoot(copy))

const changed = [...originals].filter(differs)
const extra = [...present].filter((path) => !originals.has(path) && !ownFiles.test(path))

if (options.check) {
  for (const [copy] of changed) console.error(`${present.has(copy) ? 'differs' : 'missing'}: ${copy}`)
  for (const path of extra) console.error(`not in the source: ${path}`)
  if (changed.length + extra.length > 0) fail('contract:sync: the copies are not current, run npm run contract:sync')
  console.log(`contract:sync: ${originals.size} files are current`)
} else {
  for (const [copy, original] of changed) {
    mkdirSync(dirname(fromRoot(copy)), { recursive: true })
    cpSync(original, fromRoot(copy), { force: true })
    // The source is read-only; a copy must stay replaceable.
    chmodSync(fromRoot(copy), isExecutable(original) ? 0o755 : 0o644)
  }
  for (const path of extra) rmSync(fromRoot(path))
  console.log(`contract:sync: ${changed.length} files copied, ${extra.length} removed, ${originals.size} in all`)
}
