import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { bytesOf, jsonAs, operation, type Call } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { BadRequest, Conflict, Invalid } from '../../lib/errors.ts'
import { presentBatch } from './batch.present.ts'
import { LfsBatchReply, LfsBatchRequest, LfsDone, LfsPointer } from './batch.schemas.ts'
import { planDownloads, planUploads } from './batch.service.ts'
import { acceptDirectUpload, addressed } from './direct.service.ts'
import { dispositionOf, offeredName } from './file-name.rules.ts'
import { lfsCredentials } from '../lfs-credentials.ts'
import { lfsErrors, lfsType } from '../lfs-errors.ts'
import { lfsBody, lfsOn, mayDoBatch, mayDownload, mayUpload, speaksLfs } from '../lfs.requirements.ts'
import { getObject, storeObject, verifyObject } from './object.service.ts'

/** Largest body of a batch, in bytes; about 20,000 objects. */
const maxBatchBytes = 2 * 1024 * 1024

/** Returns the actions to download or upload objects. */
export const lfsBatch = operation({
  method: 'POST',
  path: '/{username}/{reponame}/info/lfs/objects/batch',
  cost: 'usual',
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lfsErrors,
  requires: [lfsOn, speaksLfs, lfsBody, mayDoBatch],
  body: LfsBatchRequest,
  maxBodyBytes: maxBatchBytes,
  reply: { 200: jsonAs(lfsType, LfsBatchReply) },
  async run({ ctx, body, call }) {
    if (body.hash_algo !== undefined && body.hash_algo !== '' && body.hash_algo !== 'sha256') {
      throw new Conflict('the only supported hash is SHA-256', 'lfs_hash_unknown')
    }
    const pointers = (body.objects ?? []).map(({ oid, size }) => ({ oid, sizeBytes: size }))
    const { uploader } = ctx
    const planned = uploader
      ? await planUploads({ ...ctx, viewer: uploader }, pointers)
      : await planDownloads(ctx, pointers)
    const authorization = call.headers['authorization']
    return ok(presentBatch(ctx, authorization as string | undefined, await addressed(ctx, planned)))
  },
})

/** Stores the content of an object. Repeated uploads are accepted; the first complete one is kept. */
export const lfsUploadObject = operation({
  method: 'PUT',
  path: '/{username}/{reponame}/info/lfs/objects/{oid}/{size}',
  cost: 'usual',
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lfsErrors,
  requires: [lfsOn, mayUpload],
  body: bytesOf('*/*'),
  reply: { 200: jsonAs(lfsType, LfsDone) },
  async run({ ctx, params, call }) {
    // A malformed size is an invalid pointer (422), not a missing address (404).
    const sizeBytes = /^\d{1,16}$/.test(params.size) ? Number(params.size) : -1
    const { 'content-length': length } = call.headers
    if (length !== undefined && Number(length) !== sizeBytes) {
      throw new Invalid('the content length differs from the size of the object', 'size_mismatch')
    }
    await storeObject(ctx, { oid: params.oid, sizeBytes }, call.body(), call.signal)
    return ok({ Message: 'OK' })
  },
})

/** Confirms that an uploaded object exists, or accepts a direct upload. */
export const lfsVerify = operation({
  method: 'POST',
  path: '/{username}/{reponame}/info/lfs/verify',
  cost: 'usual',
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lfsErrors,
  requires: [lfsOn, speaksLfs, mayUpload, lfsBody],
  query: { upload: Type.Optional(Type.String()) },
  body: LfsPointer,
  reply: { 200: jsonAs(lfsType, LfsDone) },
  async run({ ctx, body, query, call }) {
    if (query.upload !== undefined) await acceptDirectUpload(ctx, body.oid, query.upload, call.signal)
    else await verifyObject(ctx, { oid: body.oid, sizeBytes: body.size })
    return ok({ Message: 'OK' })
  },
})

async function serveObject(ctx: RepoCtx, call: Call, oid: string, name: string | undefined) {
  return serveFile(call, {
    name: name ?? oid,
    content: await getObject(ctx, oid),
    contentType: 'application/octet-stream',
    etag: oid,
    headers: name === undefined ? {} : { 'content-disposition': dispositionOf(name) },
  })
}

export const lfsDownloadObject = operation({
  method: 'GET',
  path: '/{username}/{reponame}/info/lfs/objects/{oid}',
  cost: 'usual',
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lfsErrors,
  requires: [lfsOn, mayDownload],
  reply: fileReplies,
  run: ({ ctx, params, call }) => serveObject(ctx, call, params.oid, undefined),
})

/** Downloads an object under a file name, which the address contains as base64url. */
export const lfsDownloadNamedObject = operation({
  method: 'GET',
  path: '/{username}/{reponame}/info/lfs/objects/{oid}/{filename}',
  cost: 'usual',
  base: 'site',
  family: 'lfs',
  scope: null,
  ...lfsCredentials,
  errors: lfsErrors,
  requires: [lfsOn, mayDownload],
  reply: fileReplies,
  async run({ ctx, params, call }) {
    const name = offeredName(params.filename)
    if (name === undefined) throw new BadRequest('the name is not base64url', 'lfs_file_name_invalid')
    return serveObject(ctx, call, params.oid, name)
  },
})
