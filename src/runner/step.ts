import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { commandOf, type StepCommand } from '../actions/logs/commands.rules.ts'
import { maxSummariesBytes, maxSummaryBytes } from '../actions/logs/summary.rules.ts'
import { isPlainMap, plainText, type Plain } from '../actions/workflows/plain-yaml.ts'
import { fetchAction, inside, parseUses, readAction, Unsupported, type Action } from './actions.ts'
import { fetchCommit, storeToken, checkOutRun, StepFailure } from './checkout.ts'
import { readPairs } from './commands.rules.ts'
import { textOf, filled, filledMap, shouldRun, valued, type Job, type Scope, type Texts } from './job-context.ts'
import { shellCommand } from './shells.rules.ts'

type Step = { readonly [key: string]: Plain }

/** The end of a step. */
export interface StepEnd {
  readonly outcome: 'success' | 'failure' | 'cancelled' | 'skipped'
  /** The outcome after `continue-on-error`. */
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'skipped'
}

/** Deepest nesting of composite actions. */
const maxDepth = 10

/** Largest command file of a step, such as `GITHUB_OUTPUT`. */
const maxFileBytes = 4 * 1024 * 1024

const skipped: StepEnd = { outcome: 'skipped', conclusion: 'skipped' }

/** Runs a step. Errors are written to the log and make a failure. */
export async function runStep(job: Job, scope: Scope, step: Plain): Promise<StepEnd> {
  const own: Step = isPlainMap(step) ? step : {}
  const id = plainText(own['id'])
  const outputs: Record<string, string> = {}
  const end = await tryStep(job, scope, own, outputs)
  if (id !== undefined) scope.steps[id] = { outputs, ...end }
  if (end.conclusion === 'failure' && job.status === 'success') job.status = 'failure'
  return end
}

async function tryStep(job: Job, scope: Scope, step: Step, outputs: Record<string, string>): Promise<StepEnd> {
  const { reporter } = job
  const outer = job.signal
  try {
    const before: Texts = { ...job.env, ...scope.env }
    const env: Texts = { ...before, ...filledMap(job, scope, step['env'], before) }
    if (!shouldRun(job, scope, step['if'], env)) return skipped
    const minutes = Number(valued(job, scope, step['timeout-minutes'], env) ?? 0)
    if (minutes > 0) job.signal = AbortSignal.any([outer, AbortSignal.timeout(minutes * 60_000)])
    const state = reporter.steps[job.current]
    if (scope.depth === 0 && state) state.name = nameOf(job, scope, step, env)
    reporter.log(`##[group]Run ${titleOf(job, scope, step, env)}`, '##[endgroup]')
    const error = await failureOf(() => doStep(job, scope, step, env, outputs))
    if (error === undefined) return { outcome: 'success', conclusion: 'success' }
    if (outer.aborted) return { outcome: 'cancelled', conclusion: 'cancelled' }
    reporter.log(`##[error]${job.signal.aborted ? `the step took longer than ${minutes} minutes` : error}`)
    const continues = valued(job, scope, step['continue-on-error'], env)
    return { outcome: 'failure', conclusion: continues === true || continues === 'true' ? 'success' : 'failure' }
  } catch (error) {
    // An expression is malformed or uses an unknown name.
    reporter.log(`##[error]${Error.isError(error) ? error.message : String(error)}`)
    return { outcome: 'failure', conclusion: 'failure' }
  } finally {
    job.signal = outer
  }
}

/** Returns the message of a failure. A defect of the runner is reported too, because people read the log. */
async function failureOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof StepFailure || error instanceof Unsupported) return error.message
    return Error.isError(error) ? `${error.name}: ${error.message}` : String(error)
  }
}

/** Returns the evaluated name of a step, or "Run" and what it does. */
function nameOf(job: Job, scope: Scope, step: Step, env: Texts): string {
  const title = titleOf(job, scope, step, env)
  return plainText(step['name']) ? title : `Run ${title}`
}

/** Returns the title of a step in the log. */
export function titleOf(job: Job, scope: Scope, step: Step, env: Texts = job.env): string {
  const given = plainText(step['name']) ?? plainText(step['uses']) ?? plainText(step['run'])?.trim().split('\n', 1)[0]
  try {
    return filled(job, scope, given ?? '', env)
  } catch {
    // The error of the expression is reported when the step runs.
    return given ?? ''
  }
}

