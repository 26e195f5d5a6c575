import type { Services } from '../../access/context.ts'
import type { ActionJobRow, ActionRunRow, ActionTaskRow } from '../../db/tables/actions.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { findUserById } from '../../users/user.store.ts'
import { secretPurpose } from '../secrets/secret.service.ts'
import { loadSealedSecretsFor } from '../secrets/secret.store.ts'
import { statusOfKey } from '../status.rules.ts'
import { githubContextOf, type GithubContext } from '../runs/github-context.service.ts'
import { findPayload, findRun, listJobsOfRun } from '../runs/run.store.ts'
import { identityAddress, writeRuntimeToken } from '../runners/runtime-token.ts'
import { loadVariablesFor } from '../variables/variable.store.ts'
import { shortKey } from '../workflows/job-key.rules.ts'
import type { Plain } from '../workflows/plain-yaml.ts'
import type { TaskMessage } from './messages.ts'
import { resultOfStatus } from './results.rules.ts'
import { listOutputsOf } from './task.store.ts'

/** The names of the secrets that contain the token of the job. */
const tokenNames = ['GITHUB_TOKEN', 'GITEA_TOKEN', 'FORGEJO_TOKEN'] as const

/** Returns the message that a runner gets for its task, with the current secrets and variables. */
export async function taskMessageOf(
  services: Services,
  task: ActionTaskRow,
  job: ActionJobRow,
  token: string,
): Promise<TaskMessage> {
  const { db, secrets } = services
  const [run, repo] = await Promise.all([findRun(db, job.repo_id, job.run_id), findRepoById(db, job.repo_id)])
  if (!run || !repo) throw new Error(`the run of task ${task.id} was deleted`)
  const [needs, vars, sealed, context] = await Promise.all([
    needsOf(services, job),
    loadVariablesFor(db, repo),
    // The author of a pull request from a fork decides what an untrusted run executes.
    run.is_foreign ? new Map<string, string>() : loadSealedSecretsFor(db, repo),
    contextOf(services, run, repo, job, task, token),
  ])
  const passed = job.passed_secrets === null ? undefined : (JSON.parse(job.passed_secrets) as string[])
  const isPassed = (name: string): boolean => !passed || passed.includes(name)
  return {
    id: BigInt(task.id),
    workflowPayload: Buffer.from(job.payload),
    context,
    secrets: {
      ...Object.fromEntries(
        [...sealed]
          .filter(([name]) => isPassed(name))
          .map(([name, value]) => [name, secrets.open(secretPurpose, value)]),
      ),
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
  if (!owner) throw new Error(`the owner of repository ${repo.id} was deleted`)
  const event = JSON.parse(payload ?? '{}') as GithubContext
  const runtimeToken = writeRuntimeToken(services, { taskId: task.id, runId: run.id, jobId: job.id })
  return {
    ...githubContextOf(config, { run, repo, owner, actor, event, attempt: task.attempt }),
    job: shortKey(job.job_key),
    token,
    gitea_default_actions_url: actionsUrl(config),
    gitea_runtime_token: runtimeToken,
    ...(job.may_identify
      ? { id_token_request_url: identityAddress(services, run.id), id_token_request_token: runtimeToken }
      : {}),
  }
}

/** Returns the base address of actions that `uses` names without an address, without a trailing slash. */
function actionsUrl({ actions, server }: Services['config']): string {
  const url = actions.defaultActionsUrl
  if (url === 'self') return server.rootUrl.replace(/\/$/, '')
  return url === 'github' ? 'https://github.com' : url.replace(/\/$/, '')
}

/** Returns the results and outputs of needed jobs. Of the jobs of a matrix the last non-empty value counts. */
async function needsOf({ db }: Services, job: ActionJobRow): Promise<TaskMessage['needs']> {
  const keys = JSON.parse(job.needs) as string[]
  if (keys.length === 0) return {}
  const all = await listJobsOfRun(db, job.run_id)
  const outputs = await listOutputsOf(
    db,
    all.flatMap(({ task_id }) => task_id ?? []),
  )
  const byTask = Map.groupBy(outputs, ({ task_id }) => task_id)
  const hasCalls = all.some(({ is_call }) => is_call)
  const evaluate = hasCalls ? (await import('../workflows/expressions.ts')).fillIn : undefined
  const outputsOf = (key: string): Readonly<Record<string, string>> => {
    const jobs = all.filter(({ job_key }) => job_key === key)
    const given = jobs.flatMap((each) => {
      if (each.is_call && evaluate) return Object.entries(outputsOfCall(each, outputsOf, evaluate))
      const own = each.task_id === null ? [] : (byTask.get(each.task_id) ?? [])
      return own.map(({ name, value }) => [name, value] as const)
    })
    return Object.fromEntries(given.filter(([, value]) => value !== ''))
  }
  return Object.fromEntries(
    keys.map((key) => {
      const statuses = all.filter(({ job_key }) => job_key === key).map(({ status }) => status)
      return [shortKey(key), { result: resultOfStatus(statusOfKey(statuses)), outputs: outputsOf(key) }]
    }),
  )
}

/** Returns the outputs of a called workflow. A malformed expression gives an empty output. */
function outputsOfCall(
  call: ActionJobRow,
  outputsOf: (key: string) => Readonly<Record<string, string>>,
  evaluate: (text: string, contexts: Readonly<Record<string, Plain>>) => string,
): Readonly<Record<string, string>> {
  const inner = JSON.parse(call.needs) as string[]
  const jobs = Object.fromEntries(inner.map((key) => [shortKey(key), { outputs: outputsOf(key) }]))
  const wanted = Object.entries(JSON.parse(call.payload) as Readonly<Record<string, string>>)
  return Object.fromEntries(
    wanted.map(([name, text]) => {
      try {
        return [name, evaluate(text, { jobs })]
      } catch {
        // The author of the file wrote the expression; a job that needs the output finds it empty.
        return [name, '']
      }
    }),
  )
}
