#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 node --no-maglev
import { nodeProblem } from './lib/node-version.ts'

// Nothing else is imported before: what comes then may not even load in an older Node.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  const { runProcess } = await import('./cli/command.ts')
  await runProcess()
} else {
  process.stderr.write(`ingot: ${problem}\n`)
  process.exitCode = 1
}
