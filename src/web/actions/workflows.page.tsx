import { canRead, canWrite, gitRepo, inRepo, notArchived, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { inputOfWrongType } from '../../actions/dispatches/dispatch.rules.ts'
import { presentDispatch } from '../../actions/dispatches/dispatch.present.ts'
import {
  dispatchWorkflowRun,
  planDispatch,
  workflowPath as payloadPath,
} from '../../actions/dispatches/dispatch.service.ts'
import { newestRuns, recentFacets } from '../../actions/runs/run-list.service.ts'
import { listWorkflows, setWorkflowState } from '../../actions/workflows/workflow-list.service.ts'
import { enumeration } from '../../http/schema.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { act, page } from '../shell/page.tsx'
import { actionsPath, runPath } from './actions-paths.ts'
import { mayOf } from './actions-rights.ts'
import { actionsTexts as texts } from '../languages/texts.ts'
import { WorkflowsView } from './workflows.view.tsx'
import { integer, text, textList } from '../ui/fields.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const
const pageSize = 30

/** The runs of a repository with its workflows at the side. */
export const actionsPage = page({
  path: '/{username}/{reponame}/actions',
  twin: 'listActionRuns',
  cost: 'usual',
  requires: readable,
  query: {
    page: integer,
    workflow: text,
    status: text,
    event: text,
    branch: text,
    actor: text,
  },
  frame: inRepositoryFrame('actions'),
  async load({ ctx, query }) {
    const number = Math.max(1, query.page ?? 1)
    const { workflow, status, event, branch, actor } = query
    const filter = { workflow, status, event, branch, actor }
    const [workflows, facets, { runs, hasMore }] = await Promise.all([
      listWorkflows(ctx),
      recentFacets(ctx),
      newestRuns(ctx, filter, { limit: pageSize, offset: (number - 1) * pageSize }),
    ])
    const { owner, repo } = ctx
    return { owner, repo, workflows, facets, runs, hasMore, number, filter, may: mayOf(ctx) }
  },
  meta: (_data, { ctx }) => ({ title: texts.titleOf(`${ctx.owner.name}/${ctx.repo.name}`), withFurtherStyles: true }),
  view: WorkflowsView,
})

/** A branch or tag that does not exist is a mistake in the form. */
const asMistakeIn = (field: string) => (error: unknown) => {
  const isUnknown = error instanceof NotFound && ['ref_not_found', 'workflow_not_found'].includes(error.code)
  throw isUnknown ? new Invalid(withoutField(error.message), error.code, { field }) : error
}

/** Messages of the API begin with the field in brackets. */
const withoutField = (message: string): string => message.replace(/^\[\w+\]: /, '')

/**
 * Starts a workflow by hand. The names and values of inputs are two lists of the same order. A refused value belongs to the
 * field `inputs`, and the view finds the control.
 */
export const startWorkflow = act({
  path: '/{username}/{reponame}/actions/workflows/{workflowname}/dispatch',
  twin: 'dispatchWorkflow',
  cost: 'expensive',
  requires: [...readable, signedIn, canWrite('actions'), notArchived],
  fields: {
    /** The workflow for the page that shows the form again. */
    workflow: text,
    ref: text,
    name: textList,
    value: textList,
  },
  again: actionsPage,
  againQuery: ['workflow'],
  problemFields: { dispatch_input_: 'inputs' },
  async run({ ctx, params, body }) {
    const { ref = '', name: names = [], value: values = [] } = body
    const given = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
    const dispatch = await planDispatch(ctx, params.workflowname, { ref, inputs: given }).catch(asMistakeIn('ref'))
    const { parsed } = dispatch.file
    const wrong = inputOfWrongType(parsed.ok ? parsed.workflow.inputs : [], given)
    if (wrong) throw new Invalid(texts.list.wrongInput(wrong), 'dispatch_input_wrong')
    const event = await presentDispatch(ctx, { ...dispatch, workflow: payloadPath(dispatch.file.id) })
    const run = await dispatchWorkflowRun(ctx, dispatch, event)
    return { to: runPath(ctx, run), notice: texts.done.dispatched(run.number) }
  },
})

/** Enables or disables a workflow. */
export const switchWorkflow = act({
  path: '/{username}/{reponame}/actions/workflows/{workflowname}/{state}',
  twin: 'enableRepoWorkflow',
  cost: 'usual',
  requires: [...readable, signedIn, repoAdmin, notArchived],
  params: { state: enumeration('enable', 'disable') },
  async run({ ctx, params }) {
    const { workflowname: workflow, state } = params
    await setWorkflowState(ctx, workflow, state === 'disable')
    return {
      to: actionsPath(ctx, { workflow }),
      notice: state === 'disable' ? texts.done.disabled(workflow) : texts.done.enabled(workflow),
    }
  },
})
