import { stringify } from 'yaml'
import { environmentOutput } from '../environment.rules.ts'
import type { Combination } from './matrix.rules.ts'
import { isPlainMap, plainText, type Plain } from './plain-yaml.ts'
import type { PlanScope } from './plan-scope.ts'
import type { ReachedFile } from './reached-files.ts'
import { parseWorkflow, type Workflow, type WorkflowJob } from './workflow.parse.ts'

/** The keys of a job that runners get. */
const passedKeys = [
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

/** What the server evaluated for a runner. */
interface Evaluated {
  readonly runsOn: Plain | undefined
  /** The address of the deployment as the file writes it, if the runner has to evaluate it. */
  readonly url: string | undefined
}

/** Returns the YAML of a workflow with only this job, which runners read. */
export function payloadOf(
  workflow: Workflow,
  job: WorkflowJob,
  combination: Combination,
  name: string,
  { runsOn, url }: Evaluated,
): string {
  const { body } = job
  const outputs = isPlainMap(body['outputs']) ? body['outputs'] : {}
  const strategy = isPlainMap(body['strategy']) ? body['strategy'] : undefined
  const timeout = plainText(body['timeout-minutes'])
  const kept = Object.fromEntries(
    passedKeys.flatMap((key) => {
      const value = key === 'runs-on' ? runsOn : body[key]
      return value === undefined ? [] : [[key, value] as const]
    }),
  )
  const own = {
    name,
    ...kept,
    ...(url ? { outputs: { ...outputs, [environmentOutput]: url } } : {}),
    ...(timeout === undefined ? {} : { 'timeout-minutes': timeout }),
    ...(strategy ? { strategy: strategyOf(strategy, combination) } : {}),
  }
  return written(workflow, job.key, own)
}

/** Returns the YAML of a workflow with one job. */
const written = (workflow: Workflow, key: string, job: object): string =>
  stringify(
    {
      ...(workflow.name === '' ? {} : { name: workflow.name }),
      on: workflow.on,
      ...(workflow.env === undefined ? {} : { env: workflow.env }),
      ...(workflow.defaults === undefined ? {} : { defaults: workflow.defaults }),
      jobs: { [key]: job },
    },
    // A simple style, without folded lines and aliases: runners use different YAML parsers.
    { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' },
  )

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

/** What a deferred call knows beyond its workflow: its place in the run, and the files that it can reach. */
export interface DeferredCall {
  readonly scope: Pick<PlanScope, 'prefix' | 'needs' | 'condition' | 'rights' | 'passedSecrets' | 'depth'>
  readonly job: Pick<WorkflowJob, 'needs' | 'rights'>
  readonly files: readonly ReachedFile[]
}

/** What a deferred job stands for. */
export interface Deferred {
  readonly workflow: Workflow
  readonly namePrefix: string
  readonly call: DeferredCall | undefined
}

/** Returns the payload of a deferred job: its workflow as written, and the prefix of the names of its jobs. */
export function deferredPayload(workflow: Workflow, job: WorkflowJob, namePrefix: string, call?: DeferredCall): string {
  const { needs: _needs, ...body } = job.body
  return JSON.stringify({ namePrefix, workflow: written(workflow, job.key, body), call })
}

/** Reads the payload of a deferred job. */
export function readDeferred(payload: string): Deferred {
  const { namePrefix, workflow, call } = JSON.parse(payload) as {
    readonly namePrefix: string
    readonly workflow: string
    readonly call?: DeferredCall
  }
  const parsed = parseWorkflow(workflow)
  if (!parsed.ok) throw new Error(`a deferred job cannot be read: ${parsed.problem}`)
  const jobs = parsed.workflow.jobs.map((job) => ({ ...job, ...call?.job }))
  return { workflow: { ...parsed.workflow, jobs }, namePrefix, call }
}
