import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualWorkLimits, WorkBudget } from '../../lib/work-budget.ts'
import { planJobs } from './job-plan.ts'
import type { FindCalled } from './plan-scope.ts'
import type { PlannedJob } from './planned-job.ts'
import type { Plain } from './plain-yaml.ts'
import { matchingEvents, type TriggerSubject } from './trigger.rules.ts'
import { parseWorkflow } from './workflow.parse.ts'

/** A workflow in the shape of a public project's, an event, and what starts. */
export interface Shape {
  readonly shape: string
  readonly file: string
  readonly on: TriggerSubject
  readonly paths?: readonly string[]
  readonly inputs?: Readonly<Record<string, Plain>>
  readonly github?: Readonly<Record<string, Plain>>
  readonly vars?: Readonly<Record<string, Plain>>
  /** Undefined: nothing starts. */
  readonly starts: readonly string[] | undefined
  readonly group?: string
}

export const push: TriggerSubject = { events: ['push'], branch: 'main' }
export const pull: TriggerSubject = { events: ['pull_request'], types: ['opened'], branch: 'main' }
export const steps = 'steps: [{ uses: actions/checkout@v4 }, { run: make }]'

/** Returns a job as `name [labels] < needs`, with what is special about it. */
export const describeJob = ({ name, runsOn, needs, isCall, isDeferred, problem }: PlannedJob): string =>
  `${name} [${runsOn.join()}]${needs.length > 0 ? ` < ${needs.join()}` : ''}` +
  `${isCall ? ' call' : ''}${isDeferred ? ' deferred' : ''}${problem === undefined ? '' : ' problem'}`

/** Returns a job as `describeJob`, with its condition, rights, environment and group. */
export function describeWhole(job: PlannedJob): string {
  const { hasCondition, environment, concurrency, rights, passedSecrets } = job
  return [
    describeJob(job),
    hasCondition ? 'if' : '',
    rights.isReadOnly || job.isCall ? '' : 'writes',
    rights.mayIdentify ? 'identifies' : '',
    environment ? `to ${environment.name}${environment.url === '' ? '' : ` at ${environment.url}`}` : '',
    concurrency ? `in ${concurrency.group}${concurrency.cancels ? '!' : ''}` : '',
    !passedSecrets?.length ? '' : `secrets ${passedSecrets.join()}`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const reusable = `on: { workflow_call: { inputs: { os: { type: string, required: true } } } }
jobs: { compile: { runs-on: "\${{ inputs.os }}", ${steps} } }`

const find: FindCalled = async (uses) => {
  const parsed = parseWorkflow(reusable)
  if (!uses.endsWith('/reusable.yml') || !parsed.ok) return { ok: false, problem: `"${uses}" does not exist` }
  return { ok: true, workflow: parsed.workflow, origin: {} }
}

/** Declares a test for each shape. */
export function testShapes(shapes: readonly Shape[], describe: (job: PlannedJob) => string): void {
  for (const { shape, file, on, paths = [], inputs = {}, github = {}, vars = {}, starts, group } of shapes) {
    test(`workflows of public projects: ${shape}`, async () => {
      const parsed = parseWorkflow(file)
      assert.ok(parsed.ok, parsed.ok ? '' : parsed.problem)
      const { workflow } = parsed
      const events = await matchingEvents(workflow.triggers, on, new WorkBudget(usualWorkLimits), async () => paths)
      if (starts === undefined) return assert.deepEqual(events, [])
      assert.equal(events.length, 1)
      const context = {
        workflow: 'CI',
        event_name: events[0] ?? '',
        head_ref: '',
        run_id: 7,
        ref: 'refs/heads/main',
        ...github,
      }
      const plan = await planJobs(workflow, { vars, github: context, inputs }, find)
      assert.ok(plan.ok, plan.problem)
      assert.deepEqual(plan.jobs.map(describe), starts)
      const { concurrency } = plan
      assert.equal(concurrency && `${concurrency.group}${concurrency.cancels ? ' cancels' : ''}`, group)
    })
  }
}
