import { Type } from 'typebox'
import { canWrite, inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { LabelId } from '../../lib/ids.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { must } from '../../lib/verdict.ts'
import { mayManage } from '../issue.policy.ts'
import { getIssue, getReadableIssue } from '../issue.service.ts'
import { presentLabel } from './label.present.ts'
import { CreateLabelOption, DeleteLabelsOption, EditLabelOption, IssueLabelsOption, Label } from './label.schemas.ts'
import {
  addIssueLabels,
  clearIssueLabels,
  createLabel,
  deleteLabel,
  editLabel,
  getIssueLabels,
  getLabel,
  getLabels,
  removeIssueLabel,
  replaceIssueLabels,
} from './label.service.ts'

export const issueListLabels = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/labels',
  scope: 'issue',
  requires: [inRepo],
  query: { ...pageQuery, sort: Type.Optional(Type.String()) },
  reply: { 200: Type.Array(Label) },
  summary: 'List the labels of a repository',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { rows, total } = await getLabels(ctx, { repoId: ctx.repo.id }, query.sort, page)
    return paged(
      rows.map((row) => presentLabel(ctx, row)),
      page,
      total,
      { link: false },
    )
  },
})

export const issueCreateLabel = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/labels',
  scope: 'issue',
  requires: [inRepo, signedIn, canWrite('issues', 'pulls'), validBody],
  body: CreateLabelOption,
  reply: { 201: Label },
  summary: 'Create a label',
  async run({ ctx, body }) {
    const input = { ...body, isExclusive: body.exclusive, isArchived: body.is_archived }
    return created(presentLabel(ctx, await createLabel(ctx, { repoId: ctx.repo.id }, input)))
  },
})

export const issueGetLabel = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/labels/{id}',
  scope: 'issue',
  requires: [inRepo],
  reply: { 200: Label },
  summary: 'Get a label by its id or name',
  run: async ({ ctx, params }) => ok(presentLabel(ctx, await getLabel(ctx, { repoId: ctx.repo.id }, params.id))),
})

export const issueEditLabel = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/labels/{id}',
  params: { id: pathNumber },
  scope: 'issue',
  requires: [inRepo, signedIn, canWrite('issues', 'pulls'), validBody],
  body: EditLabelOption,
  reply: { 200: Label },
  summary: 'Edit a label',
  async run({ ctx, params, body }) {
    const input = { ...body, isExclusive: body.exclusive, isArchived: body.is_archived }
    return ok(presentLabel(ctx, await editLabel(ctx, { repoId: ctx.repo.id }, params.id as LabelId, input)))
  },
})

export const issueDeleteLabel = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/labels/{id}',
  params: { id: pathNumber },
  scope: 'issue',
  requires: [inRepo, signedIn, canWrite('issues', 'pulls')],
  reply: { 204: 'empty' },
  summary: 'Delete a label',
  run: ({ ctx, params }) => deleteLabel(ctx, { repoId: ctx.repo.id }, params.id as LabelId),
})

export const issueGetLabels = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/labels',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  reply: { 200: Type.Array(Label) },
  summary: 'List the labels of an issue',
  async run({ ctx, params }) {
    const labels = await getIssueLabels(ctx, await getReadableIssue(ctx, params.index))
    return ok(labels.map((label) => presentLabel(ctx, label)))
  },
})

export const issueAddLabel = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/labels',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: IssueLabelsOption,
  reply: { 200: Type.Array(Label) },
  summary: 'Add labels to an issue',
  async run({ ctx, params, body }) {
    const issue = await getIssue(ctx, params.index)
    await addIssueLabels(ctx, issue, { labels: body.labels, updatedAt: body.updated_at })
    return ok((await getIssueLabels(ctx, issue)).map((label) => presentLabel(ctx, label)))
  },
})

export const issueReplaceLabels = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/issues/{index}/labels',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: IssueLabelsOption,
  reply: { 200: Type.Array(Label) },
  summary: 'Replace the labels of an issue',
  async run({ ctx, params, body }) {
    const issue = await getIssue(ctx, params.index)
    await replaceIssueLabels(ctx, issue, { labels: body.labels, updatedAt: body.updated_at })
    return ok((await getIssueLabels(ctx, issue)).map((label) => presentLabel(ctx, label)))
  },
})

export const issueClearLabels = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/labels',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: DeleteLabelsOption,
  reply: { 204: 'empty' },
  summary: 'Take all labels off an issue',
  async run({ ctx, params, body }) {
    const issue = await getIssue(ctx, params.index)
    must(mayManage(ctx.rights, issue))
    await clearIssueLabels(ctx, issue, body.updated_at)
  },
})

export const issueRemoveLabel = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/labels/{id}',
  params: { index: pathNumber, id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: DeleteLabelsOption,
  reply: { 204: 'empty' },
  summary: 'Take a label off an issue',
  async run({ ctx, params, body }) {
    const issue = await getIssue(ctx, params.index)
    must(mayManage(ctx.rights, issue))
    await removeIssueLabel(ctx, issue, params.id as LabelId, body.updated_at)
  },
})
