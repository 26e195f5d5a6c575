import type { Services } from '../../access/context.ts'
import type { ActionJobRow, ActionRunRow, ActionTaskRow } from '../../db/tables/actions.ts'
import { branchOf, branchRef, tagOf } from '../../lib/refs.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import { findUserById } from '../../users/user.store.ts'
import { secretPurpose } from '../secret.service.ts'
import { sealedOver } from '../secret.store.ts'
import { statusOfKey } from '../status.rules.ts'
import { findPayload, findRun, listJobsOfRun } from '../runs/run.store.ts'
import { writeRuntimeToken } from '../runners/runtime-token.ts'
import { variablesOver } from '../variable.store.ts'
import type { TaskMessage } from './messages.ts'
import { resultOfStatus } from './results.rules.ts'
import { listOutputsOf } from './task.store.ts'

/** Names under which runners look for the token of the job. */
const tokenNames = ['GITHUB_TOKEN', 'GITEA_TOKEN', 'FORGEJO_TOKEN'] as const

/** Where expressions of the ecosystem look that nothing fills here. */
const unset = [
  'action',
  'action_path',
  'action_ref',
  'action_repository',
  'action_status',
  'env',
  'event_path',
  'graphql_url',
  'path',
  'retention_days',
  'triggering_actor',
  'workspace',
]

/** All that a runner is told of its task. Secrets and variables are those of this moment. */
export async function taskMessageOf(
  services: Services,
  task: ActionTaskRow,
  job: ActionJobRow,
  token: string,
): Promise<TaskMessage> {
  const { db, secrets } = services
  const [run, repo] = await Promise.all([findRun(db, job.repo_id, job.run_id), findRepoById(db, job.repo_id)])
  if (!run || !repo) throw new Error('the run of a task is gone')
  const [needs, vars, sealed, context] = await Promise.all([
    needsOf(services, job),
    variablesOver(db, repo),
    // Whoever wrote a pull request elsewhere says what is run.
    run.is_foreign ? new Map<string, string>() : sealedOver(db, repo),
    contextOf(services, run, repo, job, task, token),
  ])
  return {
    id: BigInt(task.id),
    workflowPayload: Buffer.from(job.payload),
    context,
    secrets: {
      ...Object.fromEntries([...sealed].map(([name, value]) => [name, secrets.open(secretPurpose, value)])),
      ...Object.fromEntries(tokenNames.map((name) => [name, token])),
    },
    needs,
    vars,
  }
}

async function contextOf(
  services: Services,
  run: ActionRunRow,
  repo: NonNullable<Awaited<ReturnType<typeof findRepoById>>>,
  job: ActionJobRow,
  task: ActionTaskRow,
  token: string,
): Promise<TaskMessage['context']> {
  const { db, config } = services
  const [owner, actor, payload] = await Promise.all([
    findUserById(db, repo.owner_id),
    findUserById(db, run.doer_id),
    findPayload(db, run.id),
  ])
  if (!owner) throw new Error('the owner of a repository is gone')
  const event = JSON.parse(payload ?? '{}') as TaskMessage['context']
  // What the base of a pull request says runs on the base.
  const isOfBase = run.event === 'pull_request_target'
  const ref = isOfBase ? branchRef(run.base_ref) : run.ref
  const branch = branchOf(ref)
  const tag = tagOf(ref)
  return {
    ...Object.fromEntries(unset.map((name) => [name, ''])),
    actor: actor?.name ?? 'Ghost',
    api_url: `${config.server.rootUrl}api/v1`,
    base_ref: run.base_ref,
    event,
    event_name: run.event,
    head_ref: run.head_ref,
    job: job.job_key,
    ref,
    ref_name: branch ?? tag ?? /^refs\/pull\/(\d+)\/head$/.exec(ref)?.[1] ?? ref,
    ref_protected: false,
    ref_type: branch === undefined ? (tag === undefined ? '' : 'tag') : 'branch',
    repository: `${owner.name}/${repo.name}`,
    repository_owner: owner.name,
    repositoryUrl: repoWebUrl({ config, owner, repo }),
    run_attempt: String(task.attempt),
    run_id: String(run.id),
    run_number: String(run.number),
    secret_source: 'Actions',
    server_url: config.server.rootUrl,
    sha: isOfBase ? (baseOf(event) ?? run.commit_oid) : run.commit_oid,
    token,
    workflow: run.workflow_id,
    gitea_default_actions_url: actionsUrl(config),
    gitea_runtime_token: writeRuntimeToken(services, { taskId: task.id, runId: run.id, jobId: job.id }),
  }
}

/** The commit of the base, as the pull request was told of. */
function baseOf(event: TaskMessage['context']): string | undefined {
  const { pull_request: pull } = event as { pull_request?: { base?: { sha?: unknown } } }
  return typeof pull?.base?.sha === 'string' ? pull.base.sha : undefined
}

/** Where runners find actions that are named without an address: without a slash at its end. */
function actionsUrl({ actions, server }: Services['config']): string {
  const url = actions.defaultActionsUrl
  if (url === 'self') return server.rootUrl.replace(/\/$/, '')
  return url === 'github' ? 'https://github.com' : url.replace(/\/$/, '')
}

/** How the jobs that a job needs have ended, and what they gave: of a matrix the last that is not empty. */
async function needsOf({ db }: Services, job: ActionJobRow): Promise<TaskMessage['needs']> {
  const keys = JSON.parse(job.needs) as string[]
  if (keys.length === 0) return {}
  const needed = (await listJobsOfRun(db, job.run_id)).filter(({ job_key }) => keys.includes(job_key))
  const outputs = await listOutputsOf(
    db,
    needed.flatMap(({ task_id }) => task_id ?? []),
  )
  const byTask = Map.groupBy(outputs, ({ task_id }) => task_id)
  return Object.fromEntries(
    keys.map((key) => {
      const jobs = needed.filter(({ job_key }) => job_key === key)
      const given = jobs
        .flatMap(({ task_id }) => (task_id === null ? [] : (byTask.get(task_id) ?? [])))
        .filter(({ value }) => value !== '')
      return [
        key,
        {
          result: resultOfStatus(statusOfKey(jobs.map(({ status }) => status))),
          outputs: Object.fromEntries(given.map(({ name, value }) => [name, value])),
        },
      ]
    }),
  )
}
