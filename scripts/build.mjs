#!/usr/bin/env node
/**
 * Builds the program into `dist/`.
 *
 *     npm run build [-- --package]
 *
 * `--package` builds the packages that are published, as folders below `build/packages/`.
 */
import { chmodSync, existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BundleError, bundle, existingEntries, programEntries, warmUp } from './lib/bundle.mjs'
import { packagesFolder, writePackages } from './lib/packages.mjs'
import { ensureReady, fail, fromRoot } from './lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({ options: { package: { type: 'boolean', default: false } } })

const startedMs = performance.now()
const entries = existingEntries(programEntries)
const folder = options.package ? packagesFolder : fromRoot('dist')
try {
  if (options.package) await writePackages()
  else await bundle(entries, folder)
} catch (error) {
  if (error instanceof BundleError) fail(error.message)
  throw error
}
if (!options.package && existsSync(fromRoot('dist/ingot.js'))) {
  chmodSync(fromRoot('dist/ingot.js'), 0o755)
  await warmUp(fromRoot('dist/ingot.js'))
}
console.error(
  `built ${Object.keys(entries).join(', ')} into ${folder} in ${Math.round(performance.now() - startedMs)} ms`,
)
