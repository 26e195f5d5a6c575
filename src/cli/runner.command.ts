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
    .description('run workflows on this machine as the current user, without containers, until stopped')
    .requiredOption('--url <address>', 'address of the forge')
    .option(
      '--token <token>',
      'registration token; needed for the first start (environment variable: INGOT_RUNNER_TOKEN)',
    )
    .option('--name <name>', 'name of the runner', hostname())
    .option('--labels <labels>', 'labels of the jobs that it takes, separated by commas')
    .option('--folder <folder>', 'folder of its registration and of running jobs', './runner')
    .option('--capacity <number>', 'number of concurrent jobs', '1')
    .option('--ephemeral', 'run one job, then exit')
    .action((options: RunnerCommandOptions) => run(terminal, options))

async function run(terminal: Terminal, options: RunnerCommandOptions): Promise<void> {
  const capacity = Number(options.capacity)
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > 100) {
    throw new CommandFailure(`--capacity ${options.capacity}: must be a whole number from 1 to 100`)
  }
  const stopSignal = terminal.stopSignal()
  const { startRunner, defaultLabels } = await import('../runner/runner.ts')
  const { ProtocolRefusal } = await import('../runner/protocol-client.ts')
  const token = options.token ?? runnerTokenVariable()
  // Labels of the family's runners may end in the way to run a job, such as `:host`.
  const labels = options.labels?.split(',').map((label) => label.trim().replace(/:host$/, '')) ?? defaultLabels
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
      await Promise.race([runner.ended, stopSignal])
    } finally {
      await runner.stop()
    }
  } catch (error) {
    if (error instanceof ProtocolRefusal) throw new CommandFailure(`the forge refused the runner: ${error.message}`)
    if (Error.isError(error) && error.name === 'TypeError' && Error.isError(error.cause)) {
      throw new CommandFailure(`${options.url} cannot be reached: ${error.cause.message}; check --url and the network`)
    }
    throw error
  }
}
