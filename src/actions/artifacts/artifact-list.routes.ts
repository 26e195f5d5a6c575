import { Type } from 'typebox'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { ArtifactId } from '../../lib/ids.ts'
import { getRun } from '../runs/run.service.ts'
import { presentArtifact } from './artifact.present.ts'
import { ActionArtifact, ActionArtifactsResponse } from './artifact.schemas.ts'
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
