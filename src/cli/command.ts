import { Command } from 'commander'
import { program as about } from '../lib/program.ts'
import { auditCommand } from './audit.command.ts'
import { authCommand } from './auth.command.ts'
import { backupCommand } from './backup.command.ts'
import { configCheckCommand } from './config-check.command.ts'
import { configShowCommand } from './config-show.command.ts'
import { doctorCommand } from './doctor.command.ts'
import { exitCodes, reportFailure } from './exit.ts'
import { moveRepositoriesCommand } from './move-repositories.command.ts'
import { openApiCommand } from './openapi.command.ts'
import { restoreCommand } from './restore.command.ts'
import { runnerCommand } from './runner.command.ts'
import { serveCommand } from './serve.command.ts'
import { signingKeyCommand } from './signing-key.command.ts'
import { processTerminal, type Terminal } from './terminal.ts'
import { taskCommand } from './task.command.ts'
import { userCreateCommand } from './user-create.command.ts'
import {
  userDeleteCommand,
  userEditCommand,
  userEndSessionsCommand,
  userMustChangeCommand,
  userRenameCommand,
} from './user-edit.command.ts'
import { userListCommand } from './user-list.command.ts'
import { userPasswordCommand } from './user-password.command.ts'
import { userSecondFactorCommand } from './user-second-factor.command.ts'
import { userTokenCommand } from './user-token.command.ts'

/** Returns the program with all of its commands. */
export function createProgram(terminal: Terminal): Command {
  const config = new Command('config')
    .description('check and show the settings')
    .addCommand(configCheckCommand(terminal))
    .addCommand(configShowCommand(terminal))
  const user = new Command('user')
    .description('manage accounts')
    .addCommand(userCreateCommand(terminal))
    .addCommand(userListCommand(terminal))
    .addCommand(userPasswordCommand(terminal))
    .addCommand(userMustChangeCommand(terminal))
    .addCommand(userSecondFactorCommand(terminal))
    .addCommand(userEndSessionsCommand(terminal))
    .addCommand(userEditCommand(terminal))
    .addCommand(userRenameCommand(terminal))
    .addCommand(userDeleteCommand(terminal))
    .addCommand(userTokenCommand(terminal))
  const program = new Command(about.name)
    .description('A self-hosted Git forge in one process')
    .version(`${about.name} ${about.version}`, '--version', 'show the version of the program')
    .addCommand(serveCommand(terminal), { isDefault: true })
    .addCommand(config)
    .addCommand(
      new Command('admin')
        .description('administer the instance')
        .addCommand(user)
        .addCommand(authCommand(terminal))
        .addCommand(taskCommand(terminal))
        .addCommand(signingKeyCommand(terminal))
        .addCommand(auditCommand(terminal))
        .addCommand(moveRepositoriesCommand(terminal)),
    )
    .addCommand(runnerCommand(terminal))
    .addCommand(doctorCommand(terminal))
    .addCommand(backupCommand(terminal))
    .addCommand(restoreCommand(terminal))
    .addCommand(openApiCommand(terminal))
  program.addHelpText(
    'after',
    `\nExit codes: ${exitCodes.ok} success, ${exitCodes.failure} failure, ${exitCodes.usage} wrong usage, ${exitCodes.inUse} data folder in use, ${exitCodes.config} invalid settings.`,
  )
  for (const command of allOf(program)) {
    command.exitOverride().showHelpAfterError('(--help shows the options)')
    command.configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
  }
  return program
}

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)]

/** Runs the command that the arguments name and returns its exit code. Failures go to standard error. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = createProgram(terminal)
    const [first = '-'] = args
    // commander would pass an unknown command to the default command as an argument.
    const isKnown = first === 'help' || program.commands.some((command) => command.name() === first)
    if (!first.startsWith('-') && !isKnown) {
      program.error(`error: unknown command ${first}; ingot --help lists the commands`)
    }
    await program.parseAsync([...args], { from: 'user' })
    return terminal.exitCode
  } catch (error) {
    return reportFailure(error, (text) => terminal.err(text))
  }
}

/** Runs the program with the arguments, output and signals of this process. */
export async function runProcess(): Promise<void> {
  process.exitCode = await runCommand(process.argv.slice(2), processTerminal())
  // Everything is closed. A pending connection attempt may keep the process alive for one more second.
  setTimeout(() => process.exit(), 1000).unref()
}
