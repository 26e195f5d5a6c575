import { Type } from 'typebox'
import { contentOf } from '../../access/contributions/stored-content.ts'
import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { ArtifactId } from '../../lib/ids.ts'
import { getRun } from '../runs/run.service.ts'
import { presentArtifact } from './artifact.present.ts'
import { ActionArtifact, ActionArtifactsResponse } from './artifact.schemas.ts'
import { deleteArtifacts, noArtifact } from './artifact.service.ts'
import { getArtifactOfRepo, getArtifactPage } from './artifact-list.service.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const
const query = { ...pageQuery, name: Type.Optional(Type.String()) }

// Addresses of Gitea 1.27 beside the contract.

export const listRepoArtifacts = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/artifacts',
  cost: 'usual',
  scope: 'repository',
  requires: readable,
  query,
  reply: { 200: ActionArtifactsResponse },
  summary: 'List the artifacts of a repository',
  async run({ ctx, query: wanted }) {
    const { rows, total } = await getArtifactPage(ctx, wanted)
    return ok({ artifacts: rows.map((row) => presentArtifact(ctx, row)), total_count: total })
  },
})

export const listArtifactsOfRun = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runs/{run_id}/artifacts',
  cost: 'usual',
  params: { run_id: pathNumber },
  scope: 'repository',
  requires: readable,
  query,
  reply: { 200: ActionArtifactsResponse },
  summary: 'List the artifacts of a workflow run',
  async run({ ctx, params, query: wanted }) {
    const { id: runId } = await getRun(ctx, params.run_id)
    const { rows, total } = await getArtifactPage(ctx, { ...wanted, runId })
    return ok({ artifacts: rows.map((row) => presentArtifact(ctx, row)), total_count: total })
  },
})

export const getRepoArtifact = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/artifacts/{artifact_id}',
  cost: 'usual',
  params: { artifact_id: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 200: ActionArtifact },
  summary: 'Get an artifact of a workflow run',
  async run({ ctx, params }) {
    return ok(presentArtifact(ctx, await getArtifactOfRepo(ctx, params.artifact_id as ArtifactId)))
  },
})

export const deleteRepoArtifact = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/actions/artifacts/{artifact_id}',
  cost: 'usual',
  params: { artifact_id: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn, canWrite('actions'), notArchived],
  reply: { 204: 'empty' },
  summary: 'Delete an artifact of a workflow run',
  async run({ ctx, params }) {
    const artifact = await getArtifactOfRepo(ctx, params.artifact_id as ArtifactId)
    if (artifact.is_expired) throw noArtifact()
    await deleteArtifacts(ctx, [artifact])
  },
})

/** The archive as it is stored. A file of an old protocol has no archive of its own. */
export const downloadRepoArtifact = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/artifacts/{artifact_id}/zip',
  cost: 'usual',
  params: { artifact_id: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: fileReplies,
  summary: 'Download an artifact of a workflow run as a zip archive',
  async run({ ctx, params, call }) {
    const artifact = await getArtifactOfRepo(ctx, params.artifact_id as ArtifactId)
    if (artifact.is_expired || artifact.version !== 4) throw noArtifact()
    const content = contentOf(ctx.blobs.actionsArtifacts, { key: artifact.blob_key, sizeBytes: artifact.stored_bytes })
    return serveFile(call, { name: `${artifact.name}.zip`, content })
  },
})
