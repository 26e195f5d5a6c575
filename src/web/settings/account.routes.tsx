import { Type } from 'typebox'
import { beginSession } from '../../auth/session.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { bytesOf, operation, validBody, type Call } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { changePassword, chooseFirstPassword } from '../../users/credentials/password.service.ts'
import {
  addEmails,
  askToConfirmAgain,
  choosePrimaryEmail,
  confirmAddress,
  emailsOf,
  readAddressLink,
  removeEmails,
  type OwnEmail,
} from '../../users/email.service.ts'
import { browserLanguage, browserOf } from '../shell/browser-of.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { PasswordField, passwordProblem } from './confirm-password.tsx'
import { sessionCookies } from '../shell/cookies.ts'
import { attempt, Field, Form, KnownUser, passwordHint, type Problem } from '../shell/plain-form.tsx'
import { secretPage, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { SettingsPage, type PersonCtx } from './settings-page.tsx'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

const text = Type.Optional(Type.String({ maxLength: 4096 }))
const PasswordForm = requestObject('ChangePasswordForm', { _csrf: text, old_password: text, password: text })
const EmailForm = requestObject('EmailForm', { _csrf: text, email: text, password: text })
const CodeForm = requestObject('ConfirmAddressForm', { _csrf: text, code: text })

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** The refused form of the page with its values. */
interface Wrong {
  readonly form: 'password' | 'add' | 'primary'
  readonly problem: Problem
  readonly email?: string
}

const Address = ({ ctx, address }: { readonly ctx: PersonCtx; readonly address: OwnEmail }) => {
  const { email, is_primary: isPrimary, is_activated: isConfirmed } = address
  return (
    <li>
      <p>
        {email} {isPrimary ? <span class="tag">{texts.account.primary}</span> : null}
        {isConfirmed ? null : <span class="tag">{texts.account.unconfirmed}</span>}
      </p>
      <div class="acts">
        {isConfirmed ? null : (
          <Form ctx={ctx} to="user/settings/account/email/again" hidden={{ email }}>
            <button type="submit" class="second" aria-label={texts.account.sendAgainTo(email)}>
              {texts.account.sendAgain}
            </button>
          </Form>
        )}
        {isPrimary ? null : (
          <Form ctx={ctx} to="user/settings/account/email/delete" hidden={{ email }}>
            <button type="submit" class="second" aria-label={texts.account.removeAddress(email)}>
              {texts.remove}
            </button>
          </Form>
        )}
      </div>
    </li>
  )
}

async function accountPage(ctx: PersonCtx, told: { readonly wrong?: Wrong; readonly done?: string | undefined } = {}) {
  const { config, viewer } = ctx
  const { wrong, done } = told
  const addresses = await emailsOf(ctx, viewer.user)
  const others = addresses.filter((each) => each.is_activated && !each.is_primary)
  const problemIn = (form: Wrong['form']) => (wrong?.form === form ? wrong.problem : undefined)
  const doneText = done !== undefined && Object.hasOwn(texts.account.done, done) ? texts.account.done[done] : undefined
  const content = (
    <SettingsPage ctx={ctx} current="account" title={texts.parts.account}>
      {doneText === undefined ? null : (
        <p class="done" role="status">
          {doneText}
        </p>
      )}
      <section class="sheet" aria-labelledby="password_title">
        <h2 id="password_title">{shared.password}</h2>
        {viewer.user.password_hash === null ? (
          <p>
            {texts.account.noPassword}
            {ctx.mailer.isEnabled && viewer.user.login_source_id === 0 ? (
              <>
                {' '}
                <a href={sitePath(config, 'user/forgot_password')}>{texts.account.setByMail}</a>
              </>
            ) : null}
          </p>
        ) : (
          <Form ctx={ctx} to="user/settings/account" problem={problemIn('password')}>
            <KnownUser name={viewer.user.name} />
            <Field
              name="old_password"
              label={texts.account.currentPassword}
              type="password"
              autocomplete="current-password"
              maxlength={255}
            />
            <Field
              name="password"
              label={shared.newPassword}
              type="password"
              autocomplete="new-password"
              maxlength={255}
              hint={passwordHint(config.security)}
            />
            <button type="submit">{texts.account.change}</button>
          </Form>
        )}
      </section>
      <section class="sheet" aria-labelledby="addresses_title">
        <h2 id="addresses_title">{texts.account.addresses}</h2>
        <ul class="list">
          {addresses.map((address) => (
            <Address ctx={ctx} address={address} />
          ))}
        </ul>
      </section>
      <section class="sheet" aria-labelledby="add_title">
        <h2 id="add_title">{texts.account.another}</h2>
        <Form ctx={ctx} to="user/settings/account/email" problem={problemIn('add')}>
          <Field
            name="email"
            label={shared.emailAddress}
            type="email"
            value={wrong?.form === 'add' ? wrong.email : ''}
            autocomplete="email"
            maxlength={254}
          />
          <PasswordField id="add_password" user={viewer.user} />
          <button type="submit">{texts.account.add}</button>
        </Form>
      </section>
      {others.length === 0 ? null : (
        <section class="sheet" aria-labelledby="primary_title">
          <h2 id="primary_title">{texts.account.primaryAddress}</h2>
          <p class="quiet">{texts.account.primaryHint}</p>
          <Form ctx={ctx} to="user/settings/account/email/primary" problem={problemIn('primary')}>
            <fieldset>
              <legend>{texts.account.newPrimary}</legend>
              {others.map(({ email }, index) => (
                <label class="choice">
                  <input type="radio" name="email" value={email} checked={index === 0} /> {email}
                </label>
              ))}
            </fieldset>
            <PasswordField id="primary_password" user={viewer.user} />
            <button type="submit">{texts.account.makePrimary}</button>
          </Form>
        </section>
      )}
    </SettingsPage>
  )
  return secretPage(config, { title: texts.titleOf(texts.parts.account), problem: wrong?.problem, content })
}

const backTo = (ctx: BrowserCtx, done: string) =>
  redirect(303, sitePath(ctx.config, `user/settings/account?done=${done}`))

/** Shows password and addresses of the account. */
export const accountSettingsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/account',
  requires: [inBrowser, inSession],
  query: { done: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query: { done } }) => accountPage(ctx, { done }),
})

