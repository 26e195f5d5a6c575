#!/usr/bin/env node
/**
 * Builds the program into `dist/`.
 *
 *     npm run build [-- --package]
 *
 * `--package` adds what a published package needs: the declarations of `ingot-forge/testing`, the embedded database for
 * every platform, and the licences of bundled packages.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BundleError, bundle, existingEntries, programEntries, warmUp } from './lib/bundle.mjs'
import { ensureReady, fail, fromRoot, readJson, root } from './lib/project.mjs'

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
if (isPackage) {
  emitTypes()
  checkPublishedFiles()
} else await warmUp(fromRoot('dist/ingot.js'))
console.error(`built ${Object.keys(entries).join(', ')} into dist in ${Math.round(performance.now() - startedMs)} ms`)

/**
 * Writes the declarations of each public entry in the two forms that package.json names. The entry declares all of its
 * types itself, so the output needs no other file, and the compiler reads nothing else: it refuses a type that it would
 * have to find elsewhere. `npm run package` compiles the result strictly.
 */
function emitTypes() {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-types-'))
  try {
    const result = spawnSync(
      process.execPath,
      [fromRoot('node_modules/typescript/bin/tsc'), '-p', fromRoot('tsconfig.types.json'), '--outDir', folder],
      { cwd: root, stdio: ['ignore', 2, 2] },
    )
    if (result.status !== 0) fail('the declarations could not be written')
    const types = readFileSync(join(folder, 'testing', 'index.d.ts'), 'utf8')
    if (/\bfrom ['"]|\bimport\b\s*\(/.test(types)) fail('src/testing/index.ts must describe its types without imports')
    for (const name of ['testing.d.ts', 'testing.d.cts']) writeFileSync(fromRoot('dist', name), types)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Fails the build when a file that package.json names is missing: such a package is unusable. */
function checkPublishedFiles() {
  const { bin, exports } = readJson('package.json')
  const named = [bin, exports].flatMap(function pathsOf(value) {
    return typeof value === 'string' ? [value] : Object.values(value).flatMap(pathsOf)
  })
  const missing = named.filter((path) => !existsSync(fromRoot(path)))
  if (missing.length > 0) fail(`package.json names files that the build did not make: ${missing.join(', ')}`)
}
