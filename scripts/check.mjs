#!/usr/bin/env node
/**
 * Runs all static checks, the longest one beside the others. Every step runs, so that one run shows every problem.
 *
 *     npm run check [-- STEP…]      types, lint, format, imports, dead, contract, lockfile
 */
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { ensureReady, fail, fromRoot, readJson, root, toolEnvironment } from './lib/project.mjs'

await ensureReady()
const { positionals: asked } = parseArgs({ allowPositionals: true })

/** Runs a program of a package; its output appears whole when it ends. */
const tool =
  (file, ...args) =>
  () =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [fromRoot(file), ...args], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: toolEnvironment(),
      })
      const output = []
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
      child.on('error', reject)
      child.on('close', (status) => resolve({ passed: status === 0, output: Buffer.concat(output).toString() }))
    })

/**
 * Checks the types of a project; code for browsers is one of its own, with the types of documents. Several threads would
 * each find the large types again: with four, it costs twice as much. What did not change since the last run is not checked
 * again.
 */
const compile = (project, name) =>
  tool(
    'node_modules/typescript/bin/tsc',
    ...['--noEmit', '--singleThreaded', '-p', project],
    ...['--incremental', '--tsBuildInfoFile', fromRoot('build', `types-${name}.json`)],
  )()

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
  return { passed: missing.length === 0, output: missing.map((line) => `${line}\n`).join('') }
}

const steps = {
  async types() {
    const results = [await compile('.', 'server'), await compile('src/web/browser', 'browser')]
    return {
      passed: results.every(({ passed }) => passed),
      output: results.map(({ output }) => output).join(''),
    }
  },
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

/** Runs steps one after the other. */
async function runLane(names) {
  for (const name of names) {
    if (asked.length > 0 && !asked.includes(name)) continue
    const startedMs = performance.now()
    const { passed, output } = await steps[name]()
    if (!passed) failed.push(name)
    const took = ((performance.now() - startedMs) / 1000).toFixed(1)
    console.log(`== ${name}\n${output}${passed ? 'ok  ' : 'FAIL'} ${name} (${took} s)`)
  }
}
await Promise.all([runLane(['lint']), runLane(Object.keys(steps).filter((name) => name !== 'lint'))])
if (failed.length > 0) fail(`check: ${failed.join(', ')} failed`)
console.log('check: all good')