/** Starts a new session for this browser; the password change ended all others. */
async function signedInAnew(ctx: BrowserCtx, user: UserRow, call: Call, path: string) {
  const session = await beginSession(ctx, user, browserOf(call), { remember: false })
  call.cookies.push(...sessionCookies(ctx.config, session))
  return redirect(303, sitePath(ctx.config, path))
}

/** Changes the password after a check of the current one. */
export const changePasswordSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/account',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: PasswordForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    const wrongOld = await passwordProblem(ctx, user, body.old_password, call.ip, 'old_password')
    if (wrongOld) return accountPage(ctx, { wrong: { form: 'password', problem: wrongOld } })
    const change = changePassword(ctx, user, body.password ?? '', { mustChangePassword: false })
    const { result: changed, problem } = await attempt(change, { password: 'password' })
    if (problem) return accountPage(ctx, { wrong: { form: 'password', problem } })
    return signedInAnew(ctx, changed, call, 'user/settings/account?done=password')
  },
})

/** Adds an address, or mails its confirmation. */
export const addAddressSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/account/email',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: EmailForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    const email = (body.email ?? '').trim()
    const wrong = await passwordProblem(ctx, user, body.password, call.ip)
    if (wrong) return accountPage(ctx, { wrong: { form: 'add', problem: wrong, email } })
    const asked = addEmails(ctx, user, [email], { ip: call.ip, language: browserLanguage(call) })
    const { problem } = await attempt(asked, { email: 'email' })
    if (problem) return accountPage(ctx, { wrong: { form: 'add', problem, email } })
    return backTo(ctx, ctx.config.service.registerEmailConfirm ? 'mailed' : 'added')
  },
})

