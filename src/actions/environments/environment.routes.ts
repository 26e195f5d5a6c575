import { Type } from 'typebox'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentDeployments } from './environment.present.ts'
import { Deployment, Environments } from './environment.schemas.ts'
import { deploymentsOf, environmentsOf } from './environment.service.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const

// Addresses of GitHub, with the members that a job decides about.

export const listEnvironments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/environments',
  cost: 'usual',
  scope: 'repository',
  requires: readable,
  query: pageQuery,
  reply: { 200: Environments },
  summary: 'List the environments to which jobs of a repository deploy',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await environmentsOf(ctx, page)
    const newest = await presentDeployments(
      ctx,
      rows.map((row) => row.newest),
    )
    const environments = rows.map(({ count }, index) => {
      const latest = newest[index] as Deployment
      return { name: latest.environment, deployments_count: count, latest_deployment: latest }
    })
    return paged({ total_count: total, environments }, page, total, { shown: rows.length })
  },
})

export const listDeployments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/deployments',
  cost: 'usual',
  scope: 'repository',
  requires: readable,
  query: { ...pageQuery, environment: Type.Optional(Type.String()), sha: Type.Optional(Type.String()) },
  reply: { 200: Type.Array(Deployment) },
  summary: 'List the deployments of a repository, which are jobs with an environment',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await deploymentsOf(ctx, query, page)
    return paged(await presentDeployments(ctx, rows), page, total)
  },
})
