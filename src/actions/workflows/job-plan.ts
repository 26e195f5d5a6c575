import {
  expressionOf,
  literalOf,
  maxReplacedLength,
  namesIn,
  replaceIn,
  replacementsOf,
  replaceNames,
  type Replacements,
} from './call.rules.ts'
import {
  evaluated,
  evaluateName,
  filled,
  hasExpression,
  labelsOf,
  named,
  PlanProblem,
  RunProblem,
  type Contexts,
} from './evaluation.ts'
import { maxUrlLength } from '../environment.rules.ts'
import { shortKey } from './job-key.rules.ts'
import { deferredPayload, payloadOf, readDeferred } from './job-payload.ts'
import { combinationText, combinationsOf, type Combination } from './matrix.rules.ts'
import { isPlainMap, plainText, type Plain } from './plain-yaml.ts'
import { soleExpression } from './templates.rules.ts'
import {
  concurrencyOf,
  environmentOf,
  type Concurrency,
  type TokenRights,
  type Workflow,
  type WorkflowJob,
} from './workflow.parse.ts'

/** An evaluated concurrency group. */
export interface PlannedConcurrency {
  readonly group: string
  readonly cancels: boolean
}

/** The evaluated environment of a job. */
interface PlannedEnvironment {
  readonly name: string
  /** Empty for none, and when only the runner can evaluate it. */
  readonly url: string
}

/** A job to run: one for each combination of the matrix. */
export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly runsOn: readonly string[]
  readonly hasCondition: boolean
  readonly rights: TokenRights
  /** The YAML that the runner gets. For a call, the expressions of the outputs as JSON. */
  readonly payload: string
  /** The names of the secrets that it gets; undefined for all. */
  readonly passedSecrets: readonly string[] | undefined
  /** Whether it represents the jobs of a called workflow. Without jobs it is skipped. */
  readonly isCall: boolean
  /** The mistake in the file for which it fails. No runner gets it. */
  readonly problem?: string
  /** Whether it stands for jobs that are planned from its payload when the jobs that it needs have ended. */
  readonly isDeferred?: boolean
  /** For a call, the group of all its jobs. */
  readonly concurrency?: PlannedConcurrency | undefined
  readonly environment?: PlannedEnvironment | undefined
}

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

const maxCombinations = 256
const maxJobsOfRun = 512
/** Largest payload of all jobs of a run together. */
const maxPayloadBytes = 4 * 1024 * 1024
/** Most expressions in the matrices of a run. */
const maxMatrixExpressions = 2000

/** Longest name of a job, in characters. */
const maxNameLength = 255

/** What the jobs of a run use together. */
interface Usage {
  jobs: number
  bytes: number
  expressions: number
}

/** The names of the `github` context. */
const githubNames: ReadonlySet<string> = new Set(['github', 'gitea', 'forgejo'])

/** The commit that contains a file. Workflows that the file calls by path are in the same commit. */
export type Origin = object

/** A workflow that another one calls. */
export type Called =
  | { readonly ok: true; readonly workflow: Workflow; readonly origin: Origin }
  | { readonly ok: false; readonly problem: string }

/** Finds the workflow that `uses` of a job names. `from` is the origin of the job's file. */
export type FindCalled = (uses: string, from: Origin | undefined) => Promise<Called>

/** Deepest nesting of called workflows. */
const maxCallDepth = 4

/** The workflow file whose jobs are planned, and what it inherits from its callers. */
interface PlanScope {
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
  readonly needs: readonly string[]
  /** The condition of the call, which applies to jobs without `needs`. */
  readonly condition: string | undefined
  readonly rights: TokenRights | undefined
  readonly passedSecrets: readonly string[] | undefined
  readonly depth: number
  readonly usage: Usage
}

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
  try {
    const jobs = await planAll(outermost(workflow, contexts, find))
    const problem = jobs.find((job) => job.problem !== undefined)?.problem
    // No job is left that a runner could get.
    if (problem !== undefined && jobs.every((job) => job.isCall || job.problem !== undefined)) {
      return { ok: false, problem }
    }
    return {
      ok: true,
      title: (await evaluateName(workflow.runName, contexts))?.trim() ?? '',
      jobs,
      problem: problem ?? '',
      concurrency: await plannedConcurrency(workflow.concurrency, contexts, '`concurrency`'),
    }
  } catch (error) {
    if (error instanceof PlanProblem || error instanceof RunProblem) return { ok: false, problem: error.message }
    throw error
  }
}

