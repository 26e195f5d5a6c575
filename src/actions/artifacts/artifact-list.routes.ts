import { Type } from 'typebox'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { ArtifactId } from '../../lib/ids.ts'
import { pageOf } from '../../lib/paging.ts'
import { getRun } from '../runs/run.service.ts'
import { presentArtifact } from './artifact.present.ts'
import { ActionArtifact, ActionArtifactsResponse } from './artifact.schemas.ts'
import { noArtifact } from './artifact.service.ts'
import { findRepoArtifact, pageOfRepoArtifacts } from './artifact-list.store.ts'

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
  async run({ ctx, query: { name, ...page } }) {
    const { rows, total } = await pageOfRepoArtifacts(
      ctx.db,
      { repoId: ctx.repo.id, name },
      pageOf(page, ctx.config.api),
    )
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
  async run({ ctx, params, query: { name, ...page } }) {
    const { id: runId } = await getRun(ctx, params.run_id)
    const filter = { repoId: ctx.repo.id, runId, name }
    const { rows, total } = await pageOfRepoArtifacts(ctx.db, filter, pageOf(page, ctx.config.api))
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
    const found = await findRepoArtifact(ctx.db, ctx.repo.id, params.artifact_id as ArtifactId)
    if (!found) throw noArtifact()
    return ok(presentArtifact(ctx, found))
  },
})