async function doStep(job: Job, scope: Scope, step: Step, env: Texts, outputs: Record<string, string>): Promise<void> {
  const uses = plainText(step['uses'])
  const script = plainText(step['run'])
  if (uses !== undefined) {
    const inputs = filledMap(job, scope, step['with'], env)
    if (uses.startsWith('actions/checkout@')) return checkOut(job, inputs)
    const title = nameOf(job, scope, step, env)
    return useAction(job, scope, filled(job, scope, uses, env), { title, inputs, env, outputs })
  }
  if (script === undefined) throw new StepFailure('the step has neither `run` nor `uses`')
  const folder = await stepFolder(job)
  const text = filled(job, scope, script, env)
  const shell = shellCommand(shellOf(job, scope, step, env), join(folder, 'script'), existsSync('/bin/bash'))
  await writeFile(shell.file, `${text}\n`, { mode: 0o700 })
  const cwd = resolve(job.workspace, defaultOf(job, scope, step, 'working-directory', env) ?? '.')
  if (!existsSync(cwd)) throw new StepFailure(`the working directory ${cwd} does not exist`)
  await runInStep(job, { ...shell, cwd, env: withAction(scope, env), folder, outputs })
}

const withAction = (scope: Scope, env: Texts): Texts =>
  scope.actionPath === undefined ? env : { ...env, ...inAllNames({ ACTION_PATH: scope.actionPath }) }

const shellOf = (job: Job, scope: Scope, step: Step, env: Texts): string | undefined =>
  defaultOf(job, scope, step, 'shell', env)

/** Returns a key of the step, or the default of the job or the workflow. Actions have no defaults. */
function defaultOf(job: Job, scope: Scope, step: Step, key: string, env: Texts): string | undefined {
  const given = [step, ...(scope.depth === 0 ? job.defaults : [])].map((each) =>
    isPlainMap(each) ? plainText(each[key]) : undefined,
  )
  const text = given.find((each) => each !== undefined)
  return text === undefined ? undefined : filled(job, scope, text, env)
}

async function stepFolder(job: Job): Promise<string> {
  const folder = join(job.temp, `step-${++job.steps}`)
  await mkdir(folder, { recursive: true })
  return folder
}

/** Returns each variable with the prefixes GITHUB, GITEA and FORGEJO. */
export const inAllNames = (values: Texts): Texts =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      ['GITHUB', 'GITEA', 'FORGEJO'].map((prefix) => [`${prefix}_${name}`, value] as const),
    ),
  )

interface Execution {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Texts
  readonly folder: string
  readonly outputs: Record<string, string>
  /** The state that the `post` part of the action gets. */
  readonly state?: Record<string, string>
}

/** Runs a process of a step, and applies its command files and commands. Throws `StepFailure` for a non-zero exit code. */
async function runInStep(job: Job, execution: Execution): Promise<void> {
  const { folder, outputs, state = {} } = execution
  const files = ['ENV', 'OUTPUT', 'PATH', 'STATE', 'STEP_SUMMARY'] as const
  const at = (name: string): string => join(folder, name.toLowerCase())
  for (const name of files) await writeFile(at(name), '')
  const listening = listener(job, outputs, state)
  const path = [...job.paths.toReversed(), execution.env['PATH'] ?? job.baseEnv['PATH'] ?? ''].join(':')
  const code = await job.processes.run({
    command: execution.command,
    args: execution.args,
    cwd: execution.cwd,
    env: {
      ...job.baseEnv,
      ...execution.env,
      ...inAllNames(Object.fromEntries(files.map((name) => [name, at(name)]))),
      PATH: path,
    },
    lines: listening.lines,
    signal: job.signal,
  })
  listening.end()
  await readCommandFiles(job, at, outputs, state)
  await rm(folder, { recursive: true, force: true })
  if (code === 0) return
  throw new StepFailure(code === undefined ? 'the process was ended' : `the process ended with exit code ${code}`)
}

