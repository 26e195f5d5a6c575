import { Type } from 'typebox'
import { siteAdmin } from '../../../access/requirements.ts'
import { deleteAccount, editAccount, endAllSessions } from '../../../admin/accounts/account.service.ts'
import { mayIssuePassword } from '../../../auth/issue.policy.ts'
import { BadRequest, Invalid, NotFound } from '../../../lib/errors.ts'
import { pageOf } from '../../../lib/paging.ts'
import { must } from '../../../lib/verdict.ts'
import { renameAccount } from '../../../users/account-name.service.ts'
import { allSources } from '../../../sources/source.service.ts'
import { pageOfKeys } from '../../../users/credentials/key.service.ts'
import { targetUser } from '../../../users/subject.requirements.ts'
import { createUser, findPeople } from '../../../users/user.service.ts'
import { visibilityOf } from '../../../users/visibility.rules.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { inAdministration } from '../administration-frame.tsx'
import { NewAccountView, PeopleView, PersonView } from './people.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { integer, tick } from '../../ui/fields.ts'

const text = () => Type.Optional(Type.String())
/** Keys of an account that its page shows. */
const maxKeys = 100
const flag = () => tick

/** Lists the people of the instance. */
export const administrationPeoplePage = page({
  path: '/admin/users',
  twin: 'adminSearchUsers',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  query: { q: Type.Optional(Type.String()), page: integer },
  frame: inAdministration('people'),
  async load({ ctx, query }) {
    const shown = pageOf({ page: query.page }, ctx.config.api)
    const { users, total } = await findPeople(ctx, { text: (query.q ?? '').trim() }, shown)
    return { users, total, shown, text: query.q ?? '' }
  },
  meta: () => ({ title: texts.people, isUnlisted: true }),
  view: PeopleView,
})

export const administrationNewUserPage = page({
  path: '/admin/users/new',
  twin: 'adminCreateUser',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  frame: inAdministration('people'),
  load: async () => ({}),
  meta: () => ({ title: texts.users.new, isUnlisted: true }),
  view: NewAccountView,
})

/** Creates an account. */
export const administrationCreateUser = act({
  path: '/admin/users/new',
  twin: 'adminCreateUser',
  cost: 'usual',
  recentSignIn: true,
  requires: [siteAdmin],
  outlivesCredential: true,
  fields: {
    user_name: text(),
    full_name: text(),
    email: text(),
    password: text(),
    visibility: text(),
    must_change_password: flag(),
    send_notify: flag(),
  },
  again: administrationNewUserPage,
  problemFields: { name_: 'user_name', email_: 'email', password_: 'password' },
  async run({ ctx, body }) {
    if (!body.password) throw new BadRequest('a password is needed', 'password_missing')
    must(mayIssuePassword(ctx.viewer.credential, { isAdmin: false, isStrict: ctx.config.ingot.strictTokens }))
    const user = await createUser(ctx, {
      name: (body.user_name ?? '').trim(),
      email: (body.email ?? '').trim(),
      password: body.password,
      fullName: body.full_name,
      mustChangePassword: body.must_change_password ?? false,
      visibility: visibilityOf(body.visibility),
      welcomesByMail: body.send_notify ?? false,
      doerId: ctx.viewer.id,
    })
    return { to: pathOf('admin', 'users', user.name), notice: texts.users.made(user.name) }
  },
})

/** Shows every switch of an account. */
export const administrationPersonPage = page({
  path: '/admin/users/{username}',
  twin: 'adminEditUser',
  cost: 'usual',
  requires: [inSession, siteAdmin, targetUser],
  frame: inAdministration('people'),
  async load({ ctx }) {
    if (ctx.subject.kind !== 'individual') throw new NotFound('the user does not exist', 'user_not_found')
    const [sources, { keys }] = await Promise.all([
      allSources(ctx),
      pageOfKeys(ctx, ctx.subject, undefined, { number: 1, limit: maxKeys, offset: 0 }),
    ])
    return {
      person: ctx.subject,
      isSelf: ctx.subject.id === ctx.viewer.id,
      sources: sources.map(({ id, name }) => ({ id: Number(id), name })),
      keys,
    }
  },
  meta: ({ person }) => ({ title: person.name, isUnlisted: true }),
  view: PersonView,
})

