import { stringify } from 'yaml'
import {
  expressionOf,
  literalOf,
  namesIn,
  replaceIn,
  replacementsOf,
  replaceNames,
  worstLength,
  type Replacements,
} from './call.rules.ts'
import { shortKey } from './job-key.rules.ts'
import { combinationText, combinationsOf, type Combination } from './matrix.rules.ts'
import { isPlainMap, plainText, plainTexts, type Plain } from './plain-yaml.ts'
import type { TokenRights, Workflow, WorkflowJob } from './workflow.parse.ts'

/** A job as it is to be run: one of each combination of its matrix. */
export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly runsOn: readonly string[]
  readonly hasCondition: boolean
  readonly rights: TokenRights
  /** What its runner gets: YAML. Of a call what it gives, by expressions: JSON. */
  readonly payload: string
  /** Names of the secrets that it gets; undefined is all. */
  readonly passedSecrets: readonly string[] | undefined
  /** It stands for the jobs of a workflow that is called. */
  readonly isCall: boolean
}

export type JobPlan =
  | {
      readonly ok: true
      readonly jobs: readonly PlannedJob[]
      readonly concurrency: { readonly group: string; readonly cancels: boolean } | undefined
    }
  | { readonly ok: false; readonly problem: string }

/** Most combinations of a matrix, most jobs of a run, and largest payloads of all its jobs together, in bytes. */
const maxCombinations = 256
const maxJobsOfRun = 512
const maxPayloadBytes = 4 * 1024 * 1024

/** Most labels that a runner must have, and longest name of a job, in characters. */
const maxLabels = 32
const maxNameLength = 255

/** What runners know of a job; the rest is left out. */
const passedOn = [
  'runs-on',
  'env',
  'if',
  'steps',
  'services',
  'container',
  'defaults',
  'outputs',
  'uses',
  'with',
  'secrets',
  'continue-on-error',
]

class Unplannable extends Error {}

type Contexts = Readonly<Record<string, Plain>>

/** Where a file lies, which is where those lie that it names by a path. */
export type Origin = object

/** A workflow that another calls. */
export type Called =
  | { readonly ok: true; readonly workflow: Workflow; readonly origin: Origin }
  | { readonly ok: false; readonly problem: string }

/** Finds the workflow that a job names, from where the job's own file lies. */
export type FindCalled = (uses: string, from: Origin | undefined) => Promise<Called>

/** How deep workflows may call each other. */
const maxCalls = 4

/** What the jobs of a file are planned in. */
interface Place {
  readonly workflow: Workflow
  /** `on` of the file that runs, which runners get of the called ones as well. */
  readonly on: Plain
  readonly contexts: Contexts
  readonly find: FindCalled
  readonly origin: Origin | undefined
  /** Before the keys and the names of jobs. */
  readonly prefix: string
  readonly namePrefix: string
  /** What the jobs wait for that wait for none of their file, and their condition. */
  readonly needs: readonly string[]
  readonly condition: string | undefined
  readonly rights: TokenRights | undefined
  readonly passedSecrets: readonly string[] | undefined
  readonly depth: number
}

const nothingToCall: FindCalled = async (uses) => ({ ok: false, problem: `${uses} is not there` })

/**
 * Plans the jobs of a workflow: matrices are multiplied out, names and labels filled in, workflows that are called put in
 * the place of the jobs that call them. What the file gets wrong there is a problem.
 * @param contexts what expressions may ask for: `vars`, `github`, `inputs`
 */
export async function planJobs(
  workflow: Workflow,
  contexts: Contexts,
  find: FindCalled = nothingToCall,
): Promise<JobPlan> {
  try {
    const jobs = await planAll({
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
    })
    const { concurrency } = workflow
    const group = concurrency && (await filled(concurrency.group, contexts, 'concurrency'))
    return {
      ok: true,
      jobs,
      concurrency: concurrency && group ? { ...concurrency, group: group.slice(0, 400) } : undefined,
    }
  } catch (error) {
    if (error instanceof Unplannable) return { ok: false, problem: error.message }
    throw error
  }
}