/** Returns a function that writes lines to the log and executes commands. */
function listener(job: Job, outputs: Record<string, string>, state: Record<string, string>): Listener {
  const { reporter, task } = job
  const isDebugged = (task.vars?.['ACTIONS_STEP_DEBUG'] ?? task.secrets?.['ACTIONS_STEP_DEBUG']) === 'true'
  let resumeAt: string | undefined
  const end = (): void => {
    if (resumeAt !== undefined) reporter.log(`::${resumeAt}::`)
  }
  const lines = async (texts: readonly string[]): Promise<void> => {
    await reporter.room()
    for (const text of texts) {
      const command = commandOf(text)
      if (resumeAt !== undefined) {
        if (command?.name === resumeAt) resumeAt = undefined
        reporter.log(text)
      } else if (command?.name === 'add-mask') {
        reporter.masks.add(command.value)
        reporter.log('::add-mask::***')
      } else if (command?.name === 'stop-commands' && command.value !== '') {
        resumeAt = command.value.toLowerCase()
        // The forge reads commands in the log as well.
        reporter.log(text)
      } else if (command?.name === 'set-output' && command.properties['name']) {
        outputs[command.properties['name']] = command.value
      } else if (command?.name === 'save-state' && command.properties['name']) {
        state[command.properties['name']] = command.value
      } else if (command && annotations.has(command.name)) reporter.log(inWorkspace(job, text))
      else if (command?.name !== 'debug' || isDebugged) reporter.log(formatCommand(text, command))
    }
  }
  return { lines, end }
}

interface Listener {
  readonly lines: (texts: readonly string[]) => Promise<void>
  /** The process has ended, and commands are obeyed again. */
  readonly end: () => void
}

/** Commands that the forge reads in the log. */
const annotations: ReadonlySet<string> = new Set(['error', 'warning', 'notice'])

/** Returns an annotation with the path of its file in the repository. */
const inWorkspace = (job: Job, text: string): string => text.replace(`file=${job.workspace}/`, () => 'file=')

/** Returns the log form of groups and debug messages. */
function formatCommand(text: string, command: StepCommand | undefined): string {
  if (!command || !['group', 'endgroup', 'debug'].includes(command.name)) return text
  return `##[${command.name}]${command.value}`
}

/** Reads the command files of a step. */
async function readCommandFiles(
  job: Job,
  at: (name: string) => string,
  outputs: Record<string, string>,
  state: Record<string, string>,
): Promise<void> {
  const read = async (name: string): Promise<string> => {
    const size = (await stat(at(name)).catch(() => undefined))?.size ?? 0
    if (size > maxFileBytes) throw new StepFailure(`the file ${name} is larger than ${maxFileBytes} bytes`)
    return size === 0 ? '' : readFile(at(name), 'utf8')
  }
  Object.assign(outputs, Object.fromEntries(readPairs(await read('OUTPUT'))))
  Object.assign(state, Object.fromEntries(readPairs(await read('STATE'))))
  for (const [name, value] of readPairs(await read('ENV'))) {
    // These variables would make later programs load code.
    if (/^(?:NODE_OPTIONS|LD_PRELOAD|LD_LIBRARY_PATH)$/i.test(name)) {
      job.reporter.log(`##[warning]${name} cannot be set for later steps`)
    } else job.env[name] = value
  }
  job.paths.push(...(await read('PATH')).split(/\r?\n/).filter((path) => path !== ''))
  await readSummary(job, at('STEP_SUMMARY'))
}

/** Adds the summary file of a process to the summary of the step. */
async function readSummary(job: Job, path: string): Promise<void> {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  if (size === 0) return
  const text = size > maxSummaryBytes ? undefined : await readFile(path, 'utf8')
  if (text !== undefined && (await job.reporter.summarize(job.current, `${text.trimEnd()}\n`))) return
  job.reporter.log(
    `##[error]the summary is not kept: a step has at most ${maxSummaryBytes} bytes, a job ${maxSummariesBytes}`,
  )
}

/** Unsupported inputs of the checkout, with the commands that replace them. They fail the step. */
const unsupportedInputs = { submodules: 'git submodule update --init', lfs: 'git lfs pull' }

/** The built-in `actions/checkout`. */
async function checkOut(job: Job, inputs: Texts): Promise<void> {
  const { github, workspace } = job
  for (const [input, command] of Object.entries(unsupportedInputs)) {
    if (['', 'false'].includes(inputs[input] ?? '')) continue
    throw new StepFailure(`this runner's checkout does not support \`${input}\`; run \`${command}\` in a step`)
  }
  const repository = inputs['repository'] || textOf(github, 'repository')
  const isOwn = repository.toLowerCase() === textOf(github, 'repository').toLowerCase()
  const folder = inside(workspace, inputs['path'] || '.')
  await mkdir(folder, { recursive: true })
  const sha = textOf(github, 'sha')
  const ref = inputs['ref'] || (isOwn ? textOf(github, 'ref') : 'HEAD')
  const isOfRun = isOwn && !inputs['ref']
  const git = job.git()
  await fetchCommit(git, folder, {
    repository,
    wanted: isOfRun ? [sha, ref] : [ref],
    depth: inputs['fetch-depth'] === undefined || inputs['fetch-depth'] === '' ? 1 : Number(inputs['fetch-depth']),
    ...(inputs['token'] ? { token: inputs['token'] } : {}),
  })
  if (isOfRun) await checkOutRun(git, folder, sha, ref)
  if (isOwn && inputs['persist-credentials'] !== 'false') await storeToken(git, folder, inputs['token'] || git.token)
}

