import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, noContent } from '../../http/reply.ts'
import { presentDispatch } from './dispatch.present.ts'
import { dispatchWorkflowRun, jobKeysOf, planDispatch, workflowPath } from './dispatch.service.ts'
import { DispatchWorkflowOption, DispatchWorkflowRun } from '../runs/run.schemas.ts'

export const dispatchWorkflow = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/actions/workflows/{workflowname}/dispatches',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, canRead('actions'), gitRepo, signedIn, canWrite('actions'), notArchived, validBody],
  refuses: [409],
  body: DispatchWorkflowOption,
  reply: { 201: DispatchWorkflowRun, 204: 'empty' },
  summary: 'Start a workflow',
  async run({ ctx, params, body }) {
    const { ref = '', inputs, return_run_info: returnsRun } = body
    const dispatch = await planDispatch(ctx, params.workflowname, { ref, inputs: inputs ?? {} })
    const { file } = dispatch
    const event = await presentDispatch(ctx, { ...dispatch, workflow: workflowPath(file.id) })
    const run = await dispatchWorkflowRun(ctx, dispatch, event)
    if (!returnsRun) return noContent()
    return created({ id: run.id, run_number: run.number, jobs: jobKeysOf(dispatch) })
  },
})
