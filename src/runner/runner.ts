import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { program } from '../lib/program.ts'
import { endMarked } from './processes.ts'
import { isTemporary, ProtocolClient, ProtocolRefusal, type Credentials, type Task } from './protocol-client.ts'
import { runJob } from './run-job.ts'

export interface RunnerOptions {
  /** The address of the forge. */
  readonly url: string
  /** A registration token, for a runner that is not registered. */
  readonly registrationToken?: string
  readonly name: string
  readonly labels: readonly string[]
  /** The folder of its credentials and of running jobs. */
  readonly folder: string
  /** The number of concurrent jobs. */
  readonly capacity: number
  /** Whether it ends after one job. */
  readonly isEphemeral?: boolean
  /** Environment variables of the machine for processes of jobs. */
  readonly environment: Readonly<Record<string, string>>
  readonly log?: (text: string) => void
}

/** A runner that takes jobs until it is stopped. */
export interface Runner {
  readonly uuid: string
  /** The number of running jobs. */
  readonly busy: number
  /** Resolves when an ephemeral runner ends; rejects when the forge refuses the runner. */
  readonly ended: Promise<void>
  /** Ends all jobs as failed, with their processes. */
  stop(): Promise<void>
}

/** The labels of a runner without `--labels`. */
export const defaultLabels = ['host', 'self-hosted', 'linux', 'ubuntu-latest'] as const

/** The pause between requests for work that the forge answers at once, and the longest back-off, in milliseconds. */
const pauseMs = 1000
const longestPauseMs = 5000

/** Starts a runner that executes workflows on this machine, without containers, as the current account. */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const stopping = new AbortController()
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const client = await register(options)
  await endLeftovers(client, options.folder)
  await client.declare({ version: program.version, labels: options.labels })
  const running = new Set<Promise<void>>()
  const begin = (task: Task): void => {
    const folder = join(options.folder, 'tasks', task.id)
    options.log?.(`task ${task.id} started`)
    const done = mkdir(folder, { recursive: true })
      .then(() =>
        runJob({
          client,
          task,
          folder,
          mark: markOf(client, task.id),
          environment: options.environment,
          signal: stopping.signal,
        }),
      )
      .catch((error: unknown) => options.log?.(`task ${task.id}: ${String(error)}`))
      .finally(() => {
        running.delete(done)
        options.log?.(`task ${task.id} ended`)
      })
    running.add(done)
  }
  const ended = takeWork(client, options, running, begin, stopping.signal)
  // Prevents an unhandled rejection when the caller does not await `ended`.
  ended.catch(() => undefined)
  return {
    uuid: client.credentials?.uuid ?? '',
    get busy() {
      return running.size
    },
    ended,
    async stop() {
      stopping.abort()
      await Promise.allSettled([ended, ...running])
    },
  }
}

async function takeWork(
  client: ProtocolClient,
  { capacity, isEphemeral = false, log }: RunnerOptions,
  running: ReadonlySet<Promise<void>>,
  begin: (task: Task) => void,
  signal: AbortSignal,
): Promise<void> {
  let version = '0'
  let waitMs = pauseMs
  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined)
  while (!signal.aborted) {
    if (running.size >= capacity) {
      await Promise.race(running)
      continue
    }
    const pollStartMs = performance.now()
    try {
      const { task, tasksVersion = '0' } = await client.fetchTask(version, signal)
      waitMs = pauseMs
      if (task) begin(task)
      if (task && isEphemeral) {
        await Promise.all(running)
        return
      }
      // Version 0 asks for the next job without waiting.
      version = task ? '0' : tasksVersion
      const isNew = task !== undefined || performance.now() - pollStartMs > pauseMs / 2
      if (!isNew) await pause(pauseMs)
    } catch (error) {
      if (signal.aborted) return
      if (!isTemporary(error)) throw error
      log?.(`the forge does not respond: ${String(error)}`)
      await pause(waitMs)
      waitMs = Math.min(waitMs * 2, longestPauseMs)
    }
  }
}

const markOf = ({ credentials }: ProtocolClient, taskId: string): string => `${credentials?.uuid ?? ''}/${taskId}/`

/** Returns a client with the credentials of the folder, or registers the runner. */
async function register(options: RunnerOptions): Promise<ProtocolClient> {
  const file = join(options.folder, 'runner.json')
  const url = options.url.replace(/\/$/, '')
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known !== undefined) {
    const kept = JSON.parse(known) as Credentials & { readonly url: string }
    if (kept.url === url) return new ProtocolClient(url, kept)
  }
  if (!options.registrationToken) {
    throw new ProtocolRefusal(`the runner is not registered at ${url}; pass a registration token`, 400)
  }
  const { runner } = await new ProtocolClient(url).register({
    name: options.name,
    token: options.registrationToken,
    labels: options.labels,
    version: program.version,
    ephemeral: options.isEphemeral ?? false,
  })
  const credentials = { uuid: runner.uuid, token: runner.token }
  await writeFile(`${file}.new`, JSON.stringify({ url, ...credentials }), { mode: 0o600 })
  await rename(`${file}.new`, file)
  return new ProtocolClient(url, credentials)
}

/** Ends the processes that a killed runner left, and reports their tasks as failed. */
async function endLeftovers(client: ProtocolClient, folder: string): Promise<void> {
  const tasks = join(folder, 'tasks')
  const ids = (await readdir(tasks).catch((): string[] => [])).filter((id) => /^\d+$/.test(id))
  if (ids.length > 0) await endMarked(`${client.credentials?.uuid ?? ''}/`)
  for (const id of ids) {
    try {
      await client.updateTask({ id, result: 'FAILURE', steps: [] })
    } catch (error) {
      // The forge deleted or ended the task.
      if (isTemporary(error)) throw error
    }
    await rm(join(tasks, id), { recursive: true, force: true, maxRetries: 3 })
  }
}
