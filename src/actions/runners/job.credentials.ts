import type { CredentialReader } from '../../auth/credentials.ts'
import { tokenIn } from '../../auth/credentials.ts'
import { viewerOf } from '../../auth/viewer.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { findActionsAccount, findRunningTask, findRunningTaskByToken, type RunningTask } from './job-token.store.ts'
import { readRuntimeToken } from './runtime-token.ts'

/** A job that asks, by the token of its task. */
export class JobPrincipal {
  constructor(readonly task: RunningTask) {}
}

/**
 * The token of a task, as a bearer's or in the place of a password or a name, and the runtime token, which is good for as
 * long as the task runs.
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
    const account = await findActionsAccount(services.db)
    const { repoId, runId, isReadOnly } = task
    const credential = { kind: 'job', repoId, runId, readOnly: isReadOnly } as const
    return { viewer: viewerOf(account, credential), principal: new JobPrincipal(task) }
  },
}
