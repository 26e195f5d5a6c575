import { Type } from 'typebox'
import { contentOf } from '../../access/contributions/stored-content.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { object, pathNumber, requestObject } from '../../http/schema.ts'
import { BadRequest } from '../../lib/errors.ts'
import type { ArtifactId } from '../../lib/ids.ts'
import type { RunningTask } from '../runners/job-token.store.ts'
import { artifactsOfRun } from './artifact-address.service.ts'
import { byJob } from '../runners/job.requirements.ts'
import { storePart } from '../uploads/part-upload.service.ts'
import {
  artifactHash,
  artifactUpload,
  beginArtifact,
  deleteUnfinished,
  finishArtifact,
  noArtifact,
} from './artifact.service.ts'

const base = '/api/actions_pipeline/_apis/pipelines/workflows/{run}/artifacts'
const ofJob = { base: 'site', family: 'runner', scope: null, accepts: ['job'] } as const
const inRun = { ...ofJob, params: { run: pathNumber } } as const

const Done = object('ActionsArtifactDone', { message: Type.String() })
const Container = object('ActionsArtifactContainer', { fileContainerResourceUrl: Type.String() })
const Containers = object('ActionsArtifactContainers', {
  count: Type.Integer(),
  value: Type.Array(
    object('ActionsArtifactOfContainer', { name: Type.String(), fileContainerResourceUrl: Type.String() }),
  ),
})
const Files = object('ActionsArtifactFiles', {
  value: Type.Array(
    object('ActionsArtifactFile', { path: Type.String(), itemType: Type.String(), contentLocation: Type.String() }),
  ),
})
const Begin = requestObject('ActionsArtifactBegin', {
  Type: Type.Optional(Type.String()),
  Name: Type.Optional(Type.String()),
  RetentionDays: Type.Optional(Type.Integer()),
})

function checkRun(task: RunningTask, run: number): void {
  if (run !== task.runId) {
    throw new BadRequest('a job can use only the artifacts of its own run', 'artifact_run_foreign')
  }
}

const addressOf = (
  { config }: { readonly config: { readonly server: { readonly rootUrl: string } } },
  run: number,
): string => `${config.server.rootUrl}api/actions_pipeline/_apis/pipelines/workflows/${run}/artifacts`

/** Parses a range such as `bytes 0-8/19`. */
function rangeOf(header: string | string[] | undefined): {
  readonly start: number
  readonly end: number
  readonly total: number
} {
  const [, start, end, total] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(typeof header === 'string' ? header : '') ?? []
  if (total === undefined || Number(end) < Number(start)) {
    throw new BadRequest('the Content-Range header is missing or malformed', 'artifact_range_invalid')
  }
  return { start: Number(start), end: Number(end), total: Number(total) }
}

export const beginArtifactV3 = operation({
  ...inRun,
  method: 'POST',
  path: base,
  cost: 'usual',
  requires: [byJob, validBody],
  body: Begin,
  reply: { 200: Container },
  async run({ ctx, params, body }) {
    checkRun(ctx.task, params.run)
    const name = body.Name ?? ''
    const days = body.RetentionDays ?? 0
    return ok({
      fileContainerResourceUrl: `${addressOf(ctx, params.run)}/${artifactHash(name)}/upload?retentionDays=${days}`,
    })
  },
})

/** Stores a part of a file. The first part replaces an unfinished upload of the file. */
export const uploadArtifactV3 = operation({
  ...ofJob,
  method: 'PUT',
  path: `${base}/{hash}/upload`,
  cost: 'usual',
  params: { run: pathNumber },
  requires: [byJob],
  query: { itemPath: Type.Optional(Type.String()), retentionDays: Type.Optional(Type.Integer()) },
  obeys: ['content-range'],
  body: bytesOf('*/*'),
  reply: { 200: Done },
  async run({ ctx, params, query, call }) {
    checkRun(ctx.task, params.run)
    const whole = (query.itemPath ?? '').replaceAll('\\', '/')
    const slash = whole.indexOf('/')
    const name = slash < 0 ? whole : whole.slice(0, slash)
    if (artifactHash(name) !== params.hash) {
      throw new BadRequest('[itemPath]: the path belongs to another artifact', 'artifact_path_invalid')
    }
    const { start, end } = rangeOf(call.headers['content-range'])
    const { 'x-actions-results-md5': md5, 'x-tfs-filelength': length, 'content-encoding': encoding } = call.headers
    const unfinished = { isComplete: false, version: 3, name, path: whole } as const
    if (start === 0) await deleteUnfinished(ctx, await artifactsOfRun(ctx, ctx.task.runId, unfinished))
    const artifact =
      start === 0
        ? await beginArtifact(ctx, ctx.task, {
            name,
            path: whole,
            version: 3,
            retentionDays: query.retentionDays,
            isGzip: encoding === 'gzip',
            sizeBytes: typeof length === 'string' && /^\d{1,15}$/.test(length) ? Number(length) : 0,
          })
        : (await artifactsOfRun(ctx, ctx.task.runId, unfinished)).at(-1)
    if (!artifact) throw noArtifact()
    await storePart(ctx, artifactUpload(ctx, artifact), { position: start }, call.body(), {
      md5: typeof md5 === 'string' ? md5 : undefined,
      sizeBytes: end - start + 1,
      isExact: true,
      signal: call.signal,
    })
    return ok({ message: 'success' })
  },
})