async function useAction(
  job: Job,
  scope: Scope,
  uses: string,
  { title, inputs: given, env, outputs }: ActionUse,
): Promise<void> {
  if (scope.depth >= maxDepth) throw new StepFailure(`actions are nested more than ${maxDepth} levels deep`)
  const location = parseUses(uses, textOf(job.github, 'server_url'))
  const folder =
    location.at === 'workspace'
      ? inside(job.workspace, location.path)
      : await fetchAction(job.git(), job.actions, location)
  const action = await readAction(folder)
  const inputs = inputsOf(job, scope, action, given, env)
  if (action.runs.using === 'composite') await runComposite(job, scope, action, inputs, env, outputs)
  else await runNode(job, scope, action, { title, inputs, env, outputs })
}

/** Returns the inputs of an action: the given ones, and the defaults. */
function inputsOf(job: Job, scope: Scope, action: Action, given: Texts, env: Texts): Texts {
  const names = Object.keys(action.inputs)
  const known = new Map(names.map((name) => [name.toLowerCase(), name]))
  const fallbacks = filledMap(job, scope, action.inputs, env)
  const own = Object.entries(given).map(([name, value]) => [known.get(name.toLowerCase()) ?? name, value] as const)
  return { ...fallbacks, ...Object.fromEntries(own) }
}

async function runComposite(
  job: Job,
  scope: Scope,
  action: Action,
  inputs: Texts,
  env: Texts,
  outputs: Record<string, string>,
): Promise<void> {
  const inner: Scope = { steps: {}, inputs, env, actionPath: action.folder, depth: scope.depth + 1 }
  const { runs } = action
  const before = job.status
  // Conditions inside of the action depend on its own steps.
  if (before === 'failure') job.status = 'success'
  let failed = false
  for (const step of runs.using === 'composite' ? runs.steps : []) {
    const { conclusion } = await runStep(job, inner, step)
    failed ||= conclusion === 'failure'
  }
  if (job.status !== 'cancelled') job.status = before
  Object.assign(outputs, filledMap(job, inner, action.outputs, env))
  if (failed) throw new StepFailure('a step of the action failed')
}

/** The use of an action. */
interface ActionUse {
  /** The name of the step. */
  readonly title: string
  readonly inputs: Texts
  readonly env: Texts
  readonly outputs: Record<string, string>
}

async function runNode(
  job: Job,
  scope: Scope,
  action: Action,
  { title, inputs, env, outputs }: ActionUse,
): Promise<void> {
  const { runs } = action
  if (runs.using !== 'node') return
  const state: Record<string, string> = {}
  const execute = async (file: string): Promise<void> => {
    const states = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value])
    await runInStep(job, {
      command: process.execPath,
      args: [inside(action.folder, file)],
      cwd: job.workspace,
      env: {
        ...env,
        ...inputVariables(inputs),
        ...Object.fromEntries(states),
        ...inAllNames({ ACTION_PATH: action.folder }),
      },
      folder: await stepFolder(job),
      outputs,
      state,
    })
  }
  const { pre, preIf = 'always()', main, post, postIf = 'always()' } = runs
  if (pre !== undefined && shouldRun(job, scope, preIf, env)) await execute(pre)
  if (post !== undefined) {
    const { current } = job
    job.afterwards.push(async () => {
      job.current = current
      if (!shouldRun(job, scope, postIf, env)) return
      job.reporter.log(`##[group]Post ${title}`, '##[endgroup]')
      const error = await failureOf(() => execute(post))
      if (error === undefined) return
      job.reporter.log(`##[error]${error}`)
      if (job.status === 'success') job.status = 'failure'
    })
  }
  await execute(main)
}

const inputVariables = (inputs: Texts): Texts =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value]),
  )
