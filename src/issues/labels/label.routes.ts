import { Type } from 'typebox'
import { canWrite, inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import type { LabelId } from '../../lib/ids.ts'
import { getIssue, getReadableIssue } from '../issue.service.ts'
import { presentLabel } from './label.present.ts'
import { labelOperations } from './label.operations.ts'
import { DeleteLabelsOption, IssueLabelsOption, Label } from './label.schemas.ts'
import {
  addIssueLabels,
  clearIssueLabels,
  getIssueLabels,
  removeIssueLabel,
  replaceIssueLabels,
} from './label.service.ts'

export const {
  list: issueListLabels,
  create: issueCreateLabel,
  get: issueGetLabel,
  edit: issueEditLabel,
  remove: issueDeleteLabel,
} = labelOperations({
  path: '/repos/{username}/{reponame}/labels',
  scope: 'issue',
  requires: [inRepo],
  toGet: [],
  toChange: [signedIn, canWrite('issues', 'pulls')],
  ownerOf: ({ repo, owner }) => ({ home: { repoId: repo.id }, of: { repo, owner } }),
  createsArchived: true,
  summaries: {
    list: 'List the labels of a repository',
    create: 'Create a label',
    get: 'Get a label by its id or name',
    edit: 'Edit a label',
    remove: 'Delete a label',
  },
})

export const issueGetLabels = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/labels',
  cost: 'usual',
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
  cost: 'usual',
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
  cost: 'usual',
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
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: DeleteLabelsOption,
  reply: { 204: 'empty' },
  summary: 'Take all labels off an issue',
  async run({ ctx, params, body }) {
    const issue = await getIssue(ctx, params.index)
    await clearIssueLabels(ctx, issue, body.updated_at)
  },
})

export const issueRemoveLabel = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/labels/{id}',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: DeleteLabelsOption,
  reply: { 204: 'empty' },
  summary: 'Take a label off an issue',
  async run({ ctx, params, body }) {
    const issue = await getIssue(ctx, params.index)
    await removeIssueLabel(ctx, issue, params.id as LabelId, body.updated_at)
  },
})