export const finishArtifactV3 = operation({
  ...inRun,
  method: 'PATCH',
  path: base,
  cost: 'usual',
  requires: [byJob],
  query: { artifactName: Type.Optional(Type.String()) },
  reply: { 200: Done },
  async run({ ctx, params, query }) {
    checkRun(ctx.task, params.run)
    const name = query.artifactName ?? ''
    if (name === '') throw new BadRequest('[artifactName]: is required', 'artifact_name_invalid')
    const files = await artifactsOfRun(ctx, ctx.task.runId, { isComplete: false, version: 3, name })
    if (files.length === 0) throw noArtifact()
    for (const file of files) await finishArtifact(ctx, file)
    return ok({ message: 'success' })
  },
})

export const listArtifactsV3 = operation({
  ...inRun,
  method: 'GET',
  path: base,
  cost: 'usual',
  requires: [byJob],
  reply: { 200: Containers },
  async run({ ctx, params }) {
    checkRun(ctx.task, params.run)
    const files = await artifactsOfRun(ctx, ctx.task.runId, { isComplete: true, version: 3 })
    if (files.length === 0) throw noArtifact()
    const names = [...new Set(files.map((file) => file.name))]
    const value = names.map((name) => ({
      name,
      fileContainerResourceUrl: `${addressOf(ctx, params.run)}/${artifactHash(name)}/download_url`,
    }))
    return ok({ count: value.length, value })
  },
})

export const listArtifactFilesV3 = operation({
  ...ofJob,
  method: 'GET',
  path: `${base}/{hash}/download_url`,
  cost: 'usual',
  params: { run: pathNumber },
  requires: [byJob],
  query: { itemPath: Type.Optional(Type.String()) },
  reply: { 200: Files },
  async run({ ctx, params, query }) {
    checkRun(ctx.task, params.run)
    const name = query.itemPath ?? ''
    if (artifactHash(name) !== params.hash) {
      throw new BadRequest('[itemPath]: the artifact has another name', 'artifact_name_invalid')
    }
    const files = await artifactsOfRun(ctx, ctx.task.runId, { isComplete: true, version: 3, name })
    if (files.length === 0) throw noArtifact()
    const value = files.map((file) => ({
      path: file.path,
      itemType: 'file',
      contentLocation: `${addressOf(ctx, params.run)}/${file.id}/download`,
    }))
    return ok({ value })
  },
})

export const downloadArtifactV3 = operation({
  ...ofJob,
  method: 'GET',
  path: `${base}/{id}/download`,
  cost: 'usual',
  params: { run: pathNumber, id: pathNumber },
  requires: [byJob],
  reply: fileReplies,
  async run({ ctx, params, call }) {
    checkRun(ctx.task, params.run)
    const wanted = { isComplete: true, version: 3, id: params.id as ArtifactId }
    const [file] = await artifactsOfRun(ctx, ctx.task.runId, wanted)
    if (!file) throw noArtifact()
    return serveFile(call, {
      name: file.name,
      disposition: 'attachment',
      contentType: 'application/octet-stream',
      content: contentOf(ctx.blobs.actionsArtifacts, { key: file.blob_key, sizeBytes: file.stored_bytes }),
      // Stored as received: clients decompress it.
      ...(file.is_gzip ? { headers: { 'content-encoding': 'gzip' } } : {}),
    })
  },
})
