import { readFileSync, statSync } from 'node:fs'
import fs from 'node:fs'
import { createHash } from 'node:crypto'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { fillIn, resultOf, valueOf, type ExpressionOptions } from '../actions/workflows/expressions.ts'
import { isPlainMap, plainText, type Plain } from '../actions/workflows/plain-yaml.ts'
import { soleExpression } from '../actions/workflows/templates.rules.ts'
import type { Git } from './checkout.ts'
import type { Processes } from './processes.ts'
import type { Task } from './protocol-client.ts'
import type { Reporter } from './reporter.ts'

export type Texts = Readonly<Record<string, string>>
export type JobStatus = 'success' | 'failure' | 'cancelled'

/** A running job, with the state that its steps change. */
export interface Job {
  readonly task: Task
  readonly reporter: Reporter
  readonly processes: Processes
  readonly git: () => Git
  readonly workspace: string
  readonly temp: string
  /** The folder of fetched actions. */
  readonly actions: string
  /** The environment of processes without the variables of the file and its steps. */
  readonly baseEnv: Texts
  readonly env: Record<string, string>
  readonly paths: string[]
  readonly github: Readonly<Record<string, Plain>>
  readonly inputs: Plain
  readonly matrix: Plain
  readonly strategy: Plain
  readonly defaults: readonly Plain[]
  status: JobStatus
  /** The `post` parts of actions, which run after the steps in reverse order. */
  readonly afterwards: (() => Promise<void>)[]
  /** Ends the running process. It is replaced after a cancellation. */
  signal: AbortSignal
  /** The number of the last step folder. */
  steps: number
  /** The position of the current step of the job, or of that whose `post` part runs. */
  current: number
}

/** The scope of a list of steps: the job, or a composite action. */
export interface Scope {
  readonly steps: Record<string, { outputs: Record<string, string>; outcome: string; conclusion: string }>
  readonly inputs: Plain
  readonly env: Texts
  /** The folder of the action. */
  readonly actionPath?: string
  readonly depth: number
}

/** Returns a member of a context if it is a string, or else an empty string. */
export function textOf(context: Readonly<Record<string, Plain>>, name: string): string {
  const value = context[name]
  return typeof value === 'string' ? value : ''
}

/** Longest result of an expression, in characters. `toJSON(github)` contains the whole event. */
const maxLength = 4 * 1024 * 1024

const contextsOf = (job: Job, scope: Scope, env: Texts): Readonly<Record<string, Plain>> => {
  const github = { ...job.github, ...(scope.actionPath === undefined ? {} : { action_path: scope.actionPath }) }
  const { task } = job
  return {
    github,
    gitea: github,
    forgejo: github,
    env,
    vars: task.vars ?? {},
    secrets: scope.depth === 0 ? (task.secrets ?? {}) : {},
    matrix: job.matrix,
    strategy: job.strategy,
    needs: needsOf(task),
    inputs: scope.inputs,
    job: { status: job.status },
    runner: runnerFacts(job.temp),
    steps: scope.steps,
  }
}

/** Returns the `runner` context. */
export const runnerFacts = (temp: string): Texts => ({
  name: 'ingot',
  os: { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }[platform() as string] ?? platform(),
  arch: { x64: 'X64', arm64: 'ARM64', ia32: 'X86', arm: 'ARM' }[arch() as string] ?? arch(),
  temp,
  tool_cache: join(temp, 'tools'),
  environment: 'self-hosted',
})

const resultNames: Texts = {
  RESULT_SUCCESS: 'success',
  RESULT_FAILURE: 'failure',
  RESULT_CANCELLED: 'cancelled',
  RESULT_SKIPPED: 'skipped',
}

const needsOf = ({ needs = {} }: Task): Plain =>
  Object.fromEntries(
    Object.entries(needs).map(([key, { result = '', outputs = {} }]) => [
      key,
      { result: resultNames[result] ?? '', outputs },
    ]),
  )

/** Returns the results of the needed jobs. */
export const resultsOfNeeds = ({ needs = {} }: Task): readonly string[] =>
  Object.values(needs).map(({ result = '' }) => resultNames[result] ?? '')

