import { Type } from 'typebox'
import { anyAccess, inRepo } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { presentUser } from '../../users/user.present.ts'
import { User } from '../../users/user.schemas.ts'
import { assigneesOf, reviewersOf } from './candidate.service.ts'

export const repoGetAssignees = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/assignees',
  scope: 'repository',
  requires: [inRepo, signedIn, anyAccess],
  reply: { 200: Type.Array(User) },
  run: async ({ ctx }) => ok((await assigneesOf(ctx)).map((user) => presentUser(ctx, user))),
})

export const repoGetReviewers = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/reviewers',
  scope: 'repository',
  requires: [inRepo, signedIn, anyAccess],
  reply: { 200: Type.Array(User) },
  run: async ({ ctx }) => ok((await reviewersOf(ctx)).map((user) => presentUser(ctx, user))),
})