/** Longest name of a concurrency group and of an environment, in characters. */
const maxGroupLength = 400
const maxEnvironmentLength = 255

async function plannedConcurrency(
  concurrency: Concurrency | undefined,
  contexts: Contexts,
  subject: string,
): Promise<PlannedConcurrency | undefined> {
  if (!concurrency) return undefined
  const group = (await filled(concurrency.group, contexts, subject)).trim()
  const cancels = await filled(concurrency.cancels, contexts, subject)
  if (group === '') return undefined
  return { group: group.slice(0, maxGroupLength), cancels: cancels === 'true' }
}

/** Returns the environment of a job. Its name must be known; its address may depend on the steps. */
async function plannedEnvironment(
  { body, key }: WorkflowJob,
  contexts: Contexts,
): Promise<PlannedEnvironment | undefined> {
  const environment = environmentOf(body['environment'])
  if (!environment) return undefined
  const name = (await filled(environment.name, contexts, named(key))).trim()
  if (name === '') return undefined
  const url = (await evaluateName(environment.url, contexts)) ?? ''
  return { name: name.slice(0, maxEnvironmentLength), url: url.trim().slice(0, maxUrlLength) }
}

/**
 * Plans the jobs of a deferred job. Their keys, needs, rights and secrets are those of the deferred job.
 * @param contexts also contain `needs`
 */
export async function planDeferred(
  payload: string,
  contexts: Contexts,
): Promise<{ readonly jobs: readonly PlannedJob[]; readonly problem: string }> {
  const { workflow, namePrefix } = readDeferred(payload)
  try {
    const jobs = await planAll({ ...outermost(workflow, contexts), namePrefix })
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
  usage: { jobs: 0, bytes: 0, expressions: 0 },
})

async function planAll(scope: PlanScope): Promise<PlannedJob[]> {
  const jobs: PlannedJob[] = []
  for (const job of scope.workflow.jobs) {
    if (isNever(job)) jobs.push(counted(scope, skippedJob(scope, job)))
    else jobs.push(...(await planOrFail(scope, job)))
  }
  return jobs
}

