#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 node --max-semi-space-size=2 --no-maglev
import { runCommand } from './cli/command.ts'
import { processTerminal } from './cli/terminal.ts'

process.exitCode = await runCommand(process.argv.slice(2), processTerminal())
