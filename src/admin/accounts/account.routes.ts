import { Type } from 'typebox'
import { siteAdmin, signedIn } from '../../access/requirements.ts'
import { mayIssuePassword } from '../../auth/issue.policy.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { Invalid } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { must } from '../../lib/verdict.ts'
import { renameAccount } from '../../users/account-name.service.ts'
import { Email } from '../../users/email.schemas.ts'
import { pageOfEmails } from '../../users/email.service.ts'
import { presentOneKey } from '../../users/credentials/key.present.ts'
import { CreateKeyOption, PublicKey } from '../../users/credentials/key.schemas.ts'
import { addKey, removeKey } from '../../users/credentials/key.service.ts'
import { targetUser } from '../../users/subject.requirements.ts'
import { presentUser } from '../../users/user.present.ts'
import { EditUserOption, RenameUserOption, User } from '../../users/user.schemas.ts'
import { deleteAccount, editAccount, pageOfAccounts } from './account.service.ts'

export const adminSearchUsers = operation({
  method: 'GET',
  path: '/admin/users',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: {
    source_id: Type.Optional(Type.Integer()),
    login_name: Type.Optional(Type.String()),
    sort: Type.Optional(Type.String()),
    ...pageQuery,
  },
  reply: { 200: Type.Array(User) },
  summary: 'Search all accounts',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const wanted = { loginName: query.login_name, sourceId: query.source_id, sort: query.sort }
    const { users, total } = await pageOfAccounts(ctx, wanted, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
    )
  },
})

export const adminEditUser = operation({
  method: 'PATCH',
  path: '/admin/users/{username}',
  cost: 'usual',
  scope: 'admin',
  outlivesCredential: true,
  requires: [signedIn, siteAdmin, targetUser, validBody],
  body: EditUserOption,
  reply: { 200: User },
  summary: 'Edit an account',
  async run({ ctx, body }) {
    if (body.password || (body.admin && !ctx.subject.is_admin)) {
      const isAdmin = ctx.subject.is_admin || body.admin === true
      must(mayIssuePassword(ctx.viewer.credential, { isAdmin, isStrict: ctx.config.ingot.strictTokens }))
    }
    const user = await editAccount(ctx, ctx.subject, {
      password: body.password,
      email: body.email,
      sourceId: body.source_id,
      loginName: body.login_name,
      columns: {
        full_name: body.full_name,
        must_change_password: body.must_change_password,
        website: body.website,
        location: body.location,
        pronouns: body.pronouns,
        description: body.description,
        is_active: body.active,
        is_admin: body.admin,
        allow_git_hook: body.allow_git_hook,
        allow_import_local: body.allow_import_local,
        max_repo_creation: body.max_repo_creation,
        prohibit_login: body.prohibit_login,
        allow_create_organization: body.allow_create_organization,
        is_restricted: body.restricted,
        visibility: body.visibility || undefined,
      },
    })
    return ok(presentUser(ctx, user))
  },
})

export const adminDeleteUser = operation({
  method: 'DELETE',
  path: '/admin/users/{username}',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin, targetUser],
  query: { purge: Type.Optional(Type.Boolean()) },
  reply: { 204: 'empty' },
  summary: 'Delete an account',
  run: ({ ctx, query }) => deleteAccount(ctx, ctx.subject, query.purge ?? false),
})

export const adminRenameUser = operation({
  method: 'POST',
  path: '/admin/users/{username}/rename',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin, targetUser, validBody],
  body: RenameUserOption,
  reply: { 204: 'empty' },
  summary: 'Rename an account',
  async run({ ctx, body }) {
    if (ctx.subject.kind === 'organization') throw new Invalid('this is an organization', 'not_a_person')
    await renameAccount(ctx, ctx.subject, body.new_username, ctx.viewer.id)
  },
})

export const adminCreatePublicKey = operation({
  method: 'POST',
  path: '/admin/users/{username}/keys',
  cost: 'usual',
  scope: 'admin',
  outlivesCredential: true,
  requires: [signedIn, siteAdmin, targetUser, validBody],
  body: CreateKeyOption,
  reply: { 201: PublicKey },
  summary: 'Add an SSH key to an account',
  async run({ ctx, body }) {
    return created(await presentOneKey(ctx, await addKey(ctx, ctx.subject, body)))
  },
})

export const adminDeleteUserPublicKey = operation({
  method: 'DELETE',
  path: '/admin/users/{username}/keys/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'admin',
  requires: [signedIn, siteAdmin, targetUser],
  reply: { 204: 'empty' },
  summary: 'Delete an SSH key of an account',
  run: ({ ctx, params }) => removeKey(ctx, ctx.subject, params.id),
})

const presentAddress = (row: Awaited<ReturnType<typeof pageOfEmails>>['rows'][number]): Email => ({
  email: row.email,
  verified: row.is_activated,
  primary: row.is_primary,
  user_id: row.user_id,
  username: row.user_name,
})

export const adminGetAllEmails = operation({
  method: 'GET',
  path: '/admin/emails',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: pageQuery,
  reply: { 200: Type.Array(Email) },
  summary: 'List all mail addresses',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await pageOfEmails(ctx, '', page)
    return paged(rows.map(presentAddress), page, total)
  },
})

export const adminSearchEmails = operation({
  method: 'GET',
  path: '/admin/emails/search',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: { q: Type.Optional(Type.String()), ...pageQuery },
  reply: { 200: Type.Array(Email) },
  summary: 'Search all mail addresses',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await pageOfEmails(ctx, (query.q ?? '').trim(), page)
    return paged(rows.map(presentAddress), page, total)
  },
})
