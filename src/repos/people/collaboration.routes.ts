import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { resolveAccount } from '../../access/named-account.ts'
import { anyAccess, inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { operation, validBody, type Requirement } from '../../http/operation.ts'
import { ok, paged } from '../../http/reply.ts'
import { pageQuery, pathText } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { modeName } from '../../orgs/team.present.ts'
import { presentPublicUser, presentUser } from '../../users/user.present.ts'
import { User } from '../../users/user.schemas.ts'
import { AddCollaboratorOption, RepoCollaboratorPermission } from './collaboration.schemas.ts'
import {
  checkCollaborator,
  noUserToAskAbout,
  noUserToShare,
  pageOfCollaborators,
  putCollaborator,
  removeCollaborator,
  rightsOfUser,
} from './collaboration.service.ts'

const collaboratorParams = { collaborator: pathText }

/**
 * Resolves the account that `{collaborator}` names. A former name redirects.
 */
const namedCollaborator: Requirement<Ctx, { readonly named: UserRow }, typeof collaboratorParams> = {
  codes: ['resolve:user'],
  refuses: [422],
  params: collaboratorParams,
  async check(ctx, call) {
    const parameter = { parameter: 'collaborator', name: call.params.collaborator, missing: noUserToShare }
    return { named: await resolveAccount(ctx, call, parameter) }
  },
}

export const repoListCollaborators = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/collaborators',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, anyAccess],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the collaborators',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { users, total, bound } = await pageOfCollaborators(ctx, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})

export const repoCheckCollaborator = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/collaborators/{collaborator}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, anyAccess, namedCollaborator],
  reply: { 204: 'empty' },
  summary: 'Check whether an account is a collaborator',
  run: ({ ctx }) => checkCollaborator(ctx, ctx.named),
})

export const repoAddCollaborator = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/collaborators/{collaborator}',
  cost: 'usual',
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, validBody, namedCollaborator],
  body: AddCollaboratorOption,
  reply: { 204: 'empty' },
  summary: 'Add a collaborator or change the permission of one',
  run: ({ ctx, body }) => putCollaborator(ctx, ctx.named, body.permission),
})

export const repoDeleteCollaborator = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/collaborators/{collaborator}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, namedCollaborator],
  reply: { 204: 'empty' },
  summary: 'Remove a collaborator',
  run: ({ ctx }) => removeCollaborator(ctx, ctx.named),
})

export const repoGetRepoPermissions = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/collaborators/{collaborator}/permission',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn],
  reply: { 200: RepoCollaboratorPermission },
  summary: 'Get the permission of an account in a repository',
  async run({ ctx, params, call }) {
    const missing = () => noUserToAskAbout(ctx)
    const user = await resolveAccount(ctx, call, { parameter: 'collaborator', name: params.collaborator, missing })
    const name = modeName((await rightsOfUser(ctx, user)).rank)
    // The reply shows the account as the owner of the repository sees it (observed).
    const shown = user.id === ctx.owner.id ? presentUser(ctx, user) : presentPublicUser(ctx, user)
    return ok({ permission: name, role_name: name, user: shown })
  },
})
