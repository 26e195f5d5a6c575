import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainMap, plainText, readYaml, type Plain } from '../actions/workflows/plain-yaml.ts'
import {
  textOf,
  filledMap,
  shouldRunJob,
  runnerFacts,
  valued,
  type Job,
  type Scope,
  type Texts,
} from './job-context.ts'
import { Processes } from './processes.ts'
import type { ProtocolClient, Result, StepState, Task } from './protocol-client.ts'
import { Reporter } from './reporter.ts'
import { inAllNames, runStep } from './step.ts'

export interface JobOptions {
  readonly client: ProtocolClient
  readonly task: Task
  /** An empty folder, which is deleted afterwards. */
  readonly folder: string
  /** The value of the variable that identifies its processes. */
  readonly mark: string
  /** Environment variables of the machine, such as PATH. */
  readonly environment: Texts
  /** Ends the job at once, without the `post` parts of actions. */
  readonly signal: AbortSignal
}

/** The time for steps and `post` parts after a cancellation, in milliseconds. */
const afterwardsMs = 60_000

/** Longest duration of a job, in minutes. The file may set a shorter one. */
const maxMinutes = 360

const now = (): string => new Date(performance.timeOrigin + performance.now()).toISOString()

/** Runs the job of a task and reports its end. */
export async function runJob(options: JobOptions): Promise<void> {
  const { client, task, folder, signal } = options
  const cancelled = new AbortController()
  const lost = new AbortController()
  const stop = AbortSignal.any([signal, lost.signal])
  const reporter = new Reporter(client, task.id, secretsOf(task), (result) => {
    if (result === undefined) lost.abort()
    else cancelled.abort()
  })
  const processes = new Processes(options.mark)
  let end: { result: Result; outputs: Texts } = { result: 'FAILURE', outputs: {} }
  try {
    end = await runSteps(options, reporter, processes, cancelled.signal, stop)
  } catch (error) {
    reporter.log(`##[error]${Error.isError(error) ? error.message : String(error)}`)
  } finally {
    await processes.endAll()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    if (signal.aborted) reporter.log('##[error]the runner was stopped')
    await reporter.close(signal.aborted ? 'FAILURE' : end.result, end.outputs)
  }
}

/** Returns the secrets that the log must not contain. */
const secretsOf = ({ secrets = {}, context }: Task): readonly string[] => [
  ...Object.values(secrets),
  ...['token', 'gitea_runtime_token'].flatMap((name) => {
    const value = context[name]
    return typeof value === 'string' ? [value] : []
  }),
]

async function runSteps(
  { task, folder, environment }: JobOptions,
  reporter: Reporter,
  processes: Processes,
  cancelled: AbortSignal,
  stop: AbortSignal,
): Promise<{ result: Result; outputs: Texts }> {
  const { workflow, key, body } = readPayload(task)
  const [workspace, temp, home] = ['work', 'temp', 'home'].map((name) => join(folder, name)) as [string, string, string]
  for (const each of [workspace, temp, home]) await mkdir(each, { recursive: true })
  const eventPath = join(temp, 'event.json')
  await writeFile(eventPath, JSON.stringify(task.context['event'] ?? {}))
  const github = { ...task.context, workspace, event_path: eventPath, job: key }
  const minutes = Math.min(maxMinutes, Number(plainText(body['timeout-minutes']) ?? maxMinutes) || maxMinutes)
  const overtime = AbortSignal.timeout(minutes * 60_000)
  const strategy = isPlainMap(body['strategy']) ? body['strategy'] : {}
  const job: Job = {
    task,
    reporter,
    processes,
    git: () => ({
      processes,
      env: { ...job.baseEnv, GIT_TERMINAL_PROMPT: '0' },
      serverUrl: textOf(github, 'server_url'),
      repository: textOf(github, 'repository'),
      token: textOf(github, 'token'),
      log: (texts) => reporter.log(...texts),
      signal: job.signal,
    }),
    workspace,
    temp,
    actions: join(folder, 'actions'),
    baseEnv: { ...environment, HOME: home, ...variablesOf(task, github, temp) },
    env: {},
    paths: [],
    github,
    inputs: inputsOf(workflow['on'], task.context['event']),
    matrix: singles(strategy['matrix']),
    strategy,
    defaults: [body['defaults'], workflow['defaults']].map((each) => (isPlainMap(each) ? (each['run'] ?? null) : null)),
    status: 'success',
    afterwards: [],
    signal: AbortSignal.any([cancelled, overtime, stop]),
    steps: 0,
    current: 0,
  }
  const scope: Scope = { steps: {}, inputs: job.inputs, env: {}, depth: 0 }
  Object.assign(job.env, filledMap(job, scope, workflow['env']))
  Object.assign(job.env, filledMap(job, scope, body['env']))
  if (!shouldRunJob(job, scope, body['if'])) return { result: 'SKIPPED', outputs: {} }
  if (isPresent(body['container']) || isPresent(body['services'])) {
    reporter.log('##[error]this runner has no containers, which `container` and `services` need')
    return { result: 'FAILURE', outputs: {} }
  }
  const steps = Array.isArray(body['steps']) ? (body['steps'] as readonly Plain[]) : []
  reporter.steps.push(...steps.map((_, id): StepState => ({ id, logIndex: 0, logLength: 0 })))
  reporter.log(`Job ${plainText(body['name']) ?? key} of ${textOf(github, 'repository')} at ${textOf(github, 'sha')}`)
  const settle = (): void => {
    if (!cancelled.aborted && !overtime.aborted) return
    if (job.status === 'cancelled' || stop.aborted) return
    if (!cancelled.aborted) reporter.log(`##[error]the job took longer than ${minutes} minutes`)
    // Steps with `always()` get some time.
    job.status = 'cancelled'
    job.signal = AbortSignal.any([stop, AbortSignal.timeout(afterwardsMs)])
  }
  for (const [id, step] of steps.entries()) {
    if (stop.aborted) break
    const state = reporter.steps[id] as StepState
    job.current = id
    Object.assign(state, { startedAt: now(), logIndex: reporter.nextLine })
    const { conclusion } = await runStep(job, scope, step)
    settle()
    Object.assign(state, {
      stoppedAt: now(),
      logLength: reporter.nextLine - state.logIndex,
      result: conclusion.toUpperCase() as Result,
    })
  }
  for (const after of job.afterwards.toReversed()) if (!stop.aborted) await after()
  settle()
  const outputs = filledMap(job, scope, body['outputs'])
  const ignoresFailure = valued(job, scope, body['continue-on-error']) === true
  if (job.status === 'cancelled' && !cancelled.aborted) return { result: 'FAILURE', outputs }
  const result = job.status.toUpperCase() as Result
  return { result: ignoresFailure && result === 'FAILURE' ? 'SUCCESS' : result, outputs }
}

