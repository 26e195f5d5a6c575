import { Type } from 'typebox'
import { canWrite, inRepo } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentMilestone } from './milestone.present.ts'
import { CreateMilestoneOption, EditMilestoneOption, Milestone } from './milestone.schemas.ts'
import { createMilestone, deleteMilestone, editMilestone, getMilestone, getMilestones } from './milestone.service.ts'

export const issueGetMilestonesList = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/milestones',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo],
  query: { state: Type.Optional(Type.String()), name: Type.Optional(Type.String()), ...pageQuery },
  reply: { 200: Type.Array(Milestone) },
  summary: 'List the milestones of a repository',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await getMilestones(ctx, query, page)
    return paged(rows.map(presentMilestone), page, total, { link: false })
  },
})

export const issueCreateMilestone = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/milestones',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, signedIn, canWrite('issues', 'pulls'), validBody],
  body: CreateMilestoneOption,
  reply: { 201: Milestone },
  summary: 'Create a milestone',
  run: async ({ ctx, body }) => created(presentMilestone(await createMilestone(ctx, { ...body, dueOn: body.due_on }))),
})

export const issueGetMilestone = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/milestones/{id}',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo],
  reply: { 200: Milestone },
  summary: 'Get a milestone by its id or title',
  run: async ({ ctx, params }) => ok(presentMilestone(await getMilestone(ctx, params.id))),
})

export const issueEditMilestone = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/milestones/{id}',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, signedIn, canWrite('issues', 'pulls'), validBody],
  body: EditMilestoneOption,
  reply: { 200: Milestone },
  summary: 'Edit a milestone',
  run: async ({ ctx, params, body }) =>
    ok(presentMilestone(await editMilestone(ctx, await getMilestone(ctx, params.id), { ...body, dueOn: body.due_on }))),
})

export const issueDeleteMilestone = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/milestones/{id}',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, signedIn, canWrite('issues', 'pulls')],
  reply: { 204: 'empty' },
  summary: 'Delete a milestone',
  run: async ({ ctx, params }) => deleteMilestone(ctx, await getMilestone(ctx, params.id)),
})
