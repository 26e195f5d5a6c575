import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { program } from '../lib/program.ts'
import { endMarked } from './processes.ts'
import { isPassing, ProtocolClient, ProtocolRefusal, type Credentials, type Task } from './protocol-client.ts'
import { runJob } from './run-job.ts'

export interface RunnerOptions {
  /** Address of the forge. */
  readonly url: string
  /** A registration token, for a runner that is not known there yet. */
  readonly registrationToken?: string
  readonly name: string
  readonly labels: readonly string[]
  /** What it keeps: who it is, and the folders of jobs while they run. */
  readonly folder: string
  /** Jobs that it runs at once. */
  readonly capacity: number
  /** It takes one job and ends. */
  readonly isEphemeral?: boolean
  /** What processes of jobs find of this machine. */
  readonly environment: Readonly<Record<string, string>>
  readonly log?: (text: string) => void
}

/** A runner that takes work until it is stopped. */
export interface Runner {
  readonly uuid: string
  /** How many jobs it runs at the moment. */
  readonly busy: number
  /** Resolves when it ends by itself; rejects when the forge does not know it any more. */
  readonly ended: Promise<void>
  /** Ends its jobs, which have failed then, with all their processes. */
  stop(): Promise<void>
}

/** Labels of a runner that says nothing else: what files ask for that need no certain machine. */
export const usualLabels = ['host', 'self-hosted', 'linux', 'ubuntu-latest'] as const

/**
 * Between two looks for work when the forge does not let the runner wait, and the longest when it is away, in milliseconds: one
 * that starts again is away for seconds.
 */
const pauseMs = 1000
const longestPauseMs = 5000

/** A runner for workflows that run on this machine as they are, without containers: what a file says is run as this account. */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const stopping = new AbortController()
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const client = await register(options)
  await endLeftovers(client, options.folder)
  await client.declare({ version: program.version, labels: options.labels })
  const running = new Set<Promise<void>>()
  const begin = (task: Task): void => {
    const folder = join(options.folder, 'tasks', task.id)
    options.log?.(`task ${task.id} begins`)
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
        options.log?.(`task ${task.id} has ended`)
      })
    running.add(done)
  }
  const ended = takeWork(client, options, running, begin, stopping.signal)
  // Whoever stops it hears of it there; a caller may look at neither.
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
    const askedMs = performance.now()
    try {
      const { task, tasksVersion = '0' } = await client.fetchTask(version, signal)
      waitMs = pauseMs
      if (task) begin(task)
      if (task && isEphemeral) {
        await Promise.all(running)
        return
      }
      // There may be more where this came from.
      version = task ? '0' : tasksVersion
      const isNew = task !== undefined || performance.now() - askedMs > pauseMs / 2
      if (!isNew) await pause(pauseMs)
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      log?.(`the forge does not answer: ${String(error)}`)
      await pause(waitMs)
      waitMs = Math.min(waitMs * 2, longestPauseMs)
    }
  }
}

const markOf = ({ credentials }: ProtocolClient, taskId: string): string => `${credentials?.uuid ?? ''}/${taskId}/`

/** Who the runner is, from its folder, or by a registration token, which is tried once. */
async function register(options: RunnerOptions): Promise<ProtocolClient> {
  const file = join(options.folder, 'runner.json')
  const url = options.url.replace(/\/$/, '')
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known !== undefined) {
    const kept = JSON.parse(known) as Credentials & { readonly url: string }
    if (kept.url === url) return new ProtocolClient(url, kept)
  }
  if (!options.registrationToken) {
    throw new ProtocolRefusal(`a runner that ${url} does not know yet needs a registration token`, 400)
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

/** What an earlier life of the runner left when it was killed: its processes end, and its tasks have failed. */
async function endLeftovers(client: ProtocolClient, folder: string): Promise<void> {
  const tasks = join(folder, 'tasks')
  const ids = (await readdir(tasks).catch((): string[] => [])).filter((id) => /^\d+$/.test(id))
  if (ids.length > 0) await endMarked(`${client.credentials?.uuid ?? ''}/`)
  for (const id of ids) {
    try {
      await client.updateTask({ id, result: 'FAILURE', steps: [] })
    } catch (error) {
      // The forge has forgotten it, or given it up.
      if (isPassing(error)) throw error
    }
    await rm(join(tasks, id), { recursive: true, force: true, maxRetries: 3 })
  }
}
