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
import { inBrowser, inSession, ownForm, type BrowserCtx } from '../shell/browser.requirements.ts'
import { PasswordField, passwordProblem } from './confirm-password.tsx'
import { sessionCookies } from '../shell/cookies.ts'
import { attempt, Field, Form, KnownUser, passwordHint, type Problem } from '../shell/form.tsx'
import { htmlErrors, secretPage, sitePath } from '../shell/page.tsx'
import { SettingsPage, type PersonCtx } from './settings-page.tsx'

const text = Type.Optional(Type.String({ maxLength: 4096 }))
const PasswordForm = requestObject('ChangePasswordForm', { _csrf: text, old_password: text, password: text })
const EmailForm = requestObject('EmailForm', { _csrf: text, email: text, password: text })
const CodeForm = requestObject('ConfirmAddressForm', { _csrf: text, code: text })

const pages = { base: 'site', scope: null, accepts: ['session'], errors: htmlErrors } as const

/** The form of the page that was not taken, with what was typed. */
interface Wrong {
  readonly form: 'password' | 'add' | 'primary'
  readonly problem: Problem
  readonly email?: string
}

const doneTexts: Readonly<Record<string, string>> = {
  password: 'The password is changed. Every other browser was signed out.',
  mailed: 'A mail is on its way to the address. It is yours once you have followed the link in it.',
  added: 'The address is added.',
  removed: 'The address is removed.',
  primary: 'The primary address is changed.',
}

const Address = ({ ctx, address }: { readonly ctx: PersonCtx; readonly address: OwnEmail }) => {
  const { email, is_primary: isPrimary, is_activated: isConfirmed } = address
  return (
    <li>
      <p>
        {email} {isPrimary ? <span class="tag">primary</span> : null}
        {isConfirmed ? null : <span class="tag">not confirmed yet</span>}
      </p>
      <div class="acts">
        {isConfirmed ? null : (
          <Form ctx={ctx} to="user/settings/account/email/again" hidden={{ email }}>
            <button type="submit" class="second" aria-label={`Send again the mail to ${email}`}>
              Send again
            </button>
          </Form>
        )}
        {isPrimary ? null : (
          <Form ctx={ctx} to="user/settings/account/email/delete" hidden={{ email }}>
            <button type="submit" class="second" aria-label={`Remove ${email}`}>
              Remove
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
  const doneText = done !== undefined && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  const content = (
    <SettingsPage ctx={ctx} current="account" title="Password and addresses">
      {doneText === undefined ? null : (
        <p class="done" role="status">
          {doneText}
        </p>
      )}
      <section class="sheet" aria-labelledby="password_title">
        <h2 id="password_title">Password</h2>
        {viewer.user.password_hash === null ? (
          <p>
            This account has no password here.
            {ctx.mailer.isEnabled && viewer.user.login_source_id === 0 ? (
              <>
                {' '}
                <a href={sitePath(config, 'user/forgot_password')}>Set one by mail</a>
              </>
            ) : null}
          </p>
        ) : (
          <Form ctx={ctx} to="user/settings/account" problem={problemIn('password')}>
            <KnownUser name={viewer.user.name} />
            <Field
              name="old_password"
              label="Current password"
              type="password"
              autocomplete="current-password"
              maxlength={255}
            />
            <Field
              name="password"
              label="New password"
              type="password"
              autocomplete="new-password"
              maxlength={255}
              hint={passwordHint(config.security)}
            />
            <button type="submit">Change password</button>
          </Form>
        )}
      </section>
      <section class="sheet" aria-labelledby="addresses_title">
        <h2 id="addresses_title">Mail addresses</h2>
        <ul class="list">
          {addresses.map((address) => (
            <Address ctx={ctx} address={address} />
          ))}
        </ul>
      </section>
      <section class="sheet" aria-labelledby="add_title">
        <h2 id="add_title">Another address</h2>
        <Form ctx={ctx} to="user/settings/account/email" problem={problemIn('add')}>
          <Field
            name="email"
            label="Mail address"
            type="email"
            value={wrong?.form === 'add' ? wrong.email : ''}
            autocomplete="email"
            maxlength={254}
          />
          <PasswordField id="add_password" user={viewer.user} />
          <button type="submit">Add address</button>
        </Form>
      </section>
      {others.length === 0 ? null : (
        <section class="sheet" aria-labelledby="primary_title">
          <h2 id="primary_title">Primary address</h2>
          <p class="quiet">Mails from this site go there.</p>
          <Form ctx={ctx} to="user/settings/account/email/primary" problem={problemIn('primary')}>
            <fieldset>
              <legend>New primary address</legend>
              {others.map(({ email }, index) => (
                <label class="choice">
                  <input type="radio" name="email" value={email} checked={index === 0} /> {email}
                </label>
              ))}
            </fieldset>
            <PasswordField id="primary_password" user={viewer.user} />
            <button type="submit">Make it primary</button>
          </Form>
        </section>
      )}
    </SettingsPage>
  )
  return secretPage(config, { title: 'Password and addresses - Settings', problem: wrong?.problem, content })
}

const backTo = (ctx: BrowserCtx, done: string) =>
  redirect(303, sitePath(ctx.config, `user/settings/account?done=${done}`))

/** The password and the mail addresses of who is signed in. */
export const accountSettingsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/account',
  requires: [inBrowser, inSession],
  query: { done: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query: { done } }) => accountPage(ctx, { done }),
})

/** The session of this browser begins anew; all others have ended with the password that they were begun with. */
async function signedInAnew(ctx: BrowserCtx, user: UserRow, call: Call, path: string) {
  const session = await beginSession(ctx, user, browserOf(call), { remember: false })
  call.cookies.push(...sessionCookies(ctx.config, session))
  return redirect(303, sitePath(ctx.config, path))
}

/** Changes the password of who is signed in and knows it. */
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

/** Adds an address, or has a mail sent to it where addresses are confirmed. */
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

/** Has the mail to an address that waits to be confirmed sent once more. */
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

/** Where the link of a mail to an address leads that an account wants to have. */
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
        <h1>Confirm your address</h1>
        <p>
          The address <strong>{email}</strong> is added to the account <strong>{name}</strong>.
        </p>
        <Form ctx={ctx} to="user/activate_email" hidden={{ code }}>
          <button type="submit">Confirm address</button>
        </Form>
      </main>
    )
    return secretPage(ctx.config, { title: 'Confirm your address', content })
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
      <h1>Choose a password</h1>
      <p>An administrator asks you to choose a password that nobody else knows before you go on.</p>
      <Form ctx={ctx} to="user/settings/change_password" problem={problem}>
        <KnownUser name={ctx.viewer.user.name} />
        <Field
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          maxlength={255}
          hint={passwordHint(config.security)}
          autofocus
        />
        <button type="submit">Set the password</button>
      </Form>
      <Form ctx={ctx} to="user/logout">
        <button type="submit" class="second">
          Sign out
        </button>
      </Form>
    </main>
  )
  return secretPage(config, { title: 'Choose a password', problem, content })
}

/** Where every page leads whose reader has to choose a password first. */
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
    // Otherwise the password until now is asked for.
    if (!user.must_change_password) return redirect(303, sitePath(ctx.config, 'user/settings/account'))
    const choice = chooseFirstPassword(ctx, user, body.password ?? '')
    const { result: chosen, problem } = await attempt(choice, { password: 'password' })
    if (problem) return choosePageOf(ctx, problem)
    return signedInAnew(ctx, chosen, call, '')
  },
})
