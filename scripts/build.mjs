#!/usr/bin/env node
/**
 * Builds the program into `dist/`.
 *
 *     npm run build [-- --package]
 *
 * `--package` adds what a published package has besides: the declarations of `ingot-forge/testing`, builds of the
 * embedded database for every platform, and the licences of what is bundled.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BundleError, bundle, existingEntries, programEntries, warmUp } from './lib/bundle.mjs'
import { ensureReady, fail, fromRoot, root } from './lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({ options: { package: { type: 'boolean', default: false } } })

const isPackage = options.package
const startedMs = performance.now()
const entries = existingEntries(programEntries)
try {
  if (isPackage) rmSync(fromRoot('dist'), { recursive: true, force: true })
  await bundle(entries, fromRoot('dist'), { isPackage })
} catch (error) {
  if (error instanceof BundleError) fail(error.message)
  throw error
}
if (existsSync(fromRoot('dist/ingot.js'))) chmodSync(fromRoot('dist/ingot.js'), 0o755)
if (isPackage) emitTypes()
else await warmUp(fromRoot('dist/ingot.js'))
console.error(`built ${Object.keys(entries).join(', ')} into dist in ${Math.round(performance.now() - startedMs)} ms`)

/** Writes declarations only; the bundler has written the code. */
function emitTypes() {
  rmSync(fromRoot('dist/types'), { recursive: true, force: true })
  const result = spawnSync(
    process.execPath,
    [fromRoot('node_modules/typescript/bin/tsc'), '-p', fromRoot('tsconfig.types.json')],
    { cwd: root, stdio: ['ignore', 2, 2] },
  )
  if (result.status !== 0) fail('the declarations could not be written')
}