async function planAll(place: Place): Promise<PlannedJob[]> {
  const jobs: PlannedJob[] = []
  let bytes = 0
  for (const job of place.workflow.jobs) {
    for (const planned of await planJob(place, job)) {
      bytes += planned.payload.length
      if (jobs.push(planned) > maxJobsOfRun) throw new Unplannable(`a run has at most ${maxJobsOfRun} jobs`)
      if (bytes > maxPayloadBytes) throw new Unplannable(`the jobs come to more than ${maxPayloadBytes} bytes`)
    }
  }
  return jobs
}

async function planJob(place: Place, job: WorkflowJob): Promise<readonly PlannedJob[]> {
  const { contexts } = place
  const matrix = typeof job.matrix === 'string' ? await evaluated(job.matrix, contexts, job.key) : job.matrix
  const combined = matrix === undefined ? undefined : combinationsOf(matrix, maxCombinations)
  if (combined && !combined.ok) throw new Unplannable(`job ${job.key}: ${combined.problem}`)
  const combinations: readonly Combination[] =
    combined && combined.combinations.length > 0 ? combined.combinations : [{}]
  const uses = plainText(job.body['uses'])
  if (uses !== undefined && job.body['steps'] === undefined) {
    const called: PlannedJob[] = []
    for (const [index, combination] of combinations.entries()) {
      called.push(...(await planCall(place, job, uses, combination, combinations.length > 1 ? `#${index}` : '')))
    }
    return called
  }
  const sorted = combinations.toSorted((one, other) => (combinationText(one) < combinationText(other) ? -1 : 1))
  return Promise.all(sorted.map((combination) => planOne(place, job, combination)))
}

/**
 * The name of a job: its template filled in, or its name with the values of its combination. A template that asks for what
 * only the runner knows (`needs`, `secrets`) counts as a name.
 */
async function nameOf(place: Place, job: WorkflowJob, combination: Combination): Promise<string> {
  const text = hasExpression(job.name)
    ? await nameFrom(job.name, { ...place.contexts, matrix: combination })
    : undefined
  const name = text === undefined ? job.name + combinationText(combination) : text.trim() || job.key
  return (place.namePrefix + name).slice(0, maxNameLength)
}

async function nameFrom(template: string, contexts: Contexts): Promise<string | undefined> {
  const { fillIn } = await import('./expressions.ts')
  try {
    return fillIn(template, contexts)
  } catch {
    // A name is for people: one that cannot be filled in keeps no job from running.
    return undefined
  }
}

async function planOne(place: Place, job: WorkflowJob, combination: Combination): Promise<PlannedJob> {
  const name = await nameOf(place, job, combination)
  const runsOn = await labelsOf(job, { ...place.contexts, matrix: combination })
  const condition = conditionOf(place, job)
  const body = condition === undefined ? job.body : { ...job.body, if: condition }
  return {
    key: place.prefix + job.key,
    name,
    needs: needsOf(place, job),
    runsOn: runsOn.labels,
    hasCondition: condition !== undefined || job.hasCondition,
    rights: rightsOf(place, job),
    payload: payloadOf({ ...place.workflow, on: place.on }, { ...job, body }, combination, name, runsOn),
    passedSecrets: place.passedSecrets,
    isCall: false,
  }
}

/** What holds of a job that says nothing. */
const usualCondition = 'success()'

/** What a job waits for: the jobs of its file, and all that the job waits for in whose place the file stands. */
function needsOf(place: Place, job: WorkflowJob): readonly string[] {
  const own = job.needs.map((need) => place.prefix + need)
  const clash = job.needs.find((need) => place.needs.some((other) => shortKey(other) === need))
  if (clash !== undefined) {
    throw new Unplannable(`${clash} is a job of the file that is called and of the one that calls`)
  }
  return [...own, ...place.needs]
}

/** The condition of a job, with that of the call when nothing of its file comes before it. */
function conditionOf(place: Place, job: WorkflowJob): string | undefined {
  if (place.condition === undefined || job.needs.length > 0) return undefined
  const own = plainText(job.body['if'])
  if (own !== undefined) return `${place.condition} && ${bare(own)}`
  return place.condition === usualCondition ? undefined : place.condition
}

