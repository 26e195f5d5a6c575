import type { SignedInRepoCtx } from '../../access/context.ts'
import { findRevision } from '../../code/commits/named-commit.service.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import { BadRequest, Conflict, Invalid, NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchOf, tagOf } from '../../lib/refs.ts'
import type { WorkflowFile } from '../workflows/workflow-files.service.ts'
import { listWorkflowFiles } from '../workflows/workflow-files.service.ts'
import { effectiveInputs } from './dispatch.rules.ts'
import { findRun } from '../runs/run.store.ts'
import { startRun } from '../runs/start-run.service.ts'

/** A workflow that is to be dispatched, with all that its run needs but what it is told. */
export interface Dispatch {
  readonly file: WorkflowFile
  readonly ref: string
  readonly commit: Oid
  readonly inputs: Readonly<Record<string, string>>
}

/**
 * Finds the workflow of a branch or tag and its inputs. A missing ref or input is `BadRequest`; an unknown workflow, and a
 * ref that is neither a branch nor a tag, such as a commit or the head of a pull request, is `NotFound`.
 */
export async function planDispatch(
  ctx: SignedInRepoCtx,
  name: string,
  { ref, inputs }: { readonly ref: string; readonly inputs: Readonly<Record<string, string>> },
): Promise<Dispatch> {
  if (ref === '') throw new Invalid('[ref]: is required', 'dispatch_ref_missing', { field: 'ref' })
  const { git, repo, config } = ctx
  const found = await findRevision(git, repo.git_key, ref)
  const fullRef = found?.ref
  if (!found?.commit || fullRef === undefined || (branchOf(fullRef) ?? tagOf(fullRef)) === undefined) {
    throw new NotFound(`there is no branch or tag ${ref}`, 'ref_not_found')
  }
  const file = (await listWorkflowFiles(ctx, repo.git_key, found.commit)).find(({ id }) => id === name)
  if (!file) throw new NotFound(`there is no workflow ${name} to dispatch`, 'workflow_not_found')
  const { parsed } = file
  const effective = effectiveInputs(parsed.ok ? parsed.workflow.inputs : [], inputs)
  if (!effective.ok) throw new BadRequest(`the input ${effective.missing} is missing`, 'dispatch_input_missing')
  const most = config.actions.limitDispatchInputs
  if (Object.keys(effective.inputs).length > most) {
    throw new BadRequest(`a dispatch has at most ${most} inputs`, 'too_many_dispatch_inputs')
  }
  return { file, ref: fullRef, commit: found.commit, inputs: effective.inputs }
}

/** Most runs of which each was dispatched by a job of the one before: a workflow that dispatches itself comes to an end. */
const maxChain = 10

async function chainOf({ db, viewer: { credential } }: SignedInRepoCtx): Promise<number> {
  if (credential.kind !== 'job') return 0
  const chain = ((await findRun(db, credential.repoId, credential.runId))?.chain ?? 0) + 1
  if (chain <= maxChain) return chain
  throw new Conflict(`more than ${maxChain} workflows have dispatched each other`, 'dispatch_chain_too_long')
}

/** Begins the run of a dispatched workflow. One at the end of a long chain of dispatches by jobs is `Conflict`. */
export async function dispatchWorkflowRun(
  ctx: SignedInRepoCtx,
  dispatch: Dispatch,
  event: object,
): Promise<ActionRunRow> {
  const { file, ref, commit, inputs } = dispatch
  const chain = await chainOf(ctx)
  const { parsed } = file
  const name = parsed.ok ? parsed.workflow.name : ''
  return startRun(ctx, {
    repo: ctx.repo,
    file,
    event: 'workflow_dispatch',
    happening: 'workflow_dispatch',
    title: name || nameOfFile(file.id),
    ref,
    head: branchOf(ref) ?? tagOf(ref) ?? ref,
    commit,
    doerId: ctx.viewer.id,
    payload: JSON.stringify(event),
    inputs,
    chain,
  })
}

/** The keys of the jobs of the file, each once. */
export const jobsOfDispatch = ({ file: { parsed } }: Dispatch): string[] =>
  parsed.ok ? parsed.workflow.jobs.map(({ key }) => key) : []

/** A file by this path whatever the folder it lies in (observed). */
export const nameOfFile = (id: string): string => `.forgejo/workflows/${id}`
