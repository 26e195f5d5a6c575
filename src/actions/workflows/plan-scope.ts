import { expressionOf } from './call.rules.ts'
import { evaluateName, hasExpression, RunProblem, type Contexts } from './evaluation.ts'
import { pluck } from '../../lib/pluck.ts'
import { combinationText, type Combination } from './matrix.rules.ts'
import { plainText, type Plain } from './plain-yaml.ts'
import type { PlannedJob } from './planned-job.ts'
import type { TokenRights, Workflow, WorkflowJob } from './workflow.parse.ts'

const maxJobsOfRun = 512
/** Largest payload of all jobs of a run together. */
export const maxPayloadBytes = 4 * 1024 * 1024

/** Longest name of a job, in characters. */
export const maxNameLength = 255

/** What the jobs of a run use together. */
interface Usage {
  jobs: number
  bytes: number
  expressions: number
  matrixExpressions: number
}

/** The commit that contains a file. Workflows that the file calls by path are in the same commit. */
export type Origin = object

/** A workflow that another one calls. */
export type Called =
  | { readonly ok: true; readonly workflow: Workflow; readonly origin: Origin }
  | { readonly ok: false; readonly problem: string }

/** Finds the workflow that `uses` of a job names. `from` is the origin of the job's file. */
export type FindCalled = (uses: string, from: Origin | undefined) => Promise<Called>

/** A job that a call needs, with its name in expressions of the called file. */
export interface Need {
  readonly key: string
  readonly name: string
}

/** The workflow file whose jobs are planned, and what it inherits from its callers. */
export interface PlanScope {
  readonly workflow: Workflow
  /** `on` of the file that started the run. Runners get it for called workflows as well. */
  readonly on: Plain
  readonly contexts: Contexts
  readonly find: FindCalled
  readonly origin: Origin | undefined
  /** The prefix of the keys of jobs. */
  readonly prefix: string
  /** The prefix of the names of jobs. */
  readonly namePrefix: string
  /** The jobs that the call needs. Each job of the file needs them too. */
  readonly needs: readonly Need[]
  /** The condition of the call, which applies to jobs without `needs`. */
  readonly condition: string | undefined
  readonly rights: TokenRights | undefined
  readonly passedSecrets: readonly string[] | undefined
  readonly depth: number
  readonly usage: Usage
}

/** Counts a job in the usage of its run. */
export function counted({ usage }: PlanScope, job: PlannedJob): PlannedJob {
  usage.bytes += job.payload.length
  if (++usage.jobs > maxJobsOfRun) throw new RunProblem(`the run has more than ${maxJobsOfRun} jobs`)
  if (usage.bytes > maxPayloadBytes) {
    throw new RunProblem(`the definitions of the jobs have more than ${maxPayloadBytes} bytes`)
  }
  return job
}

/**
 * Returns the name of a job: its evaluated template, or its name with the values of the combination. A template that needs
 * contexts of the runner (`needs`, `secrets`) counts as a plain name.
 */
export async function nameOf(scope: PlanScope, job: WorkflowJob, combination: Combination): Promise<string> {
  const text = hasExpression(job.name)
    ? await evaluateName(job.name, { ...scope, contexts: { ...scope.contexts, matrix: combination } })
    : undefined
  const name = text === undefined ? job.name + combinationText(combination) : text.trim() || job.key
  return (scope.namePrefix + name).slice(0, maxNameLength)
}

/** The condition of a job without `if`. */
export const defaultCondition = 'success()'

/** Returns the jobs that a job needs: in its own file, and those that the call of the file needs. */
export const needsIn = (scope: PlanScope, job: WorkflowJob): readonly Need[] => [
  ...job.needs.map((name) => ({ key: scope.prefix + name, name })),
  ...scope.needs,
]

/** Returns the keys of the jobs that a job needs. */
export const needsOf = (scope: PlanScope, job: WorkflowJob): readonly string[] => pluck(needsIn(scope, job), 'key')

/** Returns the condition of a job without `needs`, combined with that of the call. */
export function conditionOf(scope: PlanScope, job: WorkflowJob): string | undefined {
  if (scope.condition === undefined || job.needs.length > 0) return undefined
  const own = plainText(job.body['if'])
  if (own !== undefined) return `${scope.condition} && ${bracketed(own)}`
  return scope.condition === defaultCondition ? undefined : scope.condition
}

/** Returns a condition as an expression in brackets. */
export const bracketed = (condition: string): string => {
  const whole = expressionOf(condition.includes('${{') ? condition : `\${{ ${condition} }}`)
  return whole.startsWith('(') ? whole : `(${whole})`
}

/** A called workflow has at most the rights of the job that calls it. */
export function rightsOf({ rights }: PlanScope, job: WorkflowJob): TokenRights {
  if (!rights) return job.rights
  return {
    isReadOnly: rights.isReadOnly || job.rights.isReadOnly,
    mayIdentify: rights.mayIdentify && (job.rights.mayIdentify || !job.rights.isExplicit),
    isExplicit: true,
  }
}
