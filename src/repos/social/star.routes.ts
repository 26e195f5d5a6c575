import { Type } from 'typebox'
import { inRepo } from '../../access/repo.requirements.ts'
import { anyone, signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf, pageOrWhole } from '../../lib/paging.ts'
import { namedUser } from '../../users/subject.requirements.ts'
import { presentUser } from '../../users/user.present.ts'
import { User } from '../../users/user.schemas.ts'
import { listStarredRepos } from '../lists/repo-list.service.ts'
import { presentRepos, presentReposFor } from '../repo.present.ts'
import { Repository } from '../repo.schemas.ts'
import { starsOn } from './star.requirements.ts'
import { checkStar, star, stargazersOf, unstar } from './star.service.ts'

export const userCurrentListStarred = operation({
  method: 'GET',
  path: '/user/starred',
  cost: 'usual',
  scope: 'repository',
  requires: [anyone, starsOn, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(Repository) },
  summary: 'List the repositories that the caller starred',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { repos, total, bound } = await listStarredRepos(ctx, ctx.viewer.user, page)
    return paged(await presentRepos(ctx, repos), page, total, { link: false, bound })
  },
})

export const userListStarred = operation({
  method: 'GET',
  path: '/users/{username}/starred',
  cost: 'usual',
  scope: 'user',
  requires: [anyone, starsOn, signedIn, namedUser],
  query: pageQuery,
  reply: { 200: Type.Array(Repository) },
  summary: 'List the repositories that an account starred',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { repos, total, bound } = await listStarredRepos(ctx, ctx.subject, page)
    return paged(await presentReposFor(ctx, ctx.subject, repos), page, total, { link: false, bound })
  },
})

export const userCurrentCheckStarring = operation({
  method: 'GET',
  path: '/user/starred/{username}/{reponame}',
  cost: 'usual',
  scope: 'repository',
  requires: [anyone, starsOn, signedIn, inRepo],
  reply: { 204: 'empty' },
  summary: 'Check whether the caller starred a repository',
  run: ({ ctx }) => checkStar(ctx),
})

export const userCurrentPutStar = operation({
  method: 'PUT',
  path: '/user/starred/{username}/{reponame}',
  cost: 'usual',
  scope: 'repository',
  requires: [anyone, starsOn, signedIn, inRepo],
  reply: { 204: 'empty' },
  summary: 'Star a repository',
  run: ({ ctx }) => star(ctx),
})

export const userCurrentDeleteStar = operation({
  method: 'DELETE',
  path: '/user/starred/{username}/{reponame}',
  cost: 'usual',
  scope: 'repository',
  requires: [anyone, starsOn, signedIn, inRepo],
  reply: { 204: 'empty' },
  summary: 'Unstar a repository',
  run: ({ ctx }) => unstar(ctx),
})

export const repoListStargazers = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/stargazers',
  cost: 'usual',
  scope: 'repository',
  requires: [anyone, starsOn, inRepo],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the accounts that starred a repository',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { users, total, bound } = await stargazersOf(ctx, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})
