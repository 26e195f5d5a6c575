import { anyone } from '../access/requirements.ts'
import { fileReplies, serveFile } from '../http/file-reply.ts'
import { bytesOf, operation } from '../http/operation.ts'
import { openBlobAddress, storeAtBlobAddress } from './blob-address.service.ts'

/** Returns the blob of a signed address, which is its own credential. */
export const blobGetSigned = operation({
  method: 'GET',
  path: '/assets/blobs/{grant}',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: fileReplies,
  run: async ({ ctx, params, call }) => serveFile(call, await openBlobAddress(ctx, params.grant)),
})

/** Stores the blob of a signed address. */
export const blobPutSigned = operation({
  method: 'PUT',
  path: '/assets/blobs/{grant}',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone],
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  async run({ ctx, params, call }) {
    await storeAtBlobAddress(ctx, params.grant, call)
  },
})
