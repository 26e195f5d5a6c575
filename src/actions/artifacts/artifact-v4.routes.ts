import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { contentOf } from '../../access/contributions/stored-content.ts'
import { anyone } from '../../access/requirements.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { bytes, ok } from '../../http/reply.ts'
import { BadRequest, Unauthenticated } from '../../lib/errors.ts'
import type { ArtifactId } from '../../lib/ids.ts'
import { formatUnix } from '../../lib/time.ts'
import type { RunningTask } from '../runners/job-token.store.ts'
import { byJob } from '../runners/job.requirements.ts'
import { orderParts, storePart } from '../uploads/part-upload.service.ts'
import { declaredBytes, readBlockList } from '../uploads/upload-request.ts'
import {
  artifactUpload,
  beginArtifact,
  deleteArtifacts,
  finishArtifact,
  getOpenArtifact,
  noArtifact,
} from './artifact.service.ts'
import { artifactNamed, artifactsOfRun, readAddress, signedAddress } from './artifact-address.service.ts'
import { ArtifactCall, ArtifactList, ArtifactMade, ArtifactSigned, ArtifactUpload } from './artifact.schemas.ts'

const service = '/twirp/github.actions.results.api.v1.ArtifactService'
const ofJob = {
  base: 'site',
  family: 'runner',
  scope: null,
  accepts: ['job'],
  method: 'POST',
  body: ArtifactCall,
} as const
const requires = [byJob, validBody] as const

/** Clients unpack an artifact of this type. */
const zipType = 'application/zip'

function checkRun(
  task: RunningTask,
  body: { readonly workflow_run_backend_id?: string; readonly workflowRunBackendId?: string },
) {
  const run = body.workflow_run_backend_id ?? body.workflowRunBackendId ?? ''
  if (run !== String(task.runId)) {
    throw new BadRequest('a job can use only the artifacts of its own run', 'artifact_run_foreign')
  }
}

export const createArtifactV4 = operation({
  ...ofJob,
  path: `${service}/CreateArtifact`,
  cost: 'usual',
  requires,
  reply: { 200: ArtifactUpload },
  async run({ ctx, body }) {
    checkRun(ctx.task, body)
    const expiresAt = body.expires_at ?? body.expiresAt
    const days = expiresAt === undefined ? undefined : (Date.parse(expiresAt) - ctx.clock.nowMs()) / 86_400_000
    const artifact = await beginArtifact(ctx, ctx.task, {
      name: body.name ?? '',
      version: 4,
      isZip: (body.mime_type ?? body.mimeType ?? zipType) === zipType,
      retentionDays: days === undefined || Number.isNaN(days) ? undefined : Math.ceil(days),
    })
    return ok({ ok: true, signedUploadUrl: signedAddress(ctx, ctx.task, artifact, 'UploadArtifact') })
  },
})

export const finalizeArtifactV4 = operation({
  ...ofJob,
  path: `${service}/FinalizeArtifact`,
  cost: 'usual',
  requires,
  reply: { 200: ArtifactMade },
  async run({ ctx, body }) {
    checkRun(ctx.task, body)
    const artifact = (
      await artifactsOfRun(ctx, ctx.task.runId, { isComplete: false, version: 4, name: body.name ?? '' })
    ).at(-1)
    if (!artifact) throw noArtifact()
    const hash = typeof body.hash === 'string' ? /^sha256:([0-9a-f]{64})$/.exec(body.hash)?.[1] : undefined
    const size = body.size === undefined ? undefined : Number(body.size)
    await finishArtifact(ctx, artifact, {
      ...(size === undefined ? {} : { sizeBytes: size }),
      ...(hash === undefined ? {} : { sha256: hash }),
    })
    return ok({ ok: true, artifactId: String(artifact.id) })
  },
})

