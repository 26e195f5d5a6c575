import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { hostEnvironment, runnerTokenVariable } from '../config/host-environment.ts'
import { CommandFailure } from './exit.ts'
import type { Terminal } from './terminal.ts'

interface RunnerCommandOptions {
  readonly url: string
  readonly token?: string
  readonly name: string
  readonly labels?: string
  readonly folder: string
  readonly capacity: string
  readonly ephemeral?: boolean
}

export const runnerCommand = (terminal: Terminal): Command =>
  new Command('runner')
    .description('run workflows of a forge on this machine, as this account and without containers, until told to stop')
    .requiredOption('--url <address>', 'address of the forge')
    .option('--token <token>', 'registration token, the first time (or the variable INGOT_RUNNER_TOKEN)')
    .option('--name <name>', 'what the runner is called', hostname())
    .option('--labels <labels>', 'what it takes jobs for, joined by commas')
    .option('--folder <folder>', 'who it is, and its jobs while they run', './runner')
    .option('--capacity <number>', 'jobs at once', '1')
    .option('--ephemeral', 'take one job and end')
    .action((options: RunnerCommandOptions) => run(terminal, options))

async function run(terminal: Terminal, options: RunnerCommandOptions): Promise<void> {
  const capacity = Number(options.capacity)
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > 100) {
    throw new CommandFailure('--capacity is a number from 1 to 100')
  }
  const told = terminal.stopSignal()
  const { startRunner, usualLabels } = await import('../runner/runner.ts')
  const { ProtocolRefusal } = await import('../runner/protocol-client.ts')
  const token = options.token ?? runnerTokenVariable()
  // Runners of the family write how a job is run behind the label; here there is one way.
  const labels = options.labels?.split(',').map((label) => label.trim().replace(/:host$/, '')) ?? usualLabels
  try {
    const runner = await startRunner({
      url: options.url,
      ...(token === undefined ? {} : { registrationToken: token }),
      name: options.name,
      labels: labels.filter((label) => label !== ''),
      folder: resolve(options.folder),
      capacity,
      isEphemeral: options.ephemeral ?? false,
      environment: hostEnvironment(),
      log: (text) => terminal.out(`${text}\n`),
    })
    terminal.out(`Ingot runs workflows of ${options.url}\n`)
    try {
      await Promise.race([runner.ended, told])
    } finally {
      await runner.stop()
    }
  } catch (error) {
    if (error instanceof ProtocolRefusal) throw new CommandFailure(`the forge refused the runner: ${error.message}`)
    if (Error.isError(error) && error.name === 'TypeError' && Error.isError(error.cause)) {
      throw new CommandFailure(`${options.url} does not answer: ${error.cause.message}`)
    }
    throw error
  }
}
