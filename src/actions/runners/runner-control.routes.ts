import { Type } from 'typebox'
import type { Ctx, RepoCtx, SignedInCtx } from '../../access/context.ts'
import { inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf, type PageQuery } from '../../lib/paging.ts'
import { inOrg, orgOwner, type OrgCtx } from '../../orgs/org.requirements.ts'
import { instanceScope, scopeOfAccount, scopeOfRepo } from '../queue-scope.ts'
import { presentRegistration, presentRunners } from './runner.present.ts'
import {
  EditRunnerRegistrationOption,
  RegisteredRunner,
  RegistrationToken,
  RunnerRegistration,
} from './runner.schemas.ts'
import {
  endRegistrationToken,
  getRegistration,
  pageOfRunners,
  removeRunner,
  rotateRegistrationToken,
  setRegistrationEnabled,
  type RunnerOwner,
} from './runner-control.service.ts'

/**
 * The runners of a repository, an organization, an account and the instance, and the token that registers them. The
 * contract knows only the request for the token, which `registration.routes.ts` answers.
 */

const runnersOfRepo = ({ repo, owner }: RepoCtx): RunnerOwner => ({
  scope: scopeOfRepo(repo.id),
  name: `${owner.name}/${repo.name}`,
})
const runnersOfOrg = ({ org }: OrgCtx): RunnerOwner => ({ scope: scopeOfAccount(org.id), name: org.name })
const runnersOfUser = ({ viewer }: SignedInCtx): RunnerOwner => ({
  scope: scopeOfAccount(viewer.id),
  name: viewer.user.name,
})
const runnersOfInstance = (_ctx: Ctx): RunnerOwner => ({ scope: instanceScope, name: 'the instance' })

async function answerRunners(ctx: Ctx, owner: RunnerOwner, query: PageQuery) {
  const page = pageOf(query, ctx.config.api)
  const { runners, total } = await pageOfRunners(ctx, owner, page)
  return paged(presentRunners(runners, ctx.clock.nowMs()), page, total)
}

const answerRegistration = async (ctx: Ctx, owner: RunnerOwner) =>
  ok(presentRegistration(await getRegistration(ctx, owner)))

const answerRotation = async (ctx: Ctx, owner: RunnerOwner) =>
  created({ token: await rotateRegistrationToken(ctx, owner) })

async function answerEdit(ctx: Ctx, owner: RunnerOwner, isActive: boolean) {
  await setRegistrationEnabled(ctx, owner, isActive)
  return answerRegistration(ctx, owner)
}

const ofRepo = { base: 'vendor', scope: 'repository' } as const

export const repoListRunners = operation({
  ...ofRepo,
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runners',
  requires: [inRepo, signedIn, repoOwner],
  query: pageQuery,
  reply: { 200: Type.Array(RegisteredRunner) },
  summary: 'The registered runners of a repository, the newest first',
  run: ({ ctx, query }) => answerRunners(ctx, runnersOfRepo(ctx), query),
})

export const repoDeleteRunner = operation({
  ...ofRepo,
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/actions/runners/{id}',
  params: { id: pathNumber },
  requires: [inRepo, signedIn, repoOwner],
  reply: { 204: 'empty' },
  summary: 'Unregisters a runner of a repository and cancels the jobs that it runs',
  run: ({ ctx, params }) => removeRunner(ctx, runnersOfRepo(ctx), params.id),
})

export const repoGetRunnerRegistration = operation({
  ...ofRepo,
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runners/registration-token',
  requires: [inRepo, signedIn, repoOwner],
  reply: { 200: RunnerRegistration },
  summary: 'Whether runners of a repository may register, without the token',
  run: ({ ctx }) => answerRegistration(ctx, runnersOfRepo(ctx)),
})

export const repoRotateRunnerRegistration = operation({
  ...ofRepo,
  method: 'POST',
  path: '/repos/{username}/{reponame}/actions/runners/registration-token',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoOwner],
  reply: { 201: RegistrationToken },
  summary: 'Replaces the token that registers runners of a repository',
  run: ({ ctx }) => answerRotation(ctx, runnersOfRepo(ctx)),
})

