import { contentOf } from '../../access/contributions/stored-content.ts'
import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { browserCredentials, operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { getRunNumbered } from '../runs/run.service.ts'
import { artifactNamed, artifactsOfRun } from './artifact-address.service.ts'
import { deleteArtifacts } from './artifact.service.ts'
import { RunArtifacts } from './artifact.schemas.ts'

const page = {
  base: 'site',
  family: 'downloads',
  scope: 'repository',
  accepts: browserCredentials,
} as const
const readable = [inRepo, canRead('actions'), gitRepo] as const
const named = '/{username}/{reponame}/actions/runs/{number}/artifacts/{name}'

/** Lists the artifacts of a run, at the web address of the run. */
export const listRunArtifacts = operation({
  ...page,
  method: 'GET',
  path: '/{username}/{reponame}/actions/runs/{number}/artifacts',
  cost: 'usual',
  params: { number: pathNumber },
  requires: readable,
  reply: { 200: RunArtifacts },
  async run({ ctx, params }) {
    const run = await getRunNumbered(ctx, params.number)
    const rows = await artifactsOfRun(ctx, run.id, { isComplete: true })
    const byName = Map.groupBy(rows, ({ name }) => name)
    const artifacts = [...byName].map(([name, files]) => ({
      name,
      size: files.reduce((sum, file) => sum + file.size_bytes, 0),
      status: 'completed',
    }))
    return ok({ artifacts })
  },
})

export const downloadRunArtifact = operation({
  ...page,
  method: 'GET',
  path: named,
  cost: 'usual',
  params: { number: pathNumber },
  requires: readable,
  reply: fileReplies,
  async run({ ctx, params, call }) {
    const run = await getRunNumbered(ctx, params.number)
    const artifact = await artifactNamed(ctx, run.id, params.name)
    const content = contentOf(ctx.blobs.actionsArtifacts, { key: artifact.blob_key, sizeBytes: artifact.stored_bytes })
    return serveFile(call, { name: artifact.name, content })
  },
})

export const deleteRunArtifact = operation({
  ...page,
  method: 'DELETE',
  path: named,
  cost: 'usual',
  params: { number: pathNumber },
  requires: [...readable, signedIn, canWrite('actions'), notArchived],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    const run = await getRunNumbered(ctx, params.number)
    await deleteArtifacts(ctx, await artifactsOfRun(ctx, run.id, { isComplete: true, name: params.name }))
  },
})
