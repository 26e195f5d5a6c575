import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { anyAccess, inRepo } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole, type Page } from '../../lib/paging.ts'
import type { PeoplePage } from '../../users/people-count.store.ts'
import { presentUser } from '../../users/user.present.ts'
import { User } from '../../users/user.schemas.ts'
import { assigneesOf, reviewersOf } from './candidate.service.ts'

const pagedPeople = (ctx: Ctx, page: Page, { users, total, bound }: PeoplePage) =>
  paged(
    users.map((user) => presentUser(ctx, user)),
    page,
    total,
    { bound },
  )

export const repoGetAssignees = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/assignees',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, anyAccess],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the accounts that can be assigned',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    return pagedPeople(ctx, page, await assigneesOf(ctx, page))
  },
})

export const repoGetReviewers = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/reviewers',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, anyAccess],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the accounts that can review',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    return pagedPeople(ctx, page, await reviewersOf(ctx, page))
  },
})