export const repoEditRunnerRegistration = operation({
  ...ofRepo,
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/actions/runners/registration-token',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoOwner, validBody],
  body: EditRunnerRegistrationOption,
  reply: { 200: RunnerRegistration },
  summary: 'Disables or enables the registration of runners of a repository',
  run: ({ ctx, body }) => answerEdit(ctx, runnersOfRepo(ctx), body.is_active),
})

export const repoDeleteRunnerRegistration = operation({
  ...ofRepo,
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/actions/runners/registration-token',
  requires: [inRepo, signedIn, repoOwner],
  reply: { 204: 'empty' },
  summary: 'Ends the token that registers runners of a repository',
  run: ({ ctx }) => endRegistrationToken(ctx, runnersOfRepo(ctx)),
})

const ofOrg = { base: 'vendor', scope: 'organization' } as const

export const orgListRunners = operation({
  ...ofOrg,
  method: 'GET',
  path: '/orgs/{org}/actions/runners',
  requires: [inOrg, signedIn, orgOwner],
  query: pageQuery,
  reply: { 200: Type.Array(RegisteredRunner) },
  summary: 'The registered runners of an organization, the newest first',
  run: ({ ctx, query }) => answerRunners(ctx, runnersOfOrg(ctx), query),
})

export const orgDeleteRunner = operation({
  ...ofOrg,
  method: 'DELETE',
  path: '/orgs/{org}/actions/runners/{id}',
  params: { id: pathNumber },
  requires: [inOrg, signedIn, orgOwner],
  reply: { 204: 'empty' },
  summary: 'Unregisters a runner of an organization and cancels the jobs that it runs',
  run: ({ ctx, params }) => removeRunner(ctx, runnersOfOrg(ctx), params.id),
})

export const orgGetRunnerRegistration = operation({
  ...ofOrg,
  method: 'GET',
  path: '/orgs/{org}/actions/runners/registration-token',
  requires: [inOrg, signedIn, orgOwner],
  reply: { 200: RunnerRegistration },
  summary: 'Whether runners of an organization may register, without the token',
  run: ({ ctx }) => answerRegistration(ctx, runnersOfOrg(ctx)),
})

export const orgRotateRunnerRegistration = operation({
  ...ofOrg,
  method: 'POST',
  path: '/orgs/{org}/actions/runners/registration-token',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner],
  reply: { 201: RegistrationToken },
  summary: 'Replaces the token that registers runners of an organization',
  run: ({ ctx }) => answerRotation(ctx, runnersOfOrg(ctx)),
})

export const orgEditRunnerRegistration = operation({
  ...ofOrg,
  method: 'PATCH',
  path: '/orgs/{org}/actions/runners/registration-token',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: EditRunnerRegistrationOption,
  reply: { 200: RunnerRegistration },
  summary: 'Disables or enables the registration of runners of an organization',
  run: ({ ctx, body }) => answerEdit(ctx, runnersOfOrg(ctx), body.is_active),
})

export const orgDeleteRunnerRegistration = operation({
  ...ofOrg,
  method: 'DELETE',
  path: '/orgs/{org}/actions/runners/registration-token',
  requires: [inOrg, signedIn, orgOwner],
  reply: { 204: 'empty' },
  summary: 'Ends the token that registers runners of an organization',
  run: ({ ctx }) => endRegistrationToken(ctx, runnersOfOrg(ctx)),
})

const ofUser = { base: 'vendor', scope: 'user' } as const

export const userListRunners = operation({
  ...ofUser,
  method: 'GET',
  path: '/user/actions/runners',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(RegisteredRunner) },
  summary: 'The registered runners of the account, the newest first',
  run: ({ ctx, query }) => answerRunners(ctx, runnersOfUser(ctx), query),
})

export const userDeleteRunner = operation({
  ...ofUser,
  method: 'DELETE',
  path: '/user/actions/runners/{id}',
  params: { id: pathNumber },
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: 'Unregisters a runner of the account and cancels the jobs that it runs',
  run: ({ ctx, params }) => removeRunner(ctx, runnersOfUser(ctx), params.id),
})

