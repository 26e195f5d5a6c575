import type { CredentialReader } from '../../auth/credentials.ts'
import { tokenIn } from '../../auth/credentials.ts'
import type { AuthServices } from '../../auth/auth-services.ts'
import { viewerOf, type Viewer } from '../../auth/viewer.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { findActionsAccount, findRunningTask, findRunningTaskByToken, type RunningTask } from './job-token.store.ts'
import { readRuntimeToken } from './runtime-token.ts'

/** A job that sends a request with the token of its task. */
export class JobPrincipal {
  constructor(readonly task: RunningTask) {}
}

/** Returns the viewer of a job: the account of all jobs, limited to the job's repository. */
export async function viewerOfTask({ db }: Pick<AuthServices, 'db'>, task: RunningTask): Promise<Viewer> {
  const { repoId, runId, isReadOnly } = task
  return viewerOf(await findActionsAccount(db), { kind: 'job', repoId, runId, readOnly: isReadOnly })
}

/**
 * Accepts the token of a task as bearer token, password or user name, and the runtime token as bearer token. Both are valid
 * while the task runs.
 */
export const jobTokens: CredentialReader = {
  kind: 'job',
  async read(services, _call, presented) {
    const token = tokenIn(presented)
    if (token === undefined) return undefined
    let task: RunningTask | undefined
    if (/^[0-9a-f]{40}$/.test(token)) task = await findRunningTaskByToken(services.db, hashToken(token))
    else if (presented.kind === 'bearer') {
      const taskId = readRuntimeToken(services, token)
      task = taskId === undefined ? undefined : await findRunningTask(services.db, taskId)
    }
    if (!task) return undefined
    return { viewer: await viewerOfTask(services, task), principal: new JobPrincipal(task) }
  },
}
