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
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { inAdministration } from '../administration-frame.tsx'
import { NewAccountView, newAccountForm, PeopleView, personForm, PersonView } from './people.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { integer, text, tick } from '../../ui/fields.ts'

/** Keys of an account that its page shows. */
const maxKeys = 100

/** Lists the people of the instance. */
export const administrationPeoplePage = page({
  path: '/admin/users',
  twin: 'adminSearchUsers',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  query: { q: text, page: integer },
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
  fields: { ...newAccountForm.act.fields, password: text },
  again: administrationNewUserPage,
  problemFields: { ...newAccountForm.act.problemFields, password_: 'password' },
  async run({ ctx, body }) {
    if (!body.password) throw new BadRequest('a password is needed', 'password_missing')
    must(mayIssuePassword(ctx.viewer.credential, { isAdmin: false, isStrict: ctx.config.ingot.strictTokens }))
    const { name = '', email = '', ...account } = newAccountForm.read(body)
    const user = await createUser(ctx, {
      ...account,
      name,
      email,
      password: body.password,
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
    ...personForm.act.fields,
    email: text,
    password: text,
    source_id: integer,
    login_name: text,
  },
  again: administrationPersonPage,
  problemFields: { ...personForm.act.problemFields, email_: 'email', password_: 'password', source_: 'source_id' },
  async run({ ctx, body }) {
    const columns = personForm.read(body)
    if (body.password || (columns.is_admin && !ctx.subject.is_admin)) {
      const issued = { isAdmin: ctx.subject.is_admin || columns.is_admin, isStrict: ctx.config.ingot.strictTokens }
      must(mayIssuePassword(ctx.viewer.credential, issued))
    }
    const user = await editAccount(ctx, ctx.subject, {
      password: body.password || undefined,
      email: body.email === ctx.subject.email ? undefined : body.email,
      // An instance without sources has no field for them.
      sourceId: body.source_id,
      loginName: body.source_id === undefined ? undefined : (body.login_name ?? '').trim(),
      columns,
    })
    return { to: pathOf('admin', 'users', user.name), notice: texts.users.saved(user.name) }
  },
})

export const administrationRenameUser = act({
  path: '/admin/users/{username}/rename',
  twin: 'adminRenameUser',
  cost: 'usual',
  requires: [siteAdmin, targetUser],
  fields: { new_name: text },
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
  fields: { purge: tick },
  again: administrationPersonPage,
  async run({ ctx, body }) {
    await deleteAccount(ctx, ctx.subject, body.purge ?? false)
    return { to: '/admin/users', notice: texts.users.deleted(ctx.subject.name) }
  },
})