export const userGetRunnerRegistration = operation({
  ...ofUser,
  method: 'GET',
  path: '/user/actions/runners/registration-token',
  requires: [signedIn],
  reply: { 200: RunnerRegistration },
  summary: 'Whether runners of the account may register, without the token',
  run: ({ ctx }) => answerRegistration(ctx, runnersOfUser(ctx)),
})

export const userRotateRunnerRegistration = operation({
  ...ofUser,
  method: 'POST',
  path: '/user/actions/runners/registration-token',
  outlivesCredential: true,
  requires: [signedIn],
  reply: { 201: RegistrationToken },
  summary: 'Replaces the token that registers runners of the account',
  run: ({ ctx }) => answerRotation(ctx, runnersOfUser(ctx)),
})

export const userEditRunnerRegistration = operation({
  ...ofUser,
  method: 'PATCH',
  path: '/user/actions/runners/registration-token',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: EditRunnerRegistrationOption,
  reply: { 200: RunnerRegistration },
  summary: 'Disables or enables the registration of runners of the account',
  run: ({ ctx, body }) => answerEdit(ctx, runnersOfUser(ctx), body.is_active),
})

export const userDeleteRunnerRegistration = operation({
  ...ofUser,
  method: 'DELETE',
  path: '/user/actions/runners/registration-token',
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: 'Ends the token that registers runners of the account',
  run: ({ ctx }) => endRegistrationToken(ctx, runnersOfUser(ctx)),
})

const ofInstance = { base: 'vendor', scope: 'admin' } as const

export const adminListRunners = operation({
  ...ofInstance,
  method: 'GET',
  path: '/admin/runners',
  requires: [signedIn, siteAdmin],
  query: pageQuery,
  reply: { 200: Type.Array(RegisteredRunner) },
  summary: 'The registered runners of the instance, the newest first',
  run: ({ ctx, query }) => answerRunners(ctx, runnersOfInstance(ctx), query),
})

export const adminDeleteRunner = operation({
  ...ofInstance,
  method: 'DELETE',
  path: '/admin/runners/{id}',
  params: { id: pathNumber },
  requires: [signedIn, siteAdmin],
  reply: { 204: 'empty' },
  summary: 'Unregisters a runner of the instance and cancels the jobs that it runs',
  run: ({ ctx, params }) => removeRunner(ctx, runnersOfInstance(ctx), params.id),
})

export const adminGetRunnerRegistration = operation({
  ...ofInstance,
  method: 'GET',
  path: '/admin/runners/registration-token',
  requires: [signedIn, siteAdmin],
  reply: { 200: RunnerRegistration },
  summary: 'Whether runners of the instance may register, without the token',
  run: ({ ctx }) => answerRegistration(ctx, runnersOfInstance(ctx)),
})

export const adminRotateRunnerRegistration = operation({
  ...ofInstance,
  method: 'POST',
  path: '/admin/runners/registration-token',
  outlivesCredential: true,
  requires: [signedIn, siteAdmin],
  reply: { 201: RegistrationToken },
  summary: 'Replaces the token that registers runners of the instance',
  run: ({ ctx }) => answerRotation(ctx, runnersOfInstance(ctx)),
})

export const adminEditRunnerRegistration = operation({
  ...ofInstance,
  method: 'PATCH',
  path: '/admin/runners/registration-token',
  outlivesCredential: true,
  requires: [signedIn, siteAdmin, validBody],
  body: EditRunnerRegistrationOption,
  reply: { 200: RunnerRegistration },
  summary: 'Disables or enables the registration of runners of the instance',
  run: ({ ctx, body }) => answerEdit(ctx, runnersOfInstance(ctx), body.is_active),
})

export const adminDeleteRunnerRegistration = operation({
  ...ofInstance,
  method: 'DELETE',
  path: '/admin/runners/registration-token',
  requires: [signedIn, siteAdmin],
  reply: { 204: 'empty' },
  summary: 'Ends the token that registers runners of the instance',
  run: ({ ctx }) => endRegistrationToken(ctx, runnersOfInstance(ctx)),
})
