import { setImmediate } from 'node:timers/promises'
import { evaluateName, hasExpression, labelsOf, named, PlanProblem, RunProblem, type Contexts } from './evaluation.ts'
import { readCall } from './job-call.ts'
import { combinationsFor, withStrategy, withStrategyMap } from './job-matrix.ts'
import { deferredPayload, payloadOf, type Deferred } from './job-payload.ts'
import { combinationText, type Combination } from './matrix.rules.ts'
import { isPlainMap, plainText } from './plain-yaml.ts'
import {
  conditionOf,
  counted,
  maxNameLength,
  nameOf,
  needsOf,
  rightsOf,
  type FindCalled,
  type PlanScope,
} from './plan-scope.ts'
import { plannedConcurrency, plannedEnvironment, type PlannedConcurrency, type PlannedJob } from './planned-job.ts'
import { findReached, reachedFiles, usesOf } from './reached-files.ts'
import { soleExpression } from './templates.rules.ts'
import { concurrencyOf, environmentOf, type Workflow, type WorkflowJob } from './workflow.parse.ts'

export type JobPlan =
  | {
      readonly ok: true
      /** From `run-name`; empty for the title of the event. */
      readonly title: string
      readonly jobs: readonly PlannedJob[]
      /** The first problem of a job; empty for none. */
      readonly problem: string
      readonly concurrency: PlannedConcurrency | undefined
    }
  | { readonly ok: false; readonly problem: string }

/** The names of the `github` context. */
const githubNames: ReadonlySet<string> = new Set(['github', 'gitea', 'forgejo'])

const findNothing: FindCalled = async (uses) => ({ ok: false, problem: `called workflow "${uses}" does not exist` })

/**
 * Plans the jobs of a workflow: it expands matrices, evaluates names and labels, and replaces calls by the jobs of the called
 * workflows. A mistake in the file is a problem.
 * @param contexts the contexts of expressions: `vars`, `github`, `inputs`
 */
export async function planJobs(
  workflow: Workflow,
  contexts: Contexts,
  find: FindCalled = findNothing,
): Promise<JobPlan> {
  const scope = outermost(workflow, contexts, find)
  try {
    const jobs = await planAll(scope)
    const problem = jobs.find((job) => job.problem !== undefined)?.problem
    // No job is left that a runner could get.
    if (problem !== undefined && jobs.every((job) => job.isCall || job.problem !== undefined)) {
      return { ok: false, problem }
    }
    return {
      ok: true,
      title: (await evaluateName(workflow.runName, scope))?.trim() ?? '',
      jobs,
      problem: problem ?? '',
      concurrency: await plannedConcurrency(workflow.concurrency, scope, '`concurrency`'),
    }
  } catch (error) {
    if (error instanceof PlanProblem || error instanceof RunProblem) return { ok: false, problem: error.message }
    throw error
  }
}

/**
 * Plans the jobs of a deferred job. Those of a call have keys, needs, rights and secrets of their own; others have those of the
 * deferred job.
 * @param contexts also contain `needs`
 */
export async function planDeferred(
  { workflow, namePrefix, call }: Deferred,
  contexts: Contexts,
): Promise<{ readonly jobs: readonly PlannedJob[]; readonly problem: string }> {
  try {
    const find = call && findReached(call.files)
    const jobs = await planAll({ ...outermost(workflow, contexts, find), ...call?.scope, namePrefix })
    return { jobs, problem: jobs.find((job) => job.problem !== undefined)?.problem ?? '' }
  } catch (error) {
    if (error instanceof RunProblem) return { jobs: [], problem: error.message }
    throw error
  }
}

/** Returns the scope of the file that starts a run. */
const outermost = (workflow: Workflow, contexts: Contexts, find: FindCalled = findNothing): PlanScope => ({
  workflow,
  on: workflow.on,
  contexts,
  find,
  origin: undefined,
  prefix: '',
  namePrefix: '',
  needs: [],
  condition: undefined,
  rights: undefined,
  passedSecrets: undefined,
  depth: 0,
  usage: { jobs: 0, bytes: 0, expressions: 0, matrixExpressions: 0 },
})

async function planAll(scope: PlanScope): Promise<PlannedJob[]> {
  const jobs: PlannedJob[] = []
  for (const job of scope.workflow.jobs) {
    if (isNever(job)) jobs.push(counted(scope, skippedJob(scope, job)))
    else jobs.push(...(await planOrFail(scope, job)))
  }
  return jobs
}

/** Returns whether the condition of a job is the constant `false`. */
function isNever({ body }: WorkflowJob): boolean {
  const condition = plainText(body['if'])?.trim() ?? ''
  return (soleExpression(condition) ?? condition).toLowerCase() === 'false'
}

/** Returns a job without a task. */
const emptyJob = (scope: PlanScope, job: WorkflowJob): PlannedJob => ({
  key: scope.prefix + job.key,
  name: (scope.namePrefix + job.name).slice(0, maxNameLength),
  needs: [],
  runsOn: [],
  hasCondition: false,
  rights: { isReadOnly: true, mayIdentify: false, isExplicit: true },
  payload: '',
  passedSecrets: [],
  isCall: false,
})

