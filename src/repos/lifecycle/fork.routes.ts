import { Type } from 'typebox'
import { canRead, inRepo } from '../../access/repo.requirements.ts'
import { anyone, signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { accepted, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { forksOn } from './fork.requirements.ts'
import { CreateForkOption } from './fork.schemas.ts'
import { forkRepo } from './fork.service.ts'
import { listForksOf } from '../lists/repo-list.service.ts'
import { presentMadeRepo, presentRepos } from '../repo.present.ts'
import { Repository } from '../repo.schemas.ts'

export const listForks = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/forks',
  cost: 'usual',
  scope: 'repository',
  requires: [anyone, forksOn, inRepo],
  query: pageQuery,
  reply: { 200: Type.Array(Repository) },
  summary: 'List the forks of a repository',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { repos, total, bound } = await listForksOf(ctx, ctx.repo, page)
    return paged(await presentRepos(ctx, repos), page, total, { link: false, bound })
  },
})

export const createFork = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/forks',
  scope: 'repository',
  cost: 'expensive',
  refuses: [409],
  requires: [anyone, forksOn, inRepo, signedIn, canRead('code'), validBody],
  body: CreateForkOption,
  reply: { 202: Repository },
  summary: 'Fork a repository',
  async run({ ctx, body }) {
    const { repo, owner } = await forkRepo(ctx, body)
    // The reply shows nobody watching yet (observed).
    return accepted(await presentMadeRepo(ctx, { ...repo, num_watches: 0 }, owner))
  },
})
