#!/usr/bin/env node
import { runCommand } from './cli/command.ts'
import { processTerminal } from './cli/terminal.ts'

process.exitCode = await runCommand(process.argv.slice(2), processTerminal())
