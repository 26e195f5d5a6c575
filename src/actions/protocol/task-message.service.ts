import type { Services } from '../../access/context.ts'
import type { ActionJobRow, ActionRunRow, ActionTaskRow } from '../../db/tables/actions.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { findUserById } from '../../users/user.store.ts'
import { secretPurpose } from '../secrets/secret.service.ts'
import { loadSealedSecretsFor } from '../secrets/secret.store.ts'
import { githubContextOf, type GithubContext } from '../runs/github-context.service.ts'
import { loadNeeds } from '../runs/needed-jobs.service.ts'
import { findPayload, findRun } from '../runs/run.store.ts'
import { identityAddress, writeRuntimeToken } from '../runners/runtime-token.ts'
import { loadVariablesFor } from '../variables/variable.store.ts'
import type { Plain } from '../workflows/plain-yaml.ts'
import { shortKey } from '../workflows/job-key.rules.ts'
import type { TaskMessage } from './messages.ts'
import { resultOfStatus } from './results.rules.ts'

/** The names of the secrets that contain the token of the job. */
const tokenNames = ['GITHUB_TOKEN', 'GITEA_TOKEN', 'FORGEJO_TOKEN'] as const

/** The message that a runner gets for its task. */
interface BuiltMessage {
  readonly message: TaskMessage
  /** The names of the steps, as far as the server can evaluate them. */
  readonly stepNames: readonly string[]
}

/** Returns the message that a runner gets for its task, with the current secrets and variables. */
export async function taskMessageOf(
  services: Services,
  task: ActionTaskRow,
  job: ActionJobRow,
  token: string,
): Promise<BuiltMessage> {
  const { db, secrets } = services
  const [run, repo] = await Promise.all([findRun(db, job.repo_id, job.run_id), findRepoById(db, job.repo_id)])
  if (!run || !repo) throw new Error(`the run of task ${task.id} was deleted`)
  const [needs, vars, sealed, context] = await Promise.all([
    loadNeeds(services, job),
    loadVariablesFor(db, repo),
    // The author of a pull request from a fork decides what an untrusted run executes.
    run.is_foreign ? new Map<string, string>() : loadSealedSecretsFor(db, repo),
    contextOf(services, run, repo, job, task, token),
  ])
  const passed = job.passed_secrets === null ? undefined : (JSON.parse(job.passed_secrets) as string[])
  const isPassed = (name: string): boolean => !passed || passed.includes(name)
  const { token: _token, gitea_runtime_token: _runtime, id_token_request_token: _request, ...shown } = context
  const github = shown as GithubContext
  const results = Object.entries(needs).map(([key, { status, outputs }]) => [key, { result: status, outputs }] as const)
  const names = { github, gitea: github, forgejo: github, vars, needs: Object.fromEntries(results) }
  const { stepNamesOf } = await import('../workflows/step-names.ts')
  const message = {
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
    needs: Object.fromEntries(
      Object.entries(needs).map(([key, { status, outputs }]) => [key, { result: resultOfStatus(status), outputs }]),
    ),
    vars,
  }
  const { inputs } = github['event'] as { readonly inputs?: Plain }
  return { message, stepNames: await stepNamesOf(job.payload, { ...names, inputs: inputs ?? {} }) }
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
