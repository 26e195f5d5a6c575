#!/usr/bin/env node
/**
 * Runs all static checks. Every step runs, so that one run shows every problem.
 *
 *     npm run check [-- STEP…]      types, lint, format, imports, dead, contract, lockfile
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { ensureReady, fail, fromRoot, readJson, root, toolEnvironment } from './lib/project.mjs'

await ensureReady()
const { positionals: asked } = parseArgs({ allowPositionals: true })

const tool =
  (file, ...args) =>
  () => {
    const result = spawnSync(process.execPath, [fromRoot(file), ...args], {
      cwd: root,
      stdio: 'inherit',
      env: toolEnvironment(),
    })
    return result.status === 0
  }

/**
 * Checks the types of a project; code for browsers is one of its own, with the types of documents. Several threads would
 * each find the large types again: with four, it costs twice as much.
 */
const compile = (project) => tool('node_modules/typescript/bin/tsc', '--noEmit', '--singleThreaded', '-p', project)

/**
 * Returns whether the lock file resolves all dependencies. npm omits builds for other platforms when they did not resolve,
 * and `npm ci` refuses such a file.
 */
function lockFileIsWhole() {
  const packages = readJson('package-lock.json').packages
  const resolves = (from, name) => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
      if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true
      if (folder === '') return false
    }
  }
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((name) => !resolves(path, name))
      .map((name) => `${path === '' ? 'the project' : path} needs ${name}, which package-lock.json lacks`),
  )
  for (const line of missing) console.log(line)
  return missing.length === 0
}

const steps = {
  types: () => ['.', 'src/web/browser'].map((project) => compile(project)()).every(Boolean),
  lint: tool('node_modules/oxlint/bin/oxlint', '--type-aware', 'src', 'test', 'scripts', 'dependency-rules.cjs'),
  format: tool('node_modules/oxfmt/bin/oxfmt', '--check'),
  imports: tool('scripts/imports.mjs'),
  dead: tool('node_modules/knip/bin/knip.js', '--no-progress'),
  contract: tool('scripts/contract-sync.mjs', '--check'),
  lockfile: lockFileIsWhole,
}
for (const name of asked) {
  if (!Object.hasOwn(steps, name)) fail(`there is no step ${name}: ${Object.keys(steps).join(', ')}`)
}

const failed = []
for (const [name, run] of Object.entries(steps)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`== ${name}`)
  const startedMs = performance.now()
  const passed = run()
  if (!passed) failed.push(name)
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`)
}
if (failed.length > 0) fail(`check: ${failed.join(', ')} failed`)
console.log('check: all good')
