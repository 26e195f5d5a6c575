import { anyone, attachmentsEnabled } from '../access/requirements.ts'
import { storedReplies } from '../access/serve-stored.ts'
import { operation } from '../http/operation.ts'
import { getDownload } from './download.service.ts'
import { serveDownload } from './serve-download.ts'

export const downloadAttachment = operation({
  base: 'site',
  family: 'downloads',
  method: 'GET',
  path: '/attachments/{uuid}',
  cost: 'usual',
  scope: null,
  requires: [anyone, attachmentsEnabled],
  reply: storedReplies,
  summary: 'Download an attached file',
  run: async ({ ctx, params, call }) => serveDownload(ctx, await getDownload(ctx, params.uuid), call),
})

export const downloadRepoAttachment = operation({
  base: 'site',
  family: 'downloads',
  method: 'GET',
  path: '/{username}/{reponame}/attachments/{uuid}',
  cost: 'usual',
  scope: null,
  requires: [anyone, attachmentsEnabled],
  reply: storedReplies,
  summary: 'Download an attached file by the address of its repository',
  run: async ({ ctx, params, call }) => serveDownload(ctx, await getDownload(ctx, params.uuid), call),
})
