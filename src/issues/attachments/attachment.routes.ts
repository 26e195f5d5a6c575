import { Type } from 'typebox'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { inRepo, issuesOrPullsEnabled, notArchived } from '../../access/repo.requirements.ts'
import { attachmentsEnabled, signedIn } from '../../access/requirements.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { created, ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { uploadOf } from '../../attachments/upload.ts'
import { presentAttachment } from '../../attachments/attachment.present.ts'
import { Attachment, EditAttachmentOptions } from '../../attachments/attachment.schemas.ts'
import {
  attachFile,
  deleteAttachment,
  getAttachment,
  getFilesOfComment,
  getFilesOfIssue,
  renameAttachment,
  type AttachmentParent,
} from './attachment.service.ts'
import { commentInRepo } from '../comment.requirements.ts'
import { getReadableIssue } from '../issue.service.ts'

const upload = { name: Type.Optional(Type.String()), updated_at: Type.Optional(Type.String()) } as const
const quota = repoUnderQuota('size:assets:attachments:issues')

export const issueListIssueAttachments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/assets',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, attachmentsEnabled],
  reply: { 200: Type.Array(Attachment) },
  summary: 'List the files attached to an issue',
  async run({ ctx, params }) {
    const files = await getFilesOfIssue(ctx, await getReadableIssue(ctx, params.index))
    return ok(files.map((file) => presentAttachment(ctx, file)))
  },
})

export const issueCreateIssueAttachment = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/assets',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, attachmentsEnabled, signedIn, notArchived, quota],
  query: upload,
  body: bytesOf('multipart/form-data', 'application/octet-stream'),
  reply: { 201: Attachment },
  summary: 'Attach a file to an issue',
  async run({ ctx, params, query, call }) {
    const issue = await getReadableIssue(ctx, params.index)
    return created(presentAttachment(ctx, await attachFile(ctx, { issue, comment: undefined }, uploadOf(call, query))))
  },
})

export const issueGetIssueAttachment = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/assets/{attachment_id}',
  cost: 'usual',
  params: { index: pathNumber, attachment_id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, attachmentsEnabled],
  reply: { 200: Attachment },
  summary: 'Get a file attached to an issue or its comments',
  async run({ ctx, params }) {
    const subject = { issue: await getReadableIssue(ctx, params.index), comment: undefined }
    return ok(presentAttachment(ctx, await getAttachment(ctx, subject, params.attachment_id)))
  },
})

export const issueEditIssueAttachment = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/issues/{index}/assets/{attachment_id}',
  cost: 'usual',
  params: { index: pathNumber, attachment_id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, attachmentsEnabled, signedIn, notArchived, validBody],
  body: EditAttachmentOptions,
  reply: { 201: Attachment },
  summary: 'Rename a file attached to an issue or its comments',
  async run({ ctx, params, body }) {
    const subject = { issue: await getReadableIssue(ctx, params.index), comment: undefined }
    const file = await getAttachment(ctx, subject, params.attachment_id)
    return created(presentAttachment(ctx, await renameAttachment(ctx, subject, file, body.name)))
  },
})

export const issueDeleteIssueAttachment = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/assets/{attachment_id}',
  cost: 'usual',
  params: { index: pathNumber, attachment_id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, attachmentsEnabled, signedIn, notArchived],
  reply: { 204: 'empty' },
  summary: 'Delete a file attached to an issue or its comments',
  async run({ ctx, params }) {
    const subject = { issue: await getReadableIssue(ctx, params.index), comment: undefined }
    await deleteAttachment(ctx, subject, await getAttachment(ctx, subject, params.attachment_id))
  },
})

/** Returns the parent of a request that names a comment. */
const commentOf = ({ issue, comment }: AttachmentParent): AttachmentParent => ({ issue, comment })

export const issueListIssueCommentAttachments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/comments/{id}/assets',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, attachmentsEnabled],
  reply: { 200: Type.Array(Attachment) },
  summary: 'List the files attached to a comment',
  async run({ ctx }) {
    const files = await getFilesOfComment(ctx, ctx.comment)
    return ok(files.map((file) => presentAttachment(ctx, file)))
  },
})

export const issueCreateIssueCommentAttachment = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/comments/{id}/assets',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, attachmentsEnabled, signedIn, notArchived, quota],
  query: upload,
  body: bytesOf('multipart/form-data', 'application/octet-stream'),
  reply: { 201: Attachment },
  summary: 'Attach a file to a comment',
  run: async ({ ctx, query, call }) =>
    created(presentAttachment(ctx, await attachFile(ctx, commentOf(ctx), uploadOf(call, query)))),
})

export const issueGetIssueCommentAttachment = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/comments/{id}/assets/{attachment_id}',
  cost: 'usual',
  params: { attachment_id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, attachmentsEnabled],
  reply: { 200: Attachment },
  summary: 'Get a file attached to a comment',
  run: async ({ ctx, params }) =>
    ok(presentAttachment(ctx, await getAttachment(ctx, commentOf(ctx), params.attachment_id))),
})

export const issueEditIssueCommentAttachment = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/issues/comments/{id}/assets/{attachment_id}',
  cost: 'usual',
  params: { attachment_id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, attachmentsEnabled, signedIn, notArchived, validBody],
  body: EditAttachmentOptions,
  reply: { 201: Attachment },
  summary: 'Rename a file attached to a comment',
  async run({ ctx, params, body }) {
    const file = await getAttachment(ctx, commentOf(ctx), params.attachment_id)
    return created(presentAttachment(ctx, await renameAttachment(ctx, commentOf(ctx), file, body.name)))
  },
})

export const issueDeleteIssueCommentAttachment = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/comments/{id}/assets/{attachment_id}',
  cost: 'usual',
  params: { attachment_id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, attachmentsEnabled, signedIn, notArchived],
  reply: { 204: 'empty' },
  summary: 'Delete a file attached to a comment',
  run: async ({ ctx, params }) =>
    deleteAttachment(ctx, commentOf(ctx), await getAttachment(ctx, commentOf(ctx), params.attachment_id)),
})
