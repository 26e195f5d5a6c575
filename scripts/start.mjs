#!/usr/bin/env node
/**
 * Installs missing packages, builds stale files, and serves with the embedded database.
 *
 *     npm start [-- OPTION…]        the options of `ingot serve`
 */
import { BundleError, bundle, existingEntries, isStale, programEntries } from './lib/bundle.mjs'
import { ensureReady, fail, fromRoot } from './lib/project.mjs'

await ensureReady()
const program = fromRoot('dist/ingot.js')
if (isStale(program)) {
  console.error('building')
  try {
    await bundle(existingEntries(programEntries), fromRoot('dist'))
  } catch (error) {
    if (error instanceof BundleError) fail(error.message)
    throw error
  }
}
// The server replaces this process, which would otherwise stand between it and its signals.
process.argv.splice(1, process.argv.length, program, 'serve', ...process.argv.slice(2))
await import(program)
