#!/usr/bin/env node
/**
 * Installs what is missing, builds what is stale, and serves with the embedded default.
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
// The server takes this process over: a second one would only stand between it and its signals.
process.argv.splice(1, process.argv.length, program, 'serve', ...process.argv.slice(2))
await import(program)
