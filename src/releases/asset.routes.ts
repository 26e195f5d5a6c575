import { Type } from 'typebox'
import { repoUnderQuota } from '../access/quota/quota.requirements.ts'
import { storedReplies } from '../access/serve-stored.ts'
import { canRead, canWrite, inRepo } from '../access/repo.requirements.ts'
import { attachmentsEnabled, signedIn } from '../access/requirements.ts'
import { presentAttachment } from '../attachments/attachment.present.ts'
import { Attachment, EditAttachmentOptions } from '../attachments/attachment.schemas.ts'
import { serveDownload } from '../attachments/serve-download.ts'
import { uploadOf } from '../attachments/upload.ts'
import { bytesOf, operation, validBody } from '../http/operation.ts'
import { created, ok } from '../http/reply.ts'
import { pathNumber } from '../http/schema.ts'
import {
  attachAsset,
  editAsset,
  getAsset,
  getAssetNamed,
  getAssets,
  getLatestAssetNamed,
  removeAsset,
} from './asset.service.ts'
import { getRelease } from './release.service.ts'

export const repoListReleaseAttachments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/releases/{id}/assets',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, canRead('releases')],
  reply: { 200: Type.Array(Attachment) },
  summary: 'List the files of a release',
  async run({ ctx, params }) {
    const files = await getAssets(ctx, await getRelease(ctx, params.id))
    return ok(files.map((file) => presentAttachment(ctx, file)))
  },
})

export const repoCreateReleaseAttachment = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/releases/{id}/assets',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [
    inRepo,
    canRead('releases'),
    signedIn,
    canWrite('releases'),
    repoUnderQuota('size:assets:attachments:releases'),
    attachmentsEnabled,
  ],
  query: { name: Type.Optional(Type.String()) },
  body: bytesOf('multipart/form-data', 'application/octet-stream'),
  reply: { 201: Attachment },
  summary: 'Attach a file to a release, or the address of an external file',
  async run({ ctx, params, query, call }) {
    const release = await getRelease(ctx, params.id)
    return created(presentAttachment(ctx, await attachAsset(ctx, release, uploadOf(call, query), query.name)))
  },
})

export const repoGetReleaseAttachment = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/releases/{id}/assets/{attachment_id}',
  cost: 'usual',
  params: { id: pathNumber, attachment_id: pathNumber },
  scope: 'repository',
  requires: [inRepo, canRead('releases')],
  reply: { 200: Attachment },
  summary: 'Get a file of a release',
  async run({ ctx, params }) {
    const release = await getRelease(ctx, params.id)
    return ok(presentAttachment(ctx, await getAsset(ctx, release, params.attachment_id)))
  },
})

export const repoEditReleaseAttachment = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/releases/{id}/assets/{attachment_id}',
  cost: 'usual',
  params: { id: pathNumber, attachment_id: pathNumber },
  scope: 'repository',
  requires: [inRepo, canRead('releases'), signedIn, canWrite('releases'), validBody],
  body: EditAttachmentOptions,
  reply: { 201: Attachment },
  summary: 'Rename a file of a release, or change the address of an external file',
  async run({ ctx, params, body }) {
    const file = await getAsset(ctx, await getRelease(ctx, params.id), params.attachment_id)
    return created(
      presentAttachment(ctx, await editAsset(ctx, file, { name: body.name, address: body.browser_download_url })),
    )
  },
})

export const repoDeleteReleaseAttachment = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/releases/{id}/assets/{attachment_id}',
  cost: 'usual',
  params: { id: pathNumber, attachment_id: pathNumber },
  scope: 'repository',
  requires: [inRepo, canRead('releases'), signedIn, canWrite('releases')],
  reply: { 204: 'empty' },
  summary: 'Delete a file of a release',
  run: async ({ ctx, params }) =>
    removeAsset(ctx, await getAsset(ctx, await getRelease(ctx, params.id), params.attachment_id)),
})

export const webReleaseDownload = operation({
  base: 'site',
  family: 'downloads',
  method: 'GET',
  path: '/{username}/{reponame}/releases/download/{tag+}/{name}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('releases'), attachmentsEnabled],
  reply: storedReplies,
  summary: 'Download a file of a release by its tag',
  run: async ({ ctx, params, call }) => serveDownload(ctx, await getAssetNamed(ctx, params.tag, params.name), call),
})

export const webLatestReleaseDownload = operation({
  base: 'site',
  family: 'downloads',
  method: 'GET',
  path: '/{username}/{reponame}/releases/latest/download/{name}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('releases'), attachmentsEnabled],
  reply: storedReplies,
  summary: 'Download a file of the newest release',
  run: async ({ ctx, params, call }) => serveDownload(ctx, await getLatestAssetNamed(ctx, params.name), call),
})
