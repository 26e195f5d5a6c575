import { Type } from 'typebox'
import { siteAdmin, signedIn, anyone } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok, paged } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import { pageOf, pageOrWhole } from '../lib/paging.ts'
import { renameAccount } from '../users/account-name.service.ts'
import { namedUser, targetUser } from '../users/subject.requirements.ts'
import { presentOrg } from './org.present.ts'
import { anyTokenScope, inOrg, orgOwner } from './org.requirements.ts'
import {
  CreateOrgOption,
  EditOrgOption,
  Organization,
  OrganizationPermissions,
  RenameOrgOption,
} from './org.schemas.ts'
import {
  createOrg,
  deleteOrg,
  editOrg,
  listAllOrgs,
  listOrgsOf,
  listVisibleOrgs,
  type OrgProfile,
} from './org.service.ts'
import { orgPermissionsOf } from './permission.service.ts'

/** Full name, description, website and location are always written (contract). */
const profileOf = (body: EditOrgOption): OrgProfile => ({
  fullName: body.full_name ?? '',
  description: body.description ?? '',
  website: body.website ?? '',
  location: body.location ?? '',
  email: body.email,
  visibility: body.visibility || undefined,
  repoAdminChangeTeamAccess: body.repo_admin_change_team_access,
})

export const orgCreate = operation({
  method: 'POST',
  path: '/orgs',
  cost: 'usual',
  scope: 'organization',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: CreateOrgOption,
  reply: { 201: Organization },
  summary: 'Create an organization',
  async run({ ctx, body }) {
    const { user } = ctx.viewer
    const org = await createOrg(ctx, user, user, { name: body.username, ...profileOf(body) })
    return created(presentOrg(ctx, org))
  },
})

export const adminCreateOrg = operation({
  method: 'POST',
  path: '/admin/users/{username}/orgs',
  cost: 'usual',
  scope: 'admin',
  outlivesCredential: true,
  requires: [signedIn, siteAdmin, targetUser, validBody],
  body: CreateOrgOption,
  reply: { 201: Organization },
  summary: 'Create an organization for an account',
  async run({ ctx, body }) {
    const profile = { ...profileOf(body), repoAdminChangeTeamAccess: undefined }
    const org = await createOrg(ctx, ctx.viewer.user, ctx.subject, { name: body.username, ...profile })
    return created(presentOrg(ctx, org))
  },
})

export const orgGetAll = operation({
  method: 'GET',
  path: '/orgs',
  cost: 'usual',
  scope: 'organization',
  requires: [anyone],
  query: pageQuery,
  reply: { 200: Type.Array(Organization) },
  summary: 'List the organizations',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { orgs, total } = await listVisibleOrgs(ctx, page)
    return paged(
      orgs.map((org) => presentOrg(ctx, org)),
      page,
      total,
    )
  },
})

export const adminGetAllOrgs = operation({
  method: 'GET',
  path: '/admin/orgs',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: pageQuery,
  reply: { 200: Type.Array(Organization) },
  summary: 'List all organizations',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { orgs, total } = await listAllOrgs(ctx, page)
    return paged(
      orgs.map((org) => presentOrg(ctx, org)),
      page,
      total,
    )
  },
})

export const orgGet = operation({
  method: 'GET',
  path: '/orgs/{org}',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg],
  reply: { 200: Organization },
  summary: 'Get an organization',
  async run({ ctx }) {
    return ok(presentOrg(ctx, ctx.org))
  },
})

export const orgEdit = operation({
  method: 'PATCH',
  path: '/orgs/{org}',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: EditOrgOption,
  reply: { 200: Organization },
  summary: 'Edit an organization',
  run: async ({ ctx, body }) => ok(presentOrg(ctx, await editOrg(ctx, ctx.org, profileOf(body)))),
})

export const orgDelete = operation({
  method: 'DELETE',
  path: '/orgs/{org}',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Delete an organization',
  run: ({ ctx }) => deleteOrg(ctx, ctx.org, ctx.viewer.id),
})

export const renameOrg = operation({
  method: 'POST',
  path: '/orgs/{org}/rename',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: RenameOrgOption,
  reply: { 204: 'empty' },
  summary: 'Rename an organization',
  run: ({ ctx, body }) => renameAccount(ctx, ctx.org, body.new_name, ctx.viewer.id),
})

export const orgListCurrentUserOrgs = operation({
  method: 'GET',
  path: '/user/orgs',
  cost: 'usual',
  scope: null,
  requires: [signedIn, anyTokenScope('user', 'organization')],
  query: pageQuery,
  reply: { 200: Type.Array(Organization) },
  summary: 'List the organizations of the caller',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { orgs, total } = await listOrgsOf(ctx, ctx.viewer.user, page)
    return paged(
      orgs.map((org) => presentOrg(ctx, org)),
      page,
      total,
    )
  },
})

export const orgListUserOrgs = operation({
  method: 'GET',
  path: '/users/{username}/orgs',
  cost: 'usual',
  scope: 'user',
  requires: [namedUser, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(Organization) },
  summary: 'List the organizations of an account',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { orgs, total } = await listOrgsOf(ctx, ctx.subject, page)
    return paged(
      orgs.map((org) => presentOrg(ctx, org)),
      page,
      total,
    )
  },
})

export const adminListUserOrgs = operation({
  method: 'GET',
  path: '/admin/users/{username}/orgs',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin, targetUser],
  query: pageQuery,
  reply: { 200: Type.Array(Organization) },
  summary: 'List the organizations of an account, as an administrator',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { orgs, total } = await listOrgsOf(ctx, ctx.subject, page)
    return paged(
      orgs.map((org) => presentOrg(ctx, org)),
      page,
      total,
    )
  },
})

export const orgGetUserPermissions = operation({
  method: 'GET',
  path: '/users/{username}/orgs/{org}/permissions',
  cost: 'usual',
  scope: 'user',
  requires: [namedUser, signedIn, inOrg],
  reply: { 200: OrganizationPermissions },
  summary: 'Get the permissions of an account in an organization',
  run: async ({ ctx }) => ok(await orgPermissionsOf(ctx, ctx.subject)),
})