export const listArtifactsV4 = operation({
  ...ofJob,
  path: `${service}/ListArtifacts`,
  cost: 'usual',
  requires,
  reply: { 200: ArtifactList },
  async run({ ctx, body }) {
    checkRun(ctx.task, body)
    const id = body.id_filter ?? body.idFilter
    const rows = await artifactsOfRun(ctx, ctx.task.runId, {
      isComplete: true,
      version: 4,
      name: body.name_filter ?? body.nameFilter,
      id: id === undefined ? undefined : (Number(id) as ArtifactId),
    })
    if (rows.length === 0) throw noArtifact()
    return ok({
      artifacts: rows.map((row) => ({
        workflowRunBackendId: String(row.run_id),
        workflowJobRunBackendId: String(ctx.task.jobId),
        databaseId: String(row.id),
        name: row.name,
        size: String(row.size_bytes),
        createdAt: formatUnix(row.created_unix),
      })),
    })
  },
})

export const signArtifactV4 = operation({
  ...ofJob,
  path: `${service}/GetSignedArtifactURL`,
  cost: 'usual',
  requires,
  reply: { 200: ArtifactSigned },
  async run({ ctx, body }) {
    checkRun(ctx.task, body)
    const artifact = await artifactNamed(ctx, ctx.task.runId, body.name ?? '')
    return ok({ signedUrl: signedAddress(ctx, ctx.task, artifact, 'DownloadArtifact') })
  },
})

export const deleteArtifactV4 = operation({
  ...ofJob,
  path: `${service}/DeleteArtifact`,
  cost: 'usual',
  requires,
  reply: { 200: ArtifactMade },
  async run({ ctx, body }) {
    checkRun(ctx.task, body)
    const artifact = await artifactNamed(ctx, ctx.task.runId, body.name ?? '')
    await deleteArtifacts(ctx, [artifact])
    return ok({ ok: true, artifactId: String(artifact.id) })
  },
})

const signedQuery = {
  sig: Type.Optional(Type.String()),
  expires: Type.Optional(Type.String()),
  artifactName: Type.Optional(Type.String()),
  taskID: Type.Optional(Type.String()),
  artifactID: Type.Optional(Type.String()),
}
type SignedQuery = { readonly [Name in keyof typeof signedQuery]?: string }

async function verifyAddress(ctx: Ctx, query: SignedQuery, verb: 'UploadArtifact' | 'DownloadArtifact') {
  const id = await readAddress(ctx, query, verb)
  if (id === undefined) throw new Unauthenticated('the signature of the address is wrong or expired', 'signature_wrong')
  return id
}

/** Receives an artifact in consecutive parts, or in named blocks that are followed by the list of their names. */
export const uploadArtifactV4 = operation({
  base: 'site',
  family: 'runner',
  scope: null,
  accepts: [],
  method: 'PUT',
  path: `${service}/UploadArtifact`,
  cost: 'usual',
  requires: [anyone],
  query: { ...signedQuery, comp: Type.Optional(Type.String()), blockid: Type.Optional(Type.String()) },
  body: bytesOf('*/*'),
  reply: { 201: bytesOf('application/json') },
  async run({ ctx, query, call }) {
    const artifact = await getOpenArtifact(ctx, await verifyAddress(ctx, query, 'UploadArtifact'))
    const upload = artifactUpload(ctx, artifact)
    if (query.comp === 'blocklist') {
      await orderParts(ctx, upload, await readBlockList(call))
      return bytes('application/json', '"created"', { status: 201 })
    }
    await storePart(ctx, upload, { key: query.blockid }, call.body(), {
      sizeBytes: declaredBytes(call),
      signal: call.signal,
    })
    return bytes('application/json', '"appended"', { status: 201 })
  },
})

export const downloadArtifactV4 = operation({
  base: 'site',
  family: 'runner',
  scope: null,
  accepts: [],
  method: 'GET',
  path: `${service}/DownloadArtifact`,
  cost: 'usual',
  requires: [anyone],
  query: signedQuery,
  reply: fileReplies,
  async run({ ctx, query, call }) {
    const id = await verifyAddress(ctx, query, 'DownloadArtifact')
    const artifact = await artifactNamed(ctx, undefined, query.artifactName ?? '', id)
    const content = contentOf(ctx.blobs.actionsArtifacts, { key: artifact.blob_key, sizeBytes: artifact.stored_bytes })
    return serveFile(call, {
      name: artifact.is_zip ? `${artifact.name}.zip` : artifact.name,
      content,
      ...(artifact.is_zip ? { contentType: zipType } : {}),
    })
  },
})