/** Returns a job that is skipped: a call of nothing. */
const skippedJob = (scope: PlanScope, job: WorkflowJob): PlannedJob => ({
  ...emptyJob(scope, job),
  payload: '{}',
  isCall: true,
})

/** Plans a job. A mistake in it makes one job that fails, beside the other jobs of the run. */
async function planOrFail(scope: PlanScope, job: WorkflowJob): Promise<readonly PlannedJob[]> {
  try {
    return await planJob(scope, job)
  } catch (error) {
    if (!(error instanceof PlanProblem)) throw error
    return [counted(scope, { ...emptyJob(scope, job), problem: error.message })]
  }
}

/** Lets other work run between two jobs, because a job may have hundreds of expressions. */
const othersRun = (): Promise<void> => setImmediate()

/** Returns the contexts of a job: `github` has its key. */
const contextsOf = (contexts: Contexts, key: string): Contexts =>
  Object.fromEntries(
    Object.entries(contexts).map(([name, value]) => [
      name,
      githubNames.has(name) && isPlainMap(value) ? { ...value, job: key } : value,
    ]),
  )

async function planJob(outer: PlanScope, written: WorkflowJob): Promise<readonly PlannedJob[]> {
  const contexts = contextsOf(outer.contexts, written.key)
  const scope = { ...outer, contexts }
  if (waitsForOutputs(scope, written)) return [await deferredJob(scope, written)]
  const job = await withStrategyMap(scope, written)
  const combinations = await combinationsFor(scope, job)
  const uses = usesOf(job)
  if (uses !== undefined) {
    const called: PlannedJob[] = []
    for (const [index, combination] of combinations.entries()) {
      const suffix = combinations.length > 1 ? `#${index}` : ''
      const { inner, whole } = await readCall(scope, { job, uses, combination, suffix })
      called.push(...(await planAll(inner)), counted(scope, whole))
    }
    return called
  }
  const sorted = combinations.toSorted((one, other) => (combinationText(one) < combinationText(other) ? -1 : 1))
  const planned: PlannedJob[] = []
  for (const [index, combination] of sorted.entries()) {
    planned.push(await planOne(withStrategy(scope, job, index, sorted.length), job, combination))
    await othersRun()
  }
  return planned
}

/** An expression that names the context `needs`. */
const readsNeeds = /\$\{\{(?:(?!\}\}).)*\bneeds\b/s

/** Whether the matrix, the labels, the group or the environment of a job depend on jobs that it needs. */
const waitsForOutputs = (scope: PlanScope, { needs, matrix, runsOn, body }: WorkflowJob): boolean =>
  needs.length + scope.needs.length > 0 &&
  scope.contexts['needs'] === undefined &&
  readsNeeds.test(
    JSON.stringify([
      matrix ?? plainText(body['strategy']),
      runsOn,
      body['concurrency'],
      environmentOf(body['environment'])?.name,
    ]),
  )

/** Returns a job that stands for those that are planned when the jobs that it needs have ended. */
async function deferredJob(scope: PlanScope, job: WorkflowJob): Promise<PlannedJob> {
  const isCall = usesOf(job) !== undefined
  // The jobs of a call get its condition when they are planned.
  const condition = conditionOf(scope, job)
  const body = condition === undefined || isCall ? job.body : { ...job.body, if: condition }
  const { prefix, needs, rights, passedSecrets, depth } = scope
  const call = isCall
    ? {
        scope: { prefix, needs, condition: scope.condition, rights, passedSecrets, depth },
        job: { needs: job.needs, rights: job.rights },
        files: await reachedFiles(job, scope),
      }
    : undefined
  return counted(scope, {
    ...emptyJob(scope, job),
    name: (scope.namePrefix + (hasExpression(job.name) ? job.key : job.name)).slice(0, maxNameLength),
    needs: needsOf(scope, job),
    hasCondition: condition !== undefined || job.hasCondition,
    rights: rightsOf(scope, job),
    payload: deferredPayload({ ...scope.workflow, on: scope.on }, { ...job, body }, scope.namePrefix, call),
    passedSecrets: scope.passedSecrets,
    isDeferred: true,
  })
}

async function planOne(scope: PlanScope, job: WorkflowJob, combination: Combination): Promise<PlannedJob> {
  const name = await nameOf(scope, job, combination)
  const evaluation = { ...scope, contexts: { ...scope.contexts, matrix: combination } }
  const runsOn = await labelsOf(job, evaluation)
  const concurrency = await plannedConcurrency(concurrencyOf(job.body['concurrency']), evaluation, named(job.key))
  const environment = await plannedEnvironment(job, evaluation)
  const condition = conditionOf(scope, job)
  const body = condition === undefined ? job.body : { ...job.body, if: condition }
  return counted(scope, {
    key: scope.prefix + job.key,
    name,
    needs: needsOf(scope, job),
    runsOn: runsOn.labels,
    hasCondition: condition !== undefined || job.hasCondition,
    rights: rightsOf(scope, job),
    payload: payloadOf({ ...scope.workflow, on: scope.on }, { ...job, body }, combination, name, {
      runsOn: runsOn.runsOn,
      // The runner evaluates an address that depends on the steps, as an output.
      url: environment?.url === '' ? environmentOf(body['environment'])?.url : undefined,
    }),
    passedSecrets: scope.passedSecrets,
    isCall: false,
    concurrency,
    environment,
  })
}
