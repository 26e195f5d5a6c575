#!/usr/bin/env -S node --max-semi-space-size=2 --no-maglev
import { runCommand } from './cli/command.ts'
import { processTerminal } from './cli/terminal.ts'

process.exitCode = await runCommand(process.argv.slice(2), processTerminal())
