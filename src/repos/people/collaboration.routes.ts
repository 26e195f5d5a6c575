import { Type } from 'typebox'
import { anyAccess, inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { noContent, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathText } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { modeName } from '../../orgs/team.present.ts'
import { presentPublicUser, presentUser } from '../../users/user.present.ts'
import { User } from '../../users/user.schemas.ts'
import { AddCollaboratorOption, RepoCollaboratorPermission } from './collaboration.schemas.ts'
import {
  checkCollaborator,
  pageOfCollaborators,
  putCollaborator,
  removeCollaborator,
  rightsOfUser,
} from './collaboration.service.ts'

export const repoListCollaborators = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/collaborators',
  scope: 'repository',
  requires: [inRepo, signedIn, anyAccess],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { users, total } = await pageOfCollaborators(ctx, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false },
    )
  },
})

export const repoCheckCollaborator = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/collaborators/{collaborator}',
  params: { collaborator: pathText },
  scope: 'repository',
  requires: [inRepo, signedIn, anyAccess],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await checkCollaborator(ctx, params.collaborator)
    return noContent()
  },
})

export const repoAddCollaborator = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/collaborators/{collaborator}',
  params: { collaborator: pathText },
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, validBody],
  body: AddCollaboratorOption,
  reply: { 204: 'empty' },
  async run({ ctx, params, body }) {
    await putCollaborator(ctx, params.collaborator, body.permission)
    return noContent()
  },
})

export const repoDeleteCollaborator = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/collaborators/{collaborator}',
  params: { collaborator: pathText },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await removeCollaborator(ctx, params.collaborator)
    return noContent()
  },
})

export const repoGetRepoPermissions = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/collaborators/{collaborator}/permission',
  params: { collaborator: pathText },
  scope: 'repository',
  requires: [inRepo, signedIn],
  reply: { 200: RepoCollaboratorPermission },
  async run({ ctx, params }) {
    const { user, rights } = await rightsOfUser(ctx, params.collaborator)
    const name = modeName(rights.rank)
    // The account as the owner of the repository sees it (observed): of others that is what everybody sees.
    const shown = user.id === ctx.owner.id ? presentUser(ctx, user) : presentPublicUser(ctx, user)
    return ok({ permission: name, role_name: name, user: shown })
  },
})
