#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 node --no-maglev --max-semi-space-size=16 --heap-growing-percent=50
import module from 'node:module'
import { join } from 'node:path'
import { nodeProblem } from './lib/node-version.ts'

// Nothing else is imported before: what comes then may not even load in an older Node.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  // A built program keeps what the engine made of its text beside itself: later starts take a third less time, and memory
  // is not broken up by the parsing. A folder that cannot be written is done without.
  if (import.meta.filename.endsWith('.js')) module.enableCompileCache(join(import.meta.dirname, 'compile-cache'))
  const { runProcess } = await import('./cli/command.ts')
  await runProcess()
} else {
  process.stderr.write(`ingot: ${problem}\n`)
  process.exitCode = 1
}
