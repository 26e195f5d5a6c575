import { Type, type Static } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { escapePath } from '../../lib/escape-url.ts'
import { canRead, gitRepo, inRepo, notArchived, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes, ok } from '../../http/reply.ts'
import { object, pathText } from '../../http/schema.ts'
import { repoApiUrl, repoWebUrl } from '../../repos/repo-url.ts'
import { presentBadge } from './badge.present.ts'
import {
  getWorkflow,
  latestStatus,
  listWorkflows,
  setWorkflowState,
  type ListedWorkflow,
} from './workflow-list.service.ts'

const Workflow = object('ActionWorkflow', {
  id: Type.String(),
  name: Type.String(),
  path: Type.String(),
  state: Type.String(),
  problem: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  badge_url: Type.String(),
})

const Workflows = object('ActionWorkflowsResponse', {
  total_count: Type.Integer(),
  workflows: Type.Array(Workflow),
})

function presentWorkflow(
  ctx: RepoCtx,
  { file: { id, path, parsed }, isDisabled }: ListedWorkflow,
): Static<typeof Workflow> {
  const home = repoWebUrl(ctx)
  return {
    id,
    name: (parsed.ok ? parsed.workflow.name : '') || id,
    path,
    state: isDisabled ? 'disabled_manually' : 'active',
    problem: parsed.ok ? '' : parsed.problem,
    url: `${repoApiUrl(ctx)}/actions/workflows/${encodeURIComponent(id)}`,
    html_url: `${home}/src/branch/${escapePath(ctx.repo.default_branch)}/${escapePath(path)}`,
    badge_url: `${home}/actions/workflows/${encodeURIComponent(id)}/badge.svg`,
  }
}

const ofReader = [inRepo, canRead('actions'), gitRepo] as const

export const listRepoWorkflows = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/workflows',
  cost: 'usual',
  scope: 'repository',
  requires: ofReader,
  reply: { 200: Workflows },
  summary: 'List the workflows of a repository',
  async run({ ctx }) {
    const workflows = (await listWorkflows(ctx)).map((each) => presentWorkflow(ctx, each))
    return ok({ total_count: workflows.length, workflows })
  },
})

export const getRepoWorkflow = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/workflows/{workflowname}',
  cost: 'usual',
  scope: 'repository',
  requires: ofReader,
  reply: { 200: Workflow },
  summary: 'Get a workflow of a repository by the name of its file',
  run: async ({ ctx, params }) => ok(presentWorkflow(ctx, await getWorkflow(ctx, params.workflowname))),
})

const ofWorkflow = {
  method: 'PUT',
  params: { workflowname: pathText },
  scope: 'repository',
  requires: [...ofReader, signedIn, repoAdmin, notArchived],
  reply: { 204: 'empty' },
} as const

export const disableRepoWorkflow = operation({
  ...ofWorkflow,
  path: '/repos/{username}/{reponame}/actions/workflows/{workflowname}/disable',
  cost: 'usual',
  summary: 'Disable a workflow',
  run: ({ ctx, params }) => setWorkflowState(ctx, params.workflowname, true),
})

export const enableRepoWorkflow = operation({
  ...ofWorkflow,
  path: '/repos/{username}/{reponame}/actions/workflows/{workflowname}/enable',
  cost: 'usual',
  summary: 'Enable a workflow',
  run: ({ ctx, params }) => setWorkflowState(ctx, params.workflowname, false),
})

/** Returns the badge of a workflow on a branch. */
export const workflowBadge = operation({
  method: 'GET',
  path: '/{username}/{reponame}/actions/workflows/{workflowname}/badge.svg',
  cost: 'usual',
  base: 'site',
  family: 'downloads',
  scope: null,
  requires: ofReader,
  query: { branch: Type.Optional(Type.String()), event: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('image/svg+xml') },
  async run({ ctx, params, query }) {
    const { workflowname: name } = params
    const status = await latestStatus(ctx, name, query.branch ?? '', query.event)
    return bytes('image/svg+xml', Buffer.from(presentBadge(name, status)), {
      headers: {
        'cache-control': 'no-cache',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      },
    })
  },
})