/** Returns the functions of expressions: `success()`, `failure()`, `cancelled()`, `always()` and `hashFiles()`. */
function optionsOf(job: Job, isSuccess: boolean, isFailure: boolean): ExpressionOptions {
  const truth = (value: boolean) => ({ minArgs: 0, maxArgs: 0, call: () => value })
  return {
    maxLength,
    functions: {
      success: truth(isSuccess),
      failure: truth(isFailure),
      cancelled: truth(job.status === 'cancelled'),
      always: truth(true),
      hashFiles: { minArgs: 1, maxArgs: 255, call: (...patterns) => hashFiles(job.workspace, patterns) },
    },
  }
}

const stepOptions = (job: Job): ExpressionOptions => optionsOf(job, job.status === 'success', job.status === 'failure')

/** Replaces the expressions of a string. */
export const filled = (job: Job, scope: Scope, text: string, env: Texts = job.env): string =>
  text.includes('${{') ? fillIn(text, contextsOf(job, scope, env), stepOptions(job)) : text

/** Evaluates a value of the file. */
export const valued = (job: Job, scope: Scope, value: Plain | undefined, env: Texts = job.env): Plain =>
  typeof value === 'string' && value.includes('${{')
    ? valueOf(value, contextsOf(job, scope, env), stepOptions(job))
    : (value ?? null)

/** Evaluates a map of strings. One expression may return the whole map. */
export function filledMap(job: Job, scope: Scope, value: Plain | undefined, env: Texts = job.env): Texts {
  const map = valued(job, scope, value, env)
  if (!isPlainMap(map)) return {}
  const texts = Object.entries(map).map(([name, each]) => {
    const one = valued(job, scope, each, env)
    return [name, plainText(one) ?? (one === null ? '' : JSON.stringify(one))] as const
  })
  return Object.fromEntries(texts)
}

const isTruthy = (value: Plain): boolean => value !== null && value !== false && value !== 0 && value !== ''

const usesStatusFunction = /\b(?:success|failure|cancelled|always)\s*\(/i

/** Returns whether a step runs. The default condition is that all previous steps succeeded. */
export const shouldRun = (job: Job, scope: Scope, condition: Plain | undefined, env: Texts): boolean =>
  holds(job, scope, condition, env, stepOptions(job))

/** Returns whether a job runs, which depends on the results of the needed jobs. */
export function shouldRunJob(job: Job, scope: Scope, condition: Plain | undefined): boolean {
  const results = resultsOfNeeds(job.task)
  const isSuccess = results.every((result) => result === 'success')
  return holds(job, scope, condition, job.env, optionsOf(job, isSuccess, results.includes('failure')))
}

function holds(job: Job, scope: Scope, condition: Plain | undefined, env: Texts, options: ExpressionOptions): boolean {
  const written = (plainText(condition) ?? '').trim()
  const whole = soleExpression(written)
  const contexts = contextsOf(job, scope, env)
  const isTemplate = whole === undefined && written.includes('${{')
  const expression = whole ?? written
  const effective = expression === '' ? 'success()' : expression
  const result = isTemplate ? fillIn(written, contexts, options) : resultOf(effective, contexts, options)
  if (usesStatusFunction.test(written)) return isTruthy(result)
  return isTruthy(result) && isTruthy(resultOf('success()', contexts, options))
}

/** Most files of `hashFiles`. */
const maxHashed = 20_000

function hashFiles(workspace: string, patterns: readonly string[]): string {
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!'))
  const exclude = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  // From the default import: an older Node lacks this export, and must still load the program to report its version.
  const paths = fs
    .globSync(wanted, { cwd: workspace, exclude })
    .filter((path) => !path.split('/').includes('.git') && statSync(join(workspace, path)).isFile())
    .toSorted()
  if (paths.length === 0) return ''
  if (paths.length > maxHashed) throw new Error(`hashFiles matches ${paths.length} files; the limit is ${maxHashed}`)
  const whole = createHash('sha256')
  const digestOf = (path: string): Buffer =>
    createHash('sha256')
      .update(readFileSync(join(workspace, path)))
      .digest()
  for (const path of paths) whole.update(digestOf(path))
  return whole.digest('hex')
}
