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

/** A job that runs, with what its steps change of it. */
export interface Job {
  readonly task: Task
  readonly reporter: Reporter
  readonly processes: Processes
  readonly git: () => Git
  readonly workspace: string
  readonly temp: string
  /** Where actions of repositories lie. */
  readonly actions: string
  /** What processes find besides what the file and its steps set. */
  readonly baseEnv: Texts
  readonly env: Record<string, string>
  readonly paths: string[]
  readonly github: Readonly<Record<string, Plain>>
  readonly inputs: Plain
  readonly matrix: Plain
  readonly strategy: Plain
  readonly defaults: readonly Plain[]
  status: JobStatus
  /** What comes after the steps, the last first. */
  readonly afterwards: (() => Promise<void>)[]
  /** Ends what runs at the moment; another one for what is done after a cancellation. */
  signal: AbortSignal
  /** A number for the folder of the next step. */
  steps: number
}

/** A list of steps: those of the job, or those of a composite action. */
export interface Scope {
  readonly steps: Record<string, { outputs: Record<string, string>; outcome: string; conclusion: string }>
  readonly inputs: Plain
  readonly env: Texts
  /** Of an action: its folder. */
  readonly actionPath?: string
  readonly depth: number
}

/** What the forge told of the job, where it is a text. */
export function factOf(facts: Readonly<Record<string, Plain>>, name: string): string {
  const value = facts[name]
  return typeof value === 'string' ? value : ''
}

/** Longest text that an expression comes to in a job: all that is known of what happened is one (`toJSON(github)`). */
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

/** What is told of the machine. */
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

/** The results of the jobs that a job needs. */
export const resultsOfNeeds = ({ needs = {} }: Task): readonly string[] =>
  Object.values(needs).map(({ result = '' }) => resultNames[result] ?? '')

/** What `success()`, `failure()`, `cancelled()` and `always()` mean in a place, and `hashFiles()`. */
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

/** A text of the file with its expressions filled in. */
export const filled = (job: Job, scope: Scope, text: string, env: Texts = job.env): string =>
  text.includes('${{') ? fillIn(text, contextsOf(job, scope, env), stepOptions(job)) : text

/** What a value of the file stands for. */
export const valued = (job: Job, scope: Scope, value: Plain | undefined, env: Texts = job.env): Plain =>
  typeof value === 'string' && value.includes('${{')
    ? valueOf(value, contextsOf(job, scope, env), stepOptions(job))
    : (value ?? null)

/** A map of the file as texts, with its expressions filled in; one expression may come to the whole map. */
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

const asksForStatus = /\b(?:success|failure|cancelled|always)\s*\(/i

/** Whether a step is run: without a condition of its own when all before it succeeded. */
export const isRun = (job: Job, scope: Scope, condition: Plain | undefined, env: Texts): boolean =>
  holds(job, scope, condition, env, stepOptions(job))

/** Whether a job is run at all: it goes by the jobs that it needs. */
export function isJobRun(job: Job, scope: Scope, condition: Plain | undefined): boolean {
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
  const asked = expression === '' ? 'success()' : expression
  const result = isTemplate ? fillIn(written, contexts, options) : resultOf(asked, contexts, options)
  if (asksForStatus.test(written)) return isTruthy(result)
  return isTruthy(result) && isTruthy(resultOf('success()', contexts, options))
}

/** Most files that `hashFiles` looks at. */
const maxHashed = 20_000

function hashFiles(workspace: string, patterns: readonly string[]): string {
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!'))
  const exclude = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  // Read from the default import: an older Node, which has no such export, is to read as far as what tells so.
  const paths = fs
    .globSync(wanted, { cwd: workspace, exclude })
    .filter((path) => !path.split('/').includes('.git') && statSync(join(workspace, path)).isFile())
    .toSorted()
  if (paths.length === 0) return ''
  if (paths.length > maxHashed) throw new Error(`hashFiles looks at no more than ${maxHashed} files`)
  const whole = createHash('sha256')
  const digestOf = (path: string): Buffer =>
    createHash('sha256')
      .update(readFileSync(join(workspace, path)))
      .digest()
  for (const path of paths) whole.update(digestOf(path))
  return whole.digest('hex')
}
