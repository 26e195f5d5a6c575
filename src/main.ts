#!/usr/bin/env node
import { runCommand } from './cli/command.ts'

// Whoever reads the output may have seen enough (`ingot openapi | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})
process.exitCode = await runCommand(process.argv.slice(2))
