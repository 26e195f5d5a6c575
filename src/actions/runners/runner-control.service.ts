import type { Ctx } from '../../access/context.ts'
import { publishCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import type { AuditedAction } from '../../audit/audited-actions.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { ActionRegistrationTokenRow, ActionRunnerRow } from '../../db/tables/action-runners.ts'
import { NotFound } from '../../lib/errors.ts'
import type { RunnerId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import type { QueueScope } from '../queue-scope.ts'
import { changeRuns, endJobs } from '../runs/run-change.service.ts'
import { listTasksOfRunner } from '../runs/run.store.ts'
import { makeRegistrationToken, scopeDetails } from './runner.service.ts'
import {
  countRunnersOf,
  deleteRegistration,
  deleteRegistrationToken,
  deleteRunner,
  findRegistration,
  findRunner,
  insertRegistrationToken,
  listRunners,
} from './runner.store.ts'

/** The runners of a repository, an owner or the instance. */
export interface RunnerOwner {
  readonly scope: QueueScope
  /** The name that mails and the audit log show. */
  readonly name: string
}

/** Returns the registration token of an owner, or the row that disables registration; undefined before the first use. */
export const getRegistration = (
  { db }: Pick<Ctx, 'db'>,
  { scope }: RunnerOwner,
): Promise<ActionRegistrationTokenRow | undefined> => findRegistration(db, scope)

/** Replaces the registration token, and enables the registration; returns the new token. */
export async function rotateRegistrationToken(ctx: Ctx, owner: RunnerOwner): Promise<string> {
  const { token, row } = makeRegistrationToken(ctx)
  await transaction(ctx.db, async (tx) => {
    await deleteRegistration(tx, owner.scope)
    await insertRegistrationToken(tx, owner.scope, row)
    await recordChange(tx, owner, 'runnerToken.rotated')
    await publishCredentialChange(tx, ctx, 'runnerToken', owner.name)
  })
  return token
}

/** Revokes the registration token. The next request for a token creates another, unless registration is disabled. */
export const endRegistrationToken = (ctx: Ctx, owner: RunnerOwner): Promise<void> =>
  transaction(ctx.db, async (tx) => {
    if ((await deleteRegistrationToken(tx, owner.scope)) > 0) await recordChange(tx, owner, 'runnerToken.deleted')
  })

/** Disables registration, which revokes the token, or enables it again. */
export async function setRegistrationEnabled(ctx: Ctx, owner: RunnerOwner, isEnabled: boolean): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const known = await findRegistration(tx, owner.scope)
    if ((known?.is_active ?? true) === isEnabled) return
    await deleteRegistration(tx, owner.scope)
    // The row marks registration as disabled. No reply contains its token.
    if (!isEnabled) await insertRegistrationToken(tx, owner.scope, makeRegistrationToken(ctx, false).row)
    await recordChange(tx, owner, isEnabled ? 'runnerToken.enabled' : 'runnerToken.disabled')
  })
}

/** Returns one page of the registered runners, the newest first. */
export async function pageOfRunners(
  { db }: Pick<Ctx, 'db'>,
  { scope }: RunnerOwner,
  page: Page,
): Promise<{ readonly runners: readonly ActionRunnerRow[]; readonly total: number }> {
  const [runners, total] = await rowsAndTotal(page, listRunners(db, scope, page), countRunnersOf(db, scope))
  return { runners, total }
}

/** Unregisters a runner and cancels the jobs that it runs. Throws `NotFound` for a runner of another owner. */
export async function removeRunner(ctx: Ctx, { scope }: RunnerOwner, id: number): Promise<void> {
  await changeRuns(ctx.db, async (tx) => {
    const runner = await findRunner(tx, scope, id as RunnerId)
    if (!runner) throw new NotFound('the runner does not exist', 'runner_not_found')
    const tasks = await listTasksOfRunner(tx, runner.id)
    await deleteRunner(tx, runner.id)
    for (const { run_id: runId, id: taskId } of tasks) {
      await endJobs(tx, runId, 'cancelled', (job) => job.task_id === taskId, ctx.viewer?.id)
    }
    const about = { kind: 'runner', id: runner.id, name: runner.name } as const
    await recordAct(tx, { action: 'runner.deleted', about, details: scopeDetails(scope) })
  })
}

const recordChange = (tx: Tx, { scope, name }: RunnerOwner, action: AuditedAction): Promise<void> =>
  recordAct(tx, { action, about: { kind: 'runner', id: null, name }, details: scopeDetails(scope) })
