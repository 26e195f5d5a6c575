import { inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { instanceScope, scopeOfAccount, scopeOfRepo } from '../queue-scope.ts'
import { RegistrationToken } from './runner.schemas.ts'
import { showRegistrationToken } from './runner.service.ts'

export const repoGetRunnerRegistrationToken = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runners/registration-token',
  scope: 'repository',
  writes: true,
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoOwner],
  reply: { 200: RegistrationToken },
  run: async ({ ctx }) =>
    ok({ token: await showRegistrationToken(ctx, scopeOfRepo(ctx.repo.id), `${ctx.owner.name}/${ctx.repo.name}`) }),
})

export const orgGetRunnerRegistrationToken = operation({
  method: 'GET',
  path: '/orgs/{org}/actions/runners/registration-token',
  scope: 'organization',
  writes: true,
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner],
  reply: { 200: RegistrationToken },
  run: async ({ ctx }) => ok({ token: await showRegistrationToken(ctx, scopeOfAccount(ctx.org.id), ctx.org.name) }),
})

export const userGetRunnerRegistrationToken = operation({
  method: 'GET',
  path: '/user/actions/runners/registration-token',
  scope: 'user',
  writes: true,
  outlivesCredential: true,
  requires: [signedIn],
  reply: { 200: RegistrationToken },
  run: async ({ ctx }) =>
    ok({ token: await showRegistrationToken(ctx, scopeOfAccount(ctx.viewer.id), ctx.viewer.user.name) }),
})

export const adminGetRunnerRegistrationToken = operation({
  method: 'GET',
  path: '/admin/runners/registration-token',
  scope: 'admin',
  writes: true,
  outlivesCredential: true,
  requires: [signedIn, siteAdmin],
  reply: { 200: RegistrationToken },
  run: async ({ ctx }) => ok({ token: await showRegistrationToken(ctx, instanceScope, 'the instance') }),
})
