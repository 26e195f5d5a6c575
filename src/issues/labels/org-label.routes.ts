import { Type } from 'typebox'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { LabelId } from '../../lib/ids.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { presentLabel } from './label.present.ts'
import { CreateLabelOption, EditLabelOption, Label } from './label.schemas.ts'
import { createLabel, deleteLabel, editLabel, getLabel, getLabels } from './label.service.ts'

export const orgListLabels = operation({
  method: 'GET',
  path: '/orgs/{org}/labels',
  scope: 'organization',
  requires: [inOrg],
  query: { ...pageQuery, sort: Type.Optional(Type.String()) },
  reply: { 200: Type.Array(Label) },
  summary: 'List the labels of an organization',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { rows, total } = await getLabels(ctx, { orgId: ctx.org.id }, query.sort, page)
    return paged(
      rows.map((row) => presentLabel({ ...ctx, owner: ctx.org }, row)),
      page,
      total,
      { link: false },
    )
  },
})

export const orgCreateLabel = operation({
  method: 'POST',
  path: '/orgs/{org}/labels',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: CreateLabelOption,
  reply: { 201: Label },
  summary: 'Create a label of an organization',
  async run({ ctx, body }) {
    // A new organization label is never archived, even when the request says so (observed).
    const label = await createLabel(
      ctx,
      { orgId: ctx.org.id },
      { ...body, isExclusive: body.exclusive, isArchived: false },
    )
    return created(presentLabel({ ...ctx, owner: ctx.org }, label))
  },
})

export const orgGetLabel = operation({
  method: 'GET',
  path: '/orgs/{org}/labels/{id}',
  scope: 'organization',
  requires: [inOrg, signedIn],
  reply: { 200: Label },
  summary: 'Get a label of an organization by its id or name',
  run: async ({ ctx, params }) =>
    ok(presentLabel({ ...ctx, owner: ctx.org }, await getLabel(ctx, { orgId: ctx.org.id }, params.id))),
})

export const orgEditLabel = operation({
  method: 'PATCH',
  path: '/orgs/{org}/labels/{id}',
  params: { id: pathNumber },
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: EditLabelOption,
  reply: { 200: Label },
  summary: 'Edit a label of an organization',
  async run({ ctx, params, body }) {
    const input = { ...body, isExclusive: body.exclusive, isArchived: body.is_archived }
    const label = await editLabel(ctx, { orgId: ctx.org.id }, params.id as LabelId, input)
    return ok(presentLabel({ ...ctx, owner: ctx.org }, label))
  },
})

export const orgDeleteLabel = operation({
  method: 'DELETE',
  path: '/orgs/{org}/labels/{id}',
  params: { id: pathNumber },
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  reply: { 204: 'empty' },
  summary: 'Delete a label of an organization',
  run: ({ ctx, params }) => deleteLabel(ctx, { orgId: ctx.org.id }, params.id as LabelId),
})