const isPresent = (value: Plain | undefined): boolean => value !== undefined && value !== null && value !== ''

/** Returns the job of the payload. Throws when it is malformed. */
function readPayload(task: Task): {
  readonly workflow: { readonly [key: string]: Plain }
  readonly key: string
  readonly body: { readonly [key: string]: Plain }
} {
  const read = readYaml(Buffer.from(task.workflowPayload, 'base64').toString('utf8'))
  if (!read.ok) throw new Error(`the workflow of the task is malformed: ${read.problem}`)
  const jobs = isPlainMap(read.value) ? read.value['jobs'] : undefined
  const [entry] = isPlainMap(jobs) ? Object.entries(jobs) : []
  if (!entry || !isPlainMap(entry[1])) throw new Error('the workflow of the task has no job')
  return { workflow: read.value as { readonly [key: string]: Plain }, key: entry[0], body: entry[1] }
}

/** Returns the values of a payload's matrix, which has one value for each key. */
const singles = (matrix: Plain | undefined): Plain =>
  Object.fromEntries(
    Object.entries(isPlainMap(matrix) ? matrix : {}).map(([key, value]) => [
      key,
      Array.isArray(value) ? ((value as readonly Plain[])[0] ?? null) : value,
    ]),
  )

/** Returns the inputs of a dispatch in their declared types. */
function inputsOf(on: Plain | undefined, event: Plain | undefined): Plain {
  const given = isPlainMap(event) && isPlainMap(event['inputs']) ? event['inputs'] : {}
  const entries = isPlainMap(on) ? [on['workflow_dispatch'], on['workflow_call']] : []
  const declared = Object.assign(
    {},
    ...entries.map((entry) => (isPlainMap(entry) && isPlainMap(entry['inputs']) ? entry['inputs'] : {})),
  ) as { readonly [key: string]: Plain }
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const input = declared[name]
      const type = isPlainMap(input) ? input['type'] : undefined
      if (type === 'boolean') return [name, value === 'true' || value === true]
      return [name, type === 'number' && value !== '' ? Number(value) : value]
    }),
  )
}

/** Returns the standard environment variables of workflows. */
function variablesOf(task: Task, github: Readonly<Record<string, Plain>>, temp: string): Texts {
  const text = (name: string): string => textOf(github, name)
  const server = text('server_url')
  const shown = [
    ...['actor', 'api_url', 'base_ref', 'event_name', 'event_path', 'head_ref', 'job', 'ref', 'ref_name', 'ref_type'],
    ...['repository', 'repository_owner', 'run_attempt', 'run_id', 'run_number', 'sha', 'workflow', 'workspace'],
  ]
  const own = Object.fromEntries(shown.map((name) => [name.toUpperCase(), text(name)]))
  const facts = Object.entries(runnerFacts(temp)).map(([name, value]) => [`RUNNER_${name.toUpperCase()}`, value])
  const runtime = text('gitea_runtime_token')
  const identityUrl = text('id_token_request_url')
  return {
    CI: 'true',
    ...inAllNames({ ...own, ACTIONS: 'true', SERVER_URL: server.replace(/\/$/, '') }),
    ...Object.fromEntries(facts),
    ACTIONS_RUNTIME_URL: `${server}api/actions_pipeline/`,
    ACTIONS_RESULTS_URL: server,
    ACTIONS_CACHE_URL: server,
    ACTIONS_RUNTIME_TOKEN: runtime,
    ...(identityUrl === ''
      ? {}
      : { ACTIONS_ID_TOKEN_REQUEST_URL: identityUrl, ACTIONS_ID_TOKEN_REQUEST_TOKEN: text('id_token_request_token') }),
    INGOT_TASK: task.id,
  }
}