/** A condition as an expression in brackets. */
const bare = (condition: string): string => {
  const whole = expressionOf(condition.includes('${{') ? condition : `\${{ ${condition} }}`)
  return whole.startsWith('(') ? whole : `(${whole})`
}

const asksForStatus = /\b(?:success|failure|cancelled|always)\s*\(/i

/** What is called may do no more than the job that calls it. */
function rightsOf({ rights }: Place, job: WorkflowJob): TokenRights {
  if (!rights) return job.rights
  return {
    isReadOnly: rights.isReadOnly || job.rights.isReadOnly,
    mayIdentify: rights.mayIdentify && (job.rights.mayIdentify || !job.rights.isSaid),
    isSaid: true,
  }
}

/** The jobs of a workflow that a job calls, and one that stands for them all. */
async function planCall(
  place: Place,
  job: WorkflowJob,
  uses: string,
  combination: Combination,
  suffix: string,
): Promise<readonly PlannedJob[]> {
  const fail = (problem: string): never => {
    throw new Unplannable(`job ${job.key}: ${problem}`)
  }
  if (place.depth >= maxCalls) fail(`workflows call each other more than ${maxCalls} deep`)
  const found = await place.find(uses, place.origin)
  if (!found.ok) return fail(found.problem)
  const { call } = found.workflow
  if (!call) return fail(`${uses} does not say that it may be called (\`on: workflow_call\`)`)
  const given = isPlainMap(job.body['with']) ? job.body['with'] : {}
  const unknown = Object.keys(given).find((name) => !call.inputs.some((input) => input.name === name))
  if (unknown !== undefined) fail(`${uses} has no input ${unknown}`)
  const matrix = replacementsOf(Object.entries(combination).map(([name, value]) => [name, literalOf(value)]))
  const inputs = replacementsOf(
    call.inputs.map(({ name, type, isRequired, fallback }) => {
      const value = given[name] ?? fallback
      if (value === undefined || value === null) {
        if (isRequired) fail(`${uses} needs the input ${name}`)
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
  if (worstLength(file, replaced) > maxPayloadBytes) fail(`what ${uses} is given makes it too long`)
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
  const name = await nameOf(place, job, combination)
  const key = place.prefix + job.key + suffix
  const condition = plainText(job.body['if'])
  const asked = condition === undefined ? place.condition : withStatus(bare(condition), place.condition)
  const inner = await planAll({
    ...place,
    workflow,
    origin: found.origin,
    prefix: `${key}/`,
    namePrefix: `${name} / `,
    needs: needsOf(place, job),
    condition: asked ?? (job.needs.length > 0 ? usualCondition : undefined),
    rights: rightsOf(place, job),
    passedSecrets:
      passed === 'inherit' ? place.passedSecrets : namesIn(secrets, 'secrets').map((each) => each.toUpperCase()),
    depth: place.depth + 1,
  })
  const outputs = replaceNames(call.outputs, { inputs })
  const whole: PlannedJob = {
    key: place.prefix + job.key,
    name,
    needs: workflow.jobs.map((each) => `${key}/${each.key}`),
    runsOn: [],
    hasCondition: false,
    rights: { isReadOnly: true, mayIdentify: false, isSaid: true },
    payload: JSON.stringify(outputs),
    passedSecrets: [],
    isCall: true,
  }
  return [...inner, whole]
}

/** A condition that says nothing of those before holds when they succeeded. */
const withStatus = (own: string, outer: string | undefined): string => {
  const said = asksForStatus.test(own) ? own : `success() && ${own}`
  return outer === undefined ? `(${said})` : `(${outer} && ${said})`
}

/** Secrets that a call passes on by their names there; the tokens of the job are always there. */
const secretsOf = (secrets: { readonly [name: string]: Plain }): Replacements =>
  replacementsOf([
    ...['GITHUB_TOKEN', 'GITEA_TOKEN', 'FORGEJO_TOKEN'].map((name) => [name, `secrets.${name}`] as const),
    ...Object.entries(secrets).map(([name, value]) => [name, expressionOf(value)] as const),
  ])

interface Labels {
  readonly labels: readonly string[]
  /** As the runner gets them: in the form they were written in. */
  readonly shown: Plain | undefined
}

/** The labels that a runner must have: a text, a list, or a group with labels, with expressions filled in. */
async function labelsOf(job: WorkflowJob, contexts: Readonly<Record<string, Plain>>): Promise<Labels> {
  const { key, runsOn } = job
  if (runsOn === undefined || runsOn === null) return { labels: [], shown: undefined }
  const value = typeof runsOn === 'string' ? await evaluated(runsOn, contexts, key) : runsOn
  const listed = plainTexts(value)
  if (listed) {
    const labels = await fillAll(listed, contexts, key)
    return { labels, shown: plainText(value) === undefined ? labels : labels[0] }
  }
  if (!isPlainMap(value)) throw new Unplannable(`job ${key}: \`runs-on\` is a text, a list of texts, or a map`)
  const own = plainTexts(value['labels'] ?? []) ?? []
  const group = plainText(value['group'])
  const labels = await fillAll(group === undefined ? own : [...own, group], contexts, key)
  return { labels, shown: labels }
}

async function fillAll(
  texts: readonly string[],
  contexts: Readonly<Record<string, Plain>>,
  key: string,
): Promise<readonly string[]> {
  if (texts.length > maxLabels) throw new Unplannable(`job ${key}: a runner is asked for at most ${maxLabels} labels`)
  return Promise.all(texts.map((text) => filled(text, contexts, key)))
}

const hasExpression = (text: string): boolean => text.includes('${{')

/** Loaded when the first file has an expression: most have none that is looked at here. */
async function filled(text: string, contexts: Readonly<Record<string, Plain>>, key: string): Promise<string> {
  if (!hasExpression(text)) return text
  const { fillIn } = await import('./expressions.ts')
  return explained(key, text, () => fillIn(text, contexts))
}

async function evaluated(text: string, contexts: Readonly<Record<string, Plain>>, key: string): Promise<Plain> {
  if (!hasExpression(text)) return text
  const { valueOf } = await import('./expressions.ts')
  return explained(key, text, () => valueOf(text, contexts))
}

/** What goes wrong in an expression is the file's mistake. */
function explained<Value>(key: string, text: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    const reason = Error.isError(error) ? error.message : String(error)
    throw new Unplannable(`job ${key}: ${text.slice(0, 100)}: ${reason.slice(0, 300)}`)
  }
}

/** A workflow of this one job, as runners read it. */
function payloadOf(
  workflow: Workflow,
  job: WorkflowJob,
  combination: Combination,
  name: string,
  runsOn: Labels,
): string {
  const { body } = job
  const strategy = isPlainMap(body['strategy']) ? body['strategy'] : undefined
  const timeout = plainText(body['timeout-minutes'])
  const kept = Object.fromEntries(
    passedOn.flatMap((key) => {
      const value = key === 'runs-on' ? runsOn.shown : body[key]
      return value === undefined ? [] : [[key, value] as const]
    }),
  )
  const own = {
    name,
    ...kept,
    ...(timeout === undefined ? {} : { 'timeout-minutes': timeout }),
    ...(strategy ? { strategy: strategyOf(strategy, combination) } : {}),
  }
  return stringify(
    {
      ...(workflow.name === '' ? {} : { name: workflow.name }),
      on: workflow.on,
      ...(workflow.env === undefined ? {} : { env: workflow.env }),
      ...(workflow.defaults === undefined ? {} : { defaults: workflow.defaults }),
      jobs: { [job.key]: own },
    },
    // Plain lines: the readers of runners are of many makes.
    { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' },
  )
}

function strategyOf(strategy: { readonly [key: string]: Plain }, combination: Combination): object {
  const values = Object.entries(combination)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => [key, [value]] as const)
  const texts = ['fail-fast', 'max-parallel'].flatMap((key) => {
    const text = plainText(strategy[key])
    return text === undefined ? [] : [[key, text] as const]
  })
  return { ...Object.fromEntries(texts), ...(values.length === 0 ? {} : { matrix: Object.fromEntries(values) }) }
}
