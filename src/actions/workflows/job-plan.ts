import { stringify } from 'yaml'
import { combinationText, combinationsOf, type Combination } from './matrix.rules.ts'
import { isPlainMap, plainText, plainTexts, type Plain } from './plain-yaml.ts'
import type { Workflow, WorkflowJob } from './workflow.parse.ts'

/** A job as it is to be run: one of each combination of its matrix. */
export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly runsOn: readonly string[]
  readonly hasCondition: boolean
  /** What its runner gets: YAML. */
  readonly payload: string
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

/**
 * Plans the jobs of a workflow: matrices are multiplied out, names and labels filled in. What the file gets wrong there is a problem.
 * @param contexts what expressions may ask for: `vars`, `github`, `inputs`
 */
export async function planJobs(workflow: Workflow, contexts: Readonly<Record<string, Plain>>): Promise<JobPlan> {
  try {
    const jobs: PlannedJob[] = []
    let bytes = 0
    for (const job of workflow.jobs) {
      for (const planned of await planJob(workflow, job, contexts)) {
        bytes += planned.payload.length
        if (jobs.push(planned) > maxJobsOfRun) return { ok: false, problem: `a run has at most ${maxJobsOfRun} jobs` }
        if (bytes > maxPayloadBytes) throw new Unplannable(`the jobs come to more than ${maxPayloadBytes} bytes`)
      }
    }
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

async function planJob(
  workflow: Workflow,
  job: WorkflowJob,
  contexts: Readonly<Record<string, Plain>>,
): Promise<readonly PlannedJob[]> {
  const matrix = typeof job.matrix === 'string' ? await evaluated(job.matrix, contexts, job.key) : job.matrix
  const combined = matrix === undefined ? undefined : combinationsOf(matrix, maxCombinations)
  if (combined && !combined.ok) throw new Unplannable(`job ${job.key}: ${combined.problem}`)
  const combinations: readonly Combination[] =
    combined && combined.combinations.length > 0 ? combined.combinations : [{}]
  const planned = await Promise.all(
    combinations.map(async (combination): Promise<PlannedJob> => {
      const name = (job.name + combinationText(combination)).slice(0, maxNameLength)
      const runsOn = await labelsOf(job, { ...contexts, matrix: combination })
      const payload = payloadOf(workflow, job, combination, name, runsOn)
      return { key: job.key, name, needs: job.needs, runsOn: runsOn.labels, hasCondition: job.hasCondition, payload }
    }),
  )
  return planned.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

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
    const reason = error instanceof Error ? error.message : String(error)
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
