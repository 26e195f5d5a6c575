import { mayDeleteOwnAccount } from '../../../admin/accounts/account.policy.ts'
import { deleteOwnAccount } from '../../../admin/accounts/account.service.ts'
import { beginSession } from '../../../auth/session.service.ts'
import { Invalid } from '../../../lib/errors.ts'
import { listOrgsWithoutOtherOwner } from '../../../orgs/org.service.ts'
import { newestPackages } from '../../../packages/package-list.service.ts'
import { listReposOf } from '../../../repos/lists/repo-list.service.ts'
import { changePassword } from '../../../users/credentials/password.service.ts'
import {
  addEmails,
  askToConfirmAgain,
  choosePrimaryEmail,
  emailsOf,
  removeEmails,
} from '../../../users/email.service.ts'
import { editSettings } from '../../../users/settings/settings.service.ts'
import { browserLanguage, browserOf } from '../../shell/browser-of.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { forgetHeaders, noSessionCookies, signInCookies } from '../../shell/cookies.ts'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { AccountView } from './account.view.tsx'
import { confirmPassword } from '../confirm-password.tsx'
import type { Possessions } from './delete-account.view.tsx'
import { inSettings, settingsMeta, settingsPath, type PersonCtx } from '../settings-frame.tsx'
import { settingsTexts as texts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

const text = textUpTo(4096)
const path = settingsPath('account')
const done = texts.account.done

/** Possessions of each kind that the page names. */
const maxNamed = 5

/** Returns what keeps the account from being deleted. */
async function possessionsOf(ctx: PersonCtx): Promise<Possessions> {
  const { user } = ctx.viewer
  const [{ repos, total }, orgs, { packages, hasMore }] = await Promise.all([
    listReposOf(ctx, user, { number: 1, limit: maxNamed, offset: 0 }),
    listOrgsWithoutOtherOwner(ctx),
    newestPackages({ ...ctx, subject: user }, {}, { limit: maxNamed, offset: 0 }),
  ])
  return {
    repos: { named: repos, hasMore: total > repos.length },
    orgs: { named: orgs.slice(0, maxNamed), hasMore: orgs.length > maxNamed },
    packages: { named: packages, hasMore },
  }
}

/** Shows password and addresses of the account, and the form that deletes it. */
export const accountSettingsPage = page({
  path: '/user/settings/account',
  twin: 'userListEmails',
  cost: 'usual',
  requires: [inSession],
  isSecret: true,
  frame: inSettings('account'),
  async load({ ctx }) {
    const { user } = ctx.viewer
    const [addresses, possessions] = await Promise.all([emailsOf(ctx, user), possessionsOf(ctx)])
    return {
      user,
      addresses,
      maySetByMail: ctx.mailer.isEnabled && user.login_source_id === 0,
      possessions,
      mayDelete: mayDeleteOwnAccount(ctx.config, user).allowed,
    }
  },
  meta: () => settingsMeta('account'),
  view: AccountView,
})

/** Changes the password after a check of the current one, and starts a new session; the change ended all of them. */
export const changePasswordSubmit = act({
  path: '/user/settings/account',
  twin: null,
  cost: 'usual',
  recentSignIn: 'password',
  requires: [],
  fields: { old_password: text, password: text },
  again: accountSettingsPage,
  problemFields: { password_unconfirmed: 'old_password', password: 'password' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    await confirmPassword(ctx, call, body.old_password, 'old_password')
    const changed = await changePassword(ctx, user, body.password ?? '', { mustChangePassword: false })
    const session = await beginSession(ctx, changed, browserOf(ctx.config, call), { remember: false })
    return { to: path, notice: done.password, cookies: signInCookies(ctx.config, session) }
  },
})

/** Adds an address, or mails its confirmation. */
export const addAddressSubmit = act({
  path: '/user/settings/account/email',
  twin: 'userAddEmail',
  cost: 'usual',
  recentSignIn: 'password',
  requires: [],
  fields: { email: text, password: text },
  again: accountSettingsPage,
  problemFields: { email: 'email' },
  async run({ ctx, body, call }) {
    await confirmPassword(ctx, call, body.password)
    await addEmails(ctx, ctx.viewer.user, [(body.email ?? '').trim()], {
      ip: call.ip,
      language: browserLanguage(ctx.config, call),
    })
    return { to: path, notice: ctx.config.service.registerEmailConfirm ? done.mailed : done.added }
  },
})

/** Mails the confirmation of an address again. */
export const confirmAddressAgainSubmit = act({
  path: '/user/settings/account/email/again',
  twin: null,
  cost: 'usual',
  requires: [],
  fields: { email: text },
  again: nothingTyped,
  async run({ ctx, body, call }) {
    const asker = { ip: call.ip, language: browserLanguage(ctx.config, call) }
    await askToConfirmAgain(ctx, ctx.viewer.user, body.email ?? '', asker)
    return { to: path, notice: done.mailed }
  },
})

export const removeAddressSubmit = act({
  path: '/user/settings/account/email/delete',
  twin: 'userDeleteEmail',
  cost: 'usual',
  requires: [],
  fields: { email: text },
  again: nothingTyped,
  async run({ ctx, body }) {
    await removeEmails(ctx, ctx.viewer.user, [body.email ?? ''])
    return { to: path, notice: done.removed }
  },
})

export const primaryAddressSubmit = act({
  path: '/user/settings/account/email/primary',
  twin: null,
  cost: 'usual',
  recentSignIn: 'password',
  requires: [],
  fields: { email: text, password: text },
  again: accountSettingsPage,
  async run({ ctx, body, call }) {
    await confirmPassword(ctx, call, body.password)
    await choosePrimaryEmail(ctx, ctx.viewer.user, body.email ?? '')
    return { to: path, notice: done.primary }
  },
})

/** Shows or hides the primary address. */
export const hideAddressSubmit = act({
  path: '/user/settings/account/email/visibility',
  edits: true,
  again: accountSettingsPage,
  twin: 'updateUserSettings',
  cost: 'usual',
  requires: [],
  fields: { hide_email: text },
  async run({ ctx, body }) {
    await editSettings(ctx, ctx.viewer.user, { keep_email_private: body.hide_email !== undefined })
    return { to: path, notice: texts.saved }
  },
})

/** Deletes the account and ends its session. */
export const deleteAccountSubmit = act({
  path: '/user/settings/account/delete',
  twin: null,
  cost: 'usual',
  recentSignIn: 'password',
  requires: [],
  fields: { confirm: text, password: text },
  again: accountSettingsPage,
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    if (user.password_hash === null && (body.confirm ?? '').trim() !== user.name) {
      throw new Invalid(texts.account.deletion.wrongName, 'confirm_wrong', { field: 'confirm' })
    }
    await confirmPassword(ctx, call, body.password)
    await deleteOwnAccount(ctx)
    return {
      to: '/',
      notice: texts.account.deletion.done(user.name),
      cookies: noSessionCookies(ctx.config),
      headers: forgetHeaders,
    }
  },
})
