#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 node --no-maglev --max-semi-space-size=16 --heap-growing-percent=50
import module from 'node:module'
import { join } from 'node:path'
import { nodeProblem } from './lib/node-version.ts'

// The first import: later ones may not load in an older Node.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  // A built program stores the engine's compile cache beside itself, which shortens later starts by a third and reduces
  // memory fragmentation. It continues when the folder is not writable.
  if (import.meta.filename.endsWith('.js')) module.enableCompileCache(join(import.meta.dirname, 'compile-cache'))
  const { runProcess } = await import('./cli/command.ts')
  // The engine stores the cache at the exit of the process, which a killed one does not reach.
  module.flushCompileCache()
  await runProcess()
} else {
  process.stderr.write(`ingot: ${problem}\n`)
  process.exitCode = 1
}
