import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { ActionStatus } from '../../db/tables/actions.ts'
import { NotFound } from '../../lib/errors.ts'
import { branchRef } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import { listWorkflowFiles, type WorkflowFile } from './workflow-files.service.ts'
import { deleteDisabled, findLatestStatus, insertDisabled, listDisabled } from './workflow-list.store.ts'

/** A workflow of the default branch. */
export interface ListedWorkflow {
  readonly file: WorkflowFile
  readonly isDisabled: boolean
}

/** Returns the workflows of the default branch, ordered by name. */
export async function listWorkflows(ctx: RepoCtx): Promise<readonly ListedWorkflow[]> {
  const { git, repo, db } = ctx
  if (repo.is_empty) return []
  const commit = (await git.resolveRef(repo.git_key, branchRef(repo.default_branch)))?.commit
  if (!commit) return []
  const [files, disabled] = await Promise.all([listWorkflowFiles(ctx, repo.git_key, commit), listDisabled(db, repo.id)])
  return files.map((file) => ({ file, isDisabled: disabled.has(file.id) }))
}

/** Returns a workflow of the default branch. @throws NotFound when it does not exist */
export async function getWorkflow(ctx: RepoCtx, name: string): Promise<ListedWorkflow> {
  const found = (await listWorkflows(ctx)).find(({ file }) => file.id === name)
  if (!found) throw new NotFound(`workflow "${name}" does not exist in the default branch`, 'workflow_not_found')
  return found
}

/** Disables a workflow, which then runs only by dispatch, or enables it again. Throws `NotFound` for a missing workflow. */
export async function setWorkflowState(ctx: SignedInRepoCtx, name: string, isDisabled: boolean): Promise<void> {
  await getWorkflow(ctx, name)
  await transaction(ctx.db, async (tx) => {
    if (isDisabled) await insertDisabled(tx, ctx.repo.id, name, nowUnix(ctx.clock))
    else await deleteDisabled(tx, ctx.repo.id, name)
  })
}

/** Returns the status of the newest run of a workflow on a branch; undefined without a run. */
export const latestStatus = (
  { db, repo }: RepoCtx,
  workflow: string,
  branch: string,
  event: string | undefined,
): Promise<ActionStatus | undefined> =>
  findLatestStatus(db, repo.id, workflow, branchRef(branch || repo.default_branch), event)
