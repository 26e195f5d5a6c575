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
import { maxCallDepth, named, PlanProblem } from './evaluation.ts'
import { callerName, shortKey } from './job-key.rules.ts'
import type { Combination } from './matrix.rules.ts'
import { isPlainMap, plainText, type Plain } from './plain-yaml.ts'
import {
  bracketed,
  defaultCondition,
  maxPayloadBytes,
  nameOf,
  needsIn,
  rightsOf,
  type Need,
  type PlanScope,
} from './plan-scope.ts'
import { plannedConcurrency, type PlannedJob } from './planned-job.ts'
import { concurrencyOf, type Workflow, type WorkflowJob } from './workflow.parse.ts'

const usesStatusFunction = /\b(?:success|failure|cancelled|always)\s*\(/i

/** A job that calls a workflow, for one combination of its matrix. */
interface Call {
  readonly job: WorkflowJob
  readonly uses: string
  readonly combination: Combination
  /** What tells the keys of its jobs from those of the other combinations. */
  readonly suffix: string
}

/** Returns the scope of the jobs of a called workflow, and the job that represents them all. */
export async function readCall(
  scope: PlanScope,
  { job, uses, combination, suffix }: Call,
): Promise<{ readonly inner: PlanScope; readonly whole: PlannedJob }> {
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
  const { names: needs, inExpression } = needsForCalled(needsIn(scope, job), found.workflow)
  const matrix = replacementsOf(Object.entries(combination).map(([name, value]) => [name, literalOf(value)]))
  const inputs = replacementsOf(
    call.inputs.map(({ name, type, isRequired, fallback }) => {
      const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? fallback
      if (value === undefined || value === null) {
        if (isRequired) fail(`called workflow "${uses}" requires the input "${name}"; pass it in \`with\``)
        return [name, type === 'boolean' ? 'false' : type === 'number' ? '0' : "''"] as const
      }
      return [name, inExpression(replaceIn(expressionOf(value), 'matrix', matrix))] as const
    }),
  )
  const { secrets: passed } = job.body
  const secrets = isPlainMap(passed) ? passed : {}
  const replaced = {
    ...(passed === 'inherit' ? {} : { secrets: secretsOf(secrets, inExpression) }),
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
  const innerCondition = combinedCondition ?? (job.needs.length > 0 ? defaultCondition : undefined)
  // The outputs of the jobs that the call needs are not those that its jobs need.
  const { needs: _outer, ...contexts } = scope.contexts
  const inner: PlanScope = {
    ...scope,
    contexts,
    workflow,
    origin: found.origin,
    prefix: `${key}/`,
    namePrefix: `${name} / `,
    needs,
    condition: innerCondition && inExpression(innerCondition),
    rights: rightsOf(scope, job),
    passedSecrets:
      passed === 'inherit' ? scope.passedSecrets : namesIn(secrets, 'secrets').map((each) => each.toUpperCase()),
    depth: scope.depth + 1,
  }
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
      { ...scope, contexts: { ...scope.contexts, matrix: combination } },
      named(job.key),
    ),
  }
  return { inner, whole }
}

/** Renames jobs that a call needs where the called workflow has a job of the same key. */
function needsForCalled(needs: readonly Need[], { jobs }: Workflow) {
  const renamed = needs.map(({ key, name }) => ({
    key,
    name: name === shortKey(key) && jobs.some((each) => each.key === name) ? callerName(key) : name,
  }))
  const names = new Map(needs.map(({ name }, at) => [name.toLowerCase(), `needs.${renamed[at]?.name ?? name}`]))
  const isSame = needs.every(({ name }, at) => renamed[at]?.name === name)
  return {
    names: renamed,
    inExpression: (expression: string): string =>
      isSame ? expression : replaceIn(expression, 'needs', { names, whole: 'needs' }),
  }
}

/** Combines conditions. A condition without a status function holds only when the needed jobs succeeded. */
const withStatus = (own: string, outer: string | undefined): string => {
  const explicit = usesStatusFunction.test(own) ? own : `success() && ${own}`
  return outer === undefined ? `(${explicit})` : `(${outer} && ${explicit})`
}

/** Returns the secrets that a call passes, by their names in the called workflow. The job's tokens are always passed. */
const secretsOf = (
  secrets: { readonly [name: string]: Plain },
  inExpression: (expression: string) => string,
): Replacements =>
  replacementsOf([
    ...['GITHUB_TOKEN', 'GITEA_TOKEN', 'FORGEJO_TOKEN'].map((name) => [name, `secrets.${name}`] as const),
    ...Object.entries(secrets).map(([name, value]) => [name, inExpression(expressionOf(value))] as const),
  ])