/** Mails the confirmation of an address again. */
export const confirmAddressAgainSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/account/email/again',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: EmailForm,
  reply: { 303: 'empty' },
  async run({ ctx, body, call }) {
    const asker = { ip: call.ip, language: browserLanguage(call) }
    await askToConfirmAgain(ctx, ctx.viewer.user, body.email ?? '', asker)
    return backTo(ctx, 'mailed')
  },
})

export const removeAddressSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/account/email/delete',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: EmailForm,
  reply: { 303: 'empty' },
  async run({ ctx, body }) {
    await removeEmails(ctx, ctx.viewer.user, [body.email ?? ''])
    return backTo(ctx, 'removed')
  },
})

export const primaryAddressSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/account/email/primary',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: EmailForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    const wrong = await passwordProblem(ctx, user, body.password, call.ip)
    if (wrong) return accountPage(ctx, { wrong: { form: 'primary', problem: wrong } })
    await choosePrimaryEmail(ctx, user, body.email ?? '')
    return backTo(ctx, 'primary')
  },
})

/** Target of the link that confirms an address. */
export const confirmAddressPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/activate_email',
  requires: [inBrowser],
  query: { code: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query: { code = '' } }) {
    const { email, name } = await readAddressLink(ctx, code)
    const content = (
      <main class="card">
        <h1>{texts.account.confirmTitle}</h1>
        <p>{texts.account.confirmHint(email, name)}</p>
        <Form ctx={ctx} to="user/activate_email" hidden={{ code }}>
          <button type="submit">{texts.account.confirm}</button>
        </Form>
      </main>
    )
    return secretPage(ctx.config, { title: texts.account.confirmTitle, content })
  },
})

export const confirmAddressSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/activate_email',
  requires: [inBrowser, validBody, ownForm],
  body: CodeForm,
  reply: { 303: 'empty' },
  async run({ ctx, body }) {
    await confirmAddress(ctx, body.code ?? '')
    return ctx.viewer ? backTo(ctx, 'added') : redirect(303, sitePath(ctx.config, 'user/login?done=address'))
  },
})

function choosePageOf(ctx: PersonCtx, problem?: Problem) {
  const { config } = ctx
  const content = (
    <main class="card">
      <h1>{texts.account.chooseTitle}</h1>
      <p>{texts.account.chooseHint}</p>
      <Form ctx={ctx} to="user/settings/change_password" problem={problem}>
        <KnownUser name={ctx.viewer.user.name} />
        <Field
          name="password"
          label={shared.newPassword}
          type="password"
          autocomplete="new-password"
          maxlength={255}
          hint={passwordHint(config.security)}
          autofocus
        />
        <button type="submit">{shared.setPassword}</button>
      </Form>
      <Form ctx={ctx} to="user/logout">
        <button type="submit" class="second">
          {shared.signOut}
        </button>
      </Form>
    </main>
  )
  return secretPage(config, { title: texts.account.chooseTitle, problem, content })
}

/** Each page redirects here while the account must change its password. */
export const choosePasswordPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/change_password',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx }) {
    if (!ctx.viewer.user.must_change_password) return redirect(303, sitePath(ctx.config, 'user/settings/account'))
    return choosePageOf(ctx)
  },
})

export const choosePasswordSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/change_password',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: PasswordForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    // Other accounts must give their current password.
    if (!user.must_change_password) return redirect(303, sitePath(ctx.config, 'user/settings/account'))
    const choice = chooseFirstPassword(ctx, user, body.password ?? '')
    const { result: chosen, problem } = await attempt(choice, { password: 'password' })
    if (problem) return choosePageOf(ctx, problem)
    return signedInAnew(ctx, chosen, call, '')
  },
})