/** Counts a job in the usage of its run. */
function counted({ usage }: PlanScope, job: PlannedJob): PlannedJob {
  usage.bytes += job.payload.length
  if (++usage.jobs > maxJobsOfRun) throw new RunProblem(`the run has more than ${maxJobsOfRun} jobs`)
  if (usage.bytes > maxPayloadBytes) {
    throw new RunProblem(`the definitions of the jobs have more than ${maxPayloadBytes} bytes`)
  }
  return job
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

/** Returns the contexts of a job: `github` has its key. */
const contextsOf = (contexts: Contexts, key: string): Contexts =>
  Object.fromEntries(
    Object.entries(contexts).map(([name, value]) => [
      name,
      githubNames.has(name) && isPlainMap(value) ? { ...value, job: key } : value,
    ]),
  )

async function planJob(outer: PlanScope, job: WorkflowJob): Promise<readonly PlannedJob[]> {
  const contexts = contextsOf(outer.contexts, job.key)
  const scope = { ...outer, contexts }
  if (waitsForOutputs(scope, job)) return [deferredJob(scope, job)]
  const matrix = job.matrix === undefined ? undefined : await evaluatedMatrix(scope, job, job.matrix)
  const combined = matrix === undefined ? undefined : combinationsOf(matrix, maxCombinations)
  if (combined && !combined.ok) throw new PlanProblem(`${named(job.key)}: ${combined.problem}`)
  const combinations: readonly Combination[] =
    combined && combined.combinations.length > 0 ? combined.combinations : [{}]
  const uses = plainText(job.body['uses'])
  if (uses !== undefined && job.body['steps'] === undefined) {
    const called: PlannedJob[] = []
    for (const [index, combination] of combinations.entries()) {
      called.push(...(await planCall(scope, job, uses, combination, combinations.length > 1 ? `#${index}` : '')))
    }
    return called
  }
  const sorted = combinations.toSorted((one, other) => (combinationText(one) < combinationText(other) ? -1 : 1))
  return Promise.all(
    sorted.map((combination, index) => planOne(withStrategy(scope, job, index, sorted.length), job, combination)),
  )
}

/** Adds the context `strategy` of one of the jobs of a matrix. */
function withStrategy(scope: PlanScope, { body }: WorkflowJob, index: number, total: number): PlanScope {
  const given = isPlainMap(body['strategy']) ? body['strategy'] : {}
  const strategy = {
    'fail-fast': given['fail-fast'] ?? true,
    'max-parallel': given['max-parallel'] ?? total,
    'job-index': index,
    'job-total': total,
  }
  return { ...scope, contexts: { ...scope.contexts, strategy } }
}

/** An expression that names the context `needs`. */
const readsNeeds = /\$\{\{(?:(?!\}\}).)*\bneeds\b/s

/** Whether the matrix, the labels, the group or the environment of a job depend on jobs that it needs. */
const waitsForOutputs = (scope: PlanScope, { needs, matrix, runsOn, body }: WorkflowJob): boolean =>
  needs.length + scope.needs.length > 0 &&
  scope.contexts['needs'] === undefined &&
  readsNeeds.test(JSON.stringify([matrix, runsOn, body['concurrency'], environmentOf(body['environment'])?.name]))

/** Returns a job that stands for those that are planned when the jobs that it needs have ended. */
function deferredJob(scope: PlanScope, job: WorkflowJob): PlannedJob {
  if (plainText(job.body['uses']) !== undefined && job.body['steps'] === undefined) {
    throw new PlanProblem(
      `${named(job.key)}: the matrix and the concurrency of a called workflow cannot depend on \`needs\``,
    )
  }
  const condition = conditionOf(scope, job)
  const body = condition === undefined ? job.body : { ...job.body, if: condition }
  return counted(scope, {
    ...emptyJob(scope, job),
    name: (scope.namePrefix + (hasExpression(job.name) ? job.key : job.name)).slice(0, maxNameLength),
    needs: needsOf(scope, job),
    hasCondition: condition !== undefined || job.hasCondition,
    rights: rightsOf(scope, job),
    payload: deferredPayload({ ...scope.workflow, on: scope.on }, { ...job, body }, scope.namePrefix),
    passedSecrets: scope.passedSecrets,
    isDeferred: true,
  })
}

/** Returns a matrix, or a part of one, with its expressions evaluated. */
async function evaluatedMatrix(scope: PlanScope, job: WorkflowJob, value: Plain): Promise<Plain> {
  if (typeof value === 'string') {
    if (hasExpression(value) && ++scope.usage.expressions > maxMatrixExpressions) {
      throw new RunProblem(`the matrices of the run have more than ${maxMatrixExpressions} expressions`)
    }
    return evaluated(value, scope.contexts, named(job.key))
  }
  if (Array.isArray(value)) {
    const items: Plain[] = []
    for (const each of value as readonly Plain[]) items.push(await evaluatedMatrix(scope, job, each))
    return items
  }
  if (!isPlainMap(value)) return value
  const entries: [string, Plain][] = []
  for (const [key, each] of Object.entries(value)) entries.push([key, await evaluatedMatrix(scope, job, each)])
  return Object.fromEntries(entries)
}

/**
 * Returns the name of a job: its evaluated template, or its name with the values of the combination. A template that needs
 * contexts of the runner (`needs`, `secrets`) counts as a plain name.
 */
async function nameOf(scope: PlanScope, job: WorkflowJob, combination: Combination): Promise<string> {
  const text = hasExpression(job.name)
    ? await evaluateName(job.name, { ...scope.contexts, matrix: combination })
    : undefined
  const name = text === undefined ? job.name + combinationText(combination) : text.trim() || job.key
  return (scope.namePrefix + name).slice(0, maxNameLength)
}

async function planOne(scope: PlanScope, job: WorkflowJob, combination: Combination): Promise<PlannedJob> {
  const name = await nameOf(scope, job, combination)
  const contexts = { ...scope.contexts, matrix: combination }
  const runsOn = await labelsOf(job, contexts)
  const concurrency = await plannedConcurrency(concurrencyOf(job.body['concurrency']), contexts, named(job.key))
  const environment = await plannedEnvironment(job, contexts)
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

/** The condition of a job without `if`. */
const defaultCondition = 'success()'

/** Returns the keys of the jobs that a job needs: in its own file, and those that the call of the file needs. */
function needsOf(scope: PlanScope, job: WorkflowJob): readonly string[] {
  const own = job.needs.map((need) => scope.prefix + need)
  const clash = job.needs.find((need) => scope.needs.some((other) => shortKey(other) === need))
  if (clash !== undefined) {
    throw new PlanProblem(`${named(clash)} exists in the called workflow and in the calling one; rename one of them`)
  }
  return [...own, ...scope.needs]
}

/** Returns the condition of a job without `needs`, combined with that of the call. */
function conditionOf(scope: PlanScope, job: WorkflowJob): string | undefined {
  if (scope.condition === undefined || job.needs.length > 0) return undefined
  const own = plainText(job.body['if'])
  if (own !== undefined) return `${scope.condition} && ${bracketed(own)}`
  return scope.condition === defaultCondition ? undefined : scope.condition
}

/** Returns a condition as an expression in brackets. */
const bracketed = (condition: string): string => {
  const whole = expressionOf(condition.includes('${{') ? condition : `\${{ ${condition} }}`)
  return whole.startsWith('(') ? whole : `(${whole})`
}

const usesStatusFunction = /\b(?:success|failure|cancelled|always)\s*\(/i

/** A called workflow has at most the rights of the job that calls it. */
function rightsOf({ rights }: PlanScope, job: WorkflowJob): TokenRights {
  if (!rights) return job.rights
  return {
    isReadOnly: rights.isReadOnly || job.rights.isReadOnly,
    mayIdentify: rights.mayIdentify && (job.rights.mayIdentify || !job.rights.isExplicit),
    isExplicit: true,
  }
}

/** Returns the jobs of a called workflow, and one job that represents them all. */
async function planCall(
  scope: PlanScope,
  job: WorkflowJob,
  uses: string,
  combination: Combination,
  suffix: string,
): Promise<readonly PlannedJob[]> {
  const fail = (problem: string): never => {
    throw new PlanProblem(`${named(job.key)}: ${problem}`)
  }
  if (scope.depth >= maxCallDepth) fail(`called workflows are nested more than ${maxCallDepth} levels deep`)
  const found = await scope.find(uses, scope.origin)
  if (!found.ok) return fail(found.problem)
  const { call } = found.workflow
  if (!call) return fail(`called workflow "${uses}" has no \`on: workflow_call\``)
  const given = isPlainMap(job.body['with']) ? job.body['with'] : {}
  const unknown = Object.keys(given).find((name) => !call.inputs.some((input) => input.name === name))
  if (unknown !== undefined) fail(`called workflow "${uses}" has no input "${unknown}"`)
  const matrix = replacementsOf(Object.entries(combination).map(([name, value]) => [name, literalOf(value)]))
  const inputs = replacementsOf(
    call.inputs.map(({ name, type, isRequired, fallback }) => {
      const value = given[name] ?? fallback
      if (value === undefined || value === null) {
        if (isRequired) fail(`called workflow "${uses}" requires the input "${name}"; pass it in \`with\``)
        return [name, type === 'boolean' ? 'false' : type === 'number' ? '0' : "''"] as const
      }
      return [name, replaceIn(expressionOf(value), 'matrix', matrix)] as const
    }),
  )
  const { secrets: passed } = job.body
  const secrets = isPlainMap(passed) ? passed : {}
  const replaced = {
    ...(passed === 'inherit' ? {} : { secrets: secretsOf(secrets) }),
    inputs,
  }
  const file = { env: found.workflow.env ?? null, jobs: found.workflow.jobs.map(({ body }) => body) }
  if (maxReplacedLength(file, replaced) > maxPayloadBytes) {
    fail(`the inputs and secrets make called workflow "${uses}" larger than ${maxPayloadBytes} bytes`)
  }
  const workflow: Workflow = {
    ...found.workflow,
    env: found.workflow.env === undefined ? undefined : replaceNames(found.workflow.env, replaced),
    defaults: found.workflow.defaults === undefined ? undefined : replaceNames(found.workflow.defaults, replaced),
    jobs: found.workflow.jobs.map((each) => {
      const body = replaceNames(each.body, replaced) as WorkflowJob['body']
      const strategy = body['strategy']
      return {
        ...each,
        body,
        name: plainText(body['name']) || each.key,
        runsOn: body['runs-on'],
        matrix: isPlainMap(strategy) ? (strategy['matrix'] ?? undefined) : undefined,
      }
    }),
  }
  const name = await nameOf(scope, job, combination)
  const key = scope.prefix + job.key + suffix
  const condition = plainText(job.body['if'])
  const combinedCondition =
    condition === undefined ? scope.condition : withStatus(bracketed(condition), scope.condition)
  const inner = await planAll({
    ...scope,
    workflow,
    origin: found.origin,
    prefix: `${key}/`,
    namePrefix: `${name} / `,
    needs: needsOf(scope, job),
    condition: combinedCondition ?? (job.needs.length > 0 ? defaultCondition : undefined),
    rights: rightsOf(scope, job),
    passedSecrets:
      passed === 'inherit' ? scope.passedSecrets : namesIn(secrets, 'secrets').map((each) => each.toUpperCase()),
    depth: scope.depth + 1,
  })
  const outputs = replaceNames(call.outputs, { inputs })
  const whole: PlannedJob = {
    key: scope.prefix + job.key,
    name,
    needs: workflow.jobs.map((each) => `${key}/${each.key}`),
    runsOn: [],
    hasCondition: false,
    rights: { isReadOnly: true, mayIdentify: false, isExplicit: true },
    payload: JSON.stringify(outputs),
    passedSecrets: [],
    isCall: true,
    concurrency: await plannedConcurrency(
      concurrencyOf(job.body['concurrency']),
      { ...scope.contexts, matrix: combination },
      named(job.key),
    ),
  }
  return [...inner, counted(scope, whole)]
}

/** Combines conditions. A condition without a status function holds only when the needed jobs succeeded. */
const withStatus = (own: string, outer: string | undefined): string => {
  const explicit = usesStatusFunction.test(own) ? own : `success() && ${own}`
  return outer === undefined ? `(${explicit})` : `(${outer} && ${explicit})`
}

/** Returns the secrets that a call passes, by their names in the called workflow. The job's tokens are always passed. */
const secretsOf = (secrets: { readonly [name: string]: Plain }): Replacements =>
  replacementsOf([
    ...['GITHUB_TOKEN', 'GITEA_TOKEN', 'FORGEJO_TOKEN'].map((name) => [name, `secrets.${name}`] as const),
    ...Object.entries(secrets).map(([name, value]) => [name, expressionOf(value)] as const),
  ])
