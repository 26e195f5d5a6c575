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

/** A workflow to dispatch, at a commit and with its inputs. */
export interface Dispatch {
  readonly file: WorkflowFile
  readonly ref: string
  readonly commit: Oid
  readonly inputs: Readonly<Record<string, string>>
}

/**
 * Finds a workflow at a branch or tag and its inputs. Throws `Invalid` for a missing ref and `BadRequest` for a missing
 * input. Throws `NotFound` for an unknown workflow, and for a ref that is neither a branch nor a tag.
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
    throw new NotFound(`[ref]: branch or tag "${ref}" does not exist`, 'ref_not_found')
  }
  const file = (await listWorkflowFiles(ctx, repo.git_key, found.commit)).find(({ id }) => id === name)
  if (!file) throw new NotFound(`workflow "${name}" does not exist at ${ref}`, 'workflow_not_found')
  const { parsed } = file
  const effective = effectiveInputs(parsed.ok ? parsed.workflow.inputs : [], inputs)
  if (!effective.ok) {
    throw new BadRequest(`[inputs]: required input "${effective.missing}" is missing`, 'dispatch_input_missing')
  }
  const maxInputs = config.actions.limitDispatchInputs
  if (Object.keys(effective.inputs).length > maxInputs) {
    throw new BadRequest(
      `[inputs]: a dispatch has at most ${maxInputs} inputs ([actions].LIMIT_DISPATCH_INPUTS)`,
      'too_many_dispatch_inputs',
    )
  }
  return { file, ref: fullRef, commit: found.commit, inputs: effective.inputs }
}

/** Longest chain of runs that one another's jobs dispatched. The limit ends a workflow that dispatches itself. */
const maxChain = 10

async function chainOf({ db, viewer: { credential } }: SignedInRepoCtx): Promise<number> {
  if (credential.kind !== 'job') return 0
  const chain = ((await findRun(db, credential.repoId, credential.runId))?.chain ?? 0) + 1
  if (chain <= maxChain) return chain
  throw new Conflict(
    `the chain of workflows that dispatch one another is longer than ${maxChain}`,
    'dispatch_chain_too_long',
  )
}

/** Starts the run of a dispatched workflow. Throws `Conflict` when jobs dispatched too many runs in a chain. */
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
    hookEvent: 'workflow_dispatch',
    title: name || workflowPath(file.id),
    ref,
    head: branchOf(ref) ?? tagOf(ref) ?? ref,
    commit,
    doerId: ctx.viewer.id,
    payload: JSON.stringify(event),
    inputs,
    chain,
  })
}

/** Returns the keys of the file's jobs. */
export const jobKeysOf = ({ file: { parsed } }: Dispatch): string[] =>
  parsed.ok ? parsed.workflow.jobs.map(({ key }) => key) : []

/** Returns the path of a workflow file in payloads, which is the same for each workflow folder (observed). */
export const workflowPath = (id: string): string => `.forgejo/workflows/${id}`