/** Changes an account. */
export const administrationEditUser = act({
  path: '/admin/users/{username}',
  edits: true,
  twin: 'adminEditUser',
  cost: 'usual',
  recentSignIn: true,
  requires: [siteAdmin, targetUser],
  outlivesCredential: true,
  fields: {
    full_name: text(),
    email: text(),
    password: text(),
    website: text(),
    location: text(),
    pronouns: text(),
    description: text(),
    source_id: integer,
    login_name: text(),
    visibility: text(),
    max_repo_creation: integer,
    is_admin: flag(),
    is_active: flag(),
    prohibit_login: flag(),
    is_restricted: flag(),
    must_change_password: flag(),
    allow_create_organization: flag(),
    allow_git_hook: flag(),
    allow_import_local: flag(),
  },
  again: administrationPersonPage,
  problemFields: { email_: 'email', password_: 'password', website_: 'website', source_: 'source_id' },
  async run({ ctx, body }) {
    const isAdmin = body.is_admin ?? false
    if (body.password || (isAdmin && !ctx.subject.is_admin)) {
      const issued = { isAdmin: ctx.subject.is_admin || isAdmin, isStrict: ctx.config.ingot.strictTokens }
      must(mayIssuePassword(ctx.viewer.credential, issued))
    }
    const user = await editAccount(ctx, ctx.subject, {
      password: body.password || undefined,
      email: body.email === ctx.subject.email ? undefined : body.email,
      // An instance without sources has no field for them.
      sourceId: body.source_id,
      loginName: body.source_id === undefined ? undefined : (body.login_name ?? '').trim(),
      columns: {
        full_name: body.full_name,
        website: body.website,
        location: body.location,
        pronouns: body.pronouns,
        description: body.description,
        visibility: visibilityOf(body.visibility),
        max_repo_creation: body.max_repo_creation,
        is_admin: isAdmin,
        is_active: body.is_active ?? false,
        prohibit_login: body.prohibit_login ?? false,
        is_restricted: body.is_restricted ?? false,
        must_change_password: body.must_change_password ?? false,
        allow_create_organization: body.allow_create_organization ?? false,
        allow_git_hook: body.allow_git_hook ?? false,
        allow_import_local: body.allow_import_local ?? false,
      },
    })
    return { to: pathOf('admin', 'users', user.name), notice: texts.users.saved(user.name) }
  },
})

export const administrationRenameUser = act({
  path: '/admin/users/{username}/rename',
  twin: 'adminRenameUser',
  cost: 'usual',
  requires: [siteAdmin, targetUser],
  fields: { new_name: text() },
  again: administrationPersonPage,
  problemFields: { name_: 'new_name' },
  async run({ ctx, body }) {
    if (ctx.subject.kind === 'organization') throw new Invalid('this is an organization', 'not_a_person')
    const name = (body.new_name ?? '').trim()
    await renameAccount(ctx, ctx.subject, name, ctx.viewer.id)
    return { to: pathOf('admin', 'users', name), notice: texts.users.renamed(name) }
  },
})

export const administrationEndSessions = act({
  path: '/admin/users/{username}/sessions/end',
  twin: null,
  cost: 'usual',
  requires: [siteAdmin, targetUser],
  async run({ ctx }) {
    await endAllSessions(ctx, ctx.subject)
    return { to: pathOf('admin', 'users', ctx.subject.name), notice: texts.users.ended(ctx.subject.name) }
  },
})

export const administrationDeleteUser = act({
  path: '/admin/users/{username}/delete',
  twin: 'adminDeleteUser',
  cost: 'usual',
  requires: [siteAdmin, targetUser],
  fields: { purge: flag() },
  again: administrationPersonPage,
  async run({ ctx, body }) {
    await deleteAccount(ctx, ctx.subject, body.purge ?? false)
    return { to: '/admin/users', notice: texts.users.deleted(ctx.subject.name) }
  },
})
