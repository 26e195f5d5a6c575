import type { Services } from '../../access/context.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Oid, RunId, UserId } from '../../lib/ids.ts'
import { findUserById } from '../../users/user.store.ts'
import { loadVariablesFor } from '../variables/variable.store.ts'
import type { JobPlan } from '../workflows/job-plan.ts'
import type { Called, FindCalled } from '../workflows/plan-scope.ts'
import type { Plain } from '../workflows/plain-yaml.ts'
import type { WorkflowFile } from '../workflows/workflow-files.service.ts'
import type { Workflow } from '../workflows/workflow.parse.ts'
import { calledWorkflowFinder, type Caller } from './called-workflow.service.ts'
import { githubContextOf, type GithubContext, type GithubSubject } from './github-context.service.ts'

/** What a run executes, as far as the contexts of its expressions depend on it. */
interface ContextStart {
  readonly repo: RepoRow
  readonly commit: Oid
  readonly file: Pick<WorkflowFile, 'id'>
  readonly event: string
  readonly ref: string
  readonly baseRef?: string
  readonly headRef?: string
  readonly doerId: UserId
  readonly payload: string
  readonly inputs?: Readonly<Record<string, string>>
}

/** What a run executes, as far as its plan depends on it. */
type PlannedStart = ContextStart & Caller

/** What expressions learn only from the row of the run. */
type RunIdentity = Pick<GithubSubject['run'], 'id' | 'number'>

/** Plans a run. */
export interface RunPlanner {
  /** The plan without the row of the run. */
  readonly draft: JobPlan
  /** Returns the plan with the row; undefined when no expression reads its id or number, so that the draft is the plan. */
  readonly planOf: ((run: RunIdentity) => Promise<JobPlan>) | undefined
}

/** The context `github`, with uses that are not a member other than those of the row. */
const readsIdentity = /(?:github|gitea|forgejo)(?!\s*\.\s*(?!run_)\w)/i

const noRun: RunIdentity = { id: 0 as RunId, number: 0 }

/** Loads what planning a run of a workflow needs, and plans it. */
export async function loadRunPlanner(services: Services, start: PlannedStart, workflow: Workflow): Promise<RunPlanner> {
  const [{ planJobs }, contextsOf] = await Promise.all([
    import('../workflows/job-plan.ts'),
    loadContexts(services, start, workflow),
  ])
  const read: Workflow[] = [workflow]
  const find = remembered(calledWorkflowFinder(services, start), read)
  const plan = (identity: RunIdentity): Promise<JobPlan> => planJobs(workflow, contextsOf(identity), find)
  const draft = await plan(noRun)
  const isFinal = !readsIdentity.test(
    JSON.stringify(read.map(({ jobs, concurrency, runName }) => [jobs, concurrency, runName])),
  )
  return { draft, planOf: isFinal ? undefined : plan }
}

/** Loads the contexts of the expressions that the server evaluates, apart from `needs` and `matrix`. */
export async function loadContexts(
  { db, config }: Services,
  start: ContextStart,
  workflow: Workflow,
): Promise<(identity: RunIdentity) => Readonly<Record<string, Plain>>> {
  const { repo, doerId } = start
  const [vars, owner, actor] = await Promise.all([
    loadVariablesFor(db, repo),
    findUserById(db, repo.owner_id),
    findUserById(db, doerId),
  ])
  if (!owner) throw new Error(`the owner of repository ${repo.id} was deleted`)
  const event = Object.freeze(JSON.parse(start.payload) as GithubContext)
  const inputs = typedInputs(workflow, start.inputs ?? {})
  return (identity) => {
    const run = {
      ...identity,
      event: start.event,
      ref: start.ref,
      base_ref: start.baseRef ?? '',
      head_ref: start.headRef ?? '',
      commit_oid: start.commit,
      workflow_id: start.file.id,
    }
    const github = githubContextOf(config, { run, repo, owner, actor, event, attempt: 1 })
    return { vars, github, gitea: github, forgejo: github, inputs }
  }
}

/** Returns the inputs of a dispatch as expressions see them: booleans are not strings. */
const typedInputs = (
  { inputs }: Workflow,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, Plain>> => {
  const booleans = new Set(inputs.filter(({ type }) => type === 'boolean').map(({ name }) => name))
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, booleans.has(name) ? value === 'true' : value]),
  )
}

/** Returns a finder that reads each called workflow once, and adds it to `read`. */
function remembered(find: FindCalled, read: Workflow[]): FindCalled {
  const known = new Map<object | undefined, Map<string, Promise<Called>>>()
  const look: FindCalled = async (uses, from) => {
    const called = await find(uses, from)
    if (called.ok) read.push(called.workflow)
    return called
  }
  return (uses, from) => {
    const ofOrigin = known.get(from) ?? new Map<string, Promise<Called>>()
    known.set(from, ofOrigin)
    const called = ofOrigin.get(uses) ?? look(uses, from)
    ofOrigin.set(uses, called)
    return called
  }
}
