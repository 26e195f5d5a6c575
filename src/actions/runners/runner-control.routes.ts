import { Type } from 'typebox'
import type { RepoCtx, SignedInCtx } from '../../access/context.ts'
import { anyHolder, type Holder } from '../../access/holder.ts'
import { inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation, validBody, type AnyRequirement } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
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
import { showRegistrationToken } from './runner.service.ts'

const runnersOfRepo = ({ repo, owner }: RepoCtx): RunnerOwner => ({
  scope: scopeOfRepo(repo.id),
  name: `${owner.name}/${repo.name}`,
})
const runnersOfOrg = ({ org }: OrgCtx): RunnerOwner => ({ scope: scopeOfAccount(org.id), name: org.name })
const runnersOfUser = ({ viewer }: SignedInCtx): RunnerOwner => ({
  scope: scopeOfAccount(viewer.id),
  name: viewer.user.name,
})
const runnersOfInstance: RunnerOwner = { scope: instanceScope, name: 'the instance' }

interface RunnerHolder<Rs extends readonly AnyRequirement[]> extends Holder<Rs, RunnerOwner> {
  /** Whose runners they are, for the API description. */
  readonly whose: string
}

/**
 * Declares the operations of the runners of a repository, an organization, an account or the instance, and of the token
 * that registers them. The contract knows only the request for the token.
 */
function runnerOperations<const Rs extends readonly AnyRequirement[]>({ whose, ...holder }: RunnerHolder<Rs>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const token = { path: `${path}/registration-token`, scope, requires } as const

  const showToken = operation({
    cost: 'usual',
    ...token,
    method: 'GET',
    writes: true,
    outlivesCredential: true,
    reply: { 200: RegistrationToken },
    summary: `Returns the registration token of ${whose}, and creates it when it does not exist`,
    async run({ ctx }) {
      const owner = ownerOf(ctx)
      return ok({ token: await showRegistrationToken(ctx, owner.scope, owner.name) })
    },
  })
  const list = operation({
    base: 'vendor',
    method: 'GET',
    path,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(RegisteredRunner) },
    summary: `The registered runners of ${whose}, the newest first`,
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const { runners, total } = await pageOfRunners(ctx, ownerOf(ctx), page)
      return paged(presentRunners(runners, ctx.clock.nowMs()), page, total)
    },
  })
  const remove = operation({
    base: 'vendor',
    method: 'DELETE',
    path: `${path}/{id}`,
    cost: 'usual',
    params: { id: pathNumber },
    scope,
    requires,
    reply: { 204: 'empty' },
    summary: `Unregisters a runner of ${whose} and cancels the jobs that it runs`,
    run: ({ ctx, params }) => removeRunner(ctx, ownerOf(ctx), params.id),
  })
  const getToken = operation({
    cost: 'usual',
    ...token,
    base: 'vendor',
    method: 'GET',
    reply: { 200: RunnerRegistration },
    summary: `Whether runners of ${whose} may register, without the token`,
    run: async ({ ctx }) => ok(presentRegistration(await getRegistration(ctx, ownerOf(ctx)))),
  })
  const rotateToken = operation({
    cost: 'usual',
    ...token,
    base: 'vendor',
    method: 'POST',
    outlivesCredential: true,
    reply: { 201: RegistrationToken },
    summary: `Replaces the token that registers runners of ${whose}`,
    run: async ({ ctx }) => created({ token: await rotateRegistrationToken(ctx, ownerOf(ctx)) }),
  })
  const editToken = operation({
    cost: 'usual',
    ...token,
    base: 'vendor',
    method: 'PATCH',
    outlivesCredential: true,
    requires: [...requires, validBody],
    body: EditRunnerRegistrationOption,
    reply: { 200: RunnerRegistration },
    summary: `Disables or enables the registration of runners of ${whose}`,
    async run({ ctx, body }) {
      const owner = ownerOf(ctx)
      await setRegistrationEnabled(ctx, owner, body.is_active)
      return ok(presentRegistration(await getRegistration(ctx, owner)))
    },
  })
  const removeToken = operation({
    cost: 'usual',
    ...token,
    base: 'vendor',
    method: 'DELETE',
    reply: { 204: 'empty' },
    summary: `Ends the token that registers runners of ${whose}`,
    run: ({ ctx }) => endRegistrationToken(ctx, ownerOf(ctx)),
  })
  return { showToken, list, remove, getToken, rotateToken, editToken, removeToken }
}

export const {
  showToken: repoGetRunnerRegistrationToken,
  list: repoListRunners,
  remove: repoDeleteRunner,
  getToken: repoGetRunnerRegistration,
  rotateToken: repoRotateRunnerRegistration,
  editToken: repoEditRunnerRegistration,
  removeToken: repoDeleteRunnerRegistration,
} = runnerOperations({
  path: '/repos/{username}/{reponame}/actions/runners',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  ownerOf: runnersOfRepo,
  whose: 'a repository',
})

export const {
  showToken: orgGetRunnerRegistrationToken,
  list: orgListRunners,
  remove: orgDeleteRunner,
  getToken: orgGetRunnerRegistration,
  rotateToken: orgRotateRunnerRegistration,
  editToken: orgEditRunnerRegistration,
  removeToken: orgDeleteRunnerRegistration,
} = runnerOperations({
  path: '/orgs/{org}/actions/runners',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  ownerOf: runnersOfOrg,
  whose: 'an organization',
})

export const {
  showToken: userGetRunnerRegistrationToken,
  list: userListRunners,
  remove: userDeleteRunner,
  getToken: userGetRunnerRegistration,
  rotateToken: userRotateRunnerRegistration,
  editToken: userEditRunnerRegistration,
  removeToken: userDeleteRunnerRegistration,
} = runnerOperations({
  path: '/user/actions/runners',
  scope: 'user',
  requires: [signedIn],
  ownerOf: runnersOfUser,
  whose: 'the account',
})

export const {
  showToken: adminGetRunnerRegistrationToken,
  list: adminListRunners,
  remove: adminDeleteRunner,
  getToken: adminGetRunnerRegistration,
  rotateToken: adminRotateRunnerRegistration,
  editToken: adminEditRunnerRegistration,
  removeToken: adminDeleteRunnerRegistration,
} = runnerOperations({
  path: '/admin/runners',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  ownerOf: () => runnersOfInstance,
  whose: 'the instance',
})
