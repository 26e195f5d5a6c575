import { Type } from 'typebox'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { Forbidden } from '../../lib/errors.ts'
import { askForReset, readReset, resetPassword } from '../../users/entry/recovery.service.ts'
import { browserLanguage } from '../shell/browser-of.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import { attempt, Field, Form, KnownUser, passwordHint, type Problem } from '../shell/plain-form.tsx'
import { page, secretPage, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

const text = Type.Optional(Type.String({ maxLength: 4096 }))
const AskForm = requestObject('ForgotPasswordForm', { _csrf: text, email: text })
const ResetForm = requestObject('ResetPasswordForm', { _csrf: text, code: text, password: text, passcode: text })

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

function askPageOf(ctx: BrowserCtx, form: { email?: string; problem?: Problem | undefined } = {}) {
  const { config, mailer } = ctx
  if (!mailer.isEnabled) throw new Forbidden('this site sends no mail: ask an administrator to set a password')
  const content = (
    <main class="card">
      <h1>{texts.recovery.title}</h1>
      <p>{texts.recovery.intro}</p>
      <Form ctx={ctx} to="user/forgot_password" problem={form.problem}>
        <Field
          name="email"
          label={shared.emailAddress}
          type="email"
          value={form.email ?? ''}
          autocomplete="email"
          maxlength={254}
          autofocus
        />
        <button type="submit">{texts.recovery.send}</button>
      </Form>
      <p>
        <a href={sitePath(config, 'user/login')}>{texts.recovery.back}</a>
      </p>
    </main>
  )
  return page(config, { title: texts.recovery.title, problem: form.problem, content })
}

/** Shows the form for a forgotten password. */
export const forgotPasswordPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/forgot_password',
  requires: [inBrowser],
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx }) => askPageOf(ctx),
})

/** Requests the mail; the reply is the same for every address. */
export const forgotPasswordSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/forgot_password',
  requires: [inBrowser, validBody, ownForm],
  body: AskForm,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const { config, mailer } = ctx
    const email = (body.email ?? '').trim()
    if (!mailer.isEnabled) return askPageOf(ctx)
    const asked = askForReset(ctx, { email, ip: call.ip, language: browserLanguage(call) })
    const { problem } = await attempt(asked, { email: 'email' })
    if (problem) return askPageOf(ctx, { email, problem })
    const content = (
      <main class="card">
        <h1>{texts.checkMail.title}</h1>
        <p role="status">{texts.checkMail.reset(email, config.service.resetPasswdCodeLiveMinutes)}</p>
        <p>
          {texts.checkMail.nothingCame} {texts.checkMail.spamFolder}{' '}
          <a href={sitePath(config, 'user/forgot_password')}>{texts.checkMail.askAgain}</a>.
        </p>
      </main>
    )
    return page(config, { title: texts.checkMail.title, content })
  },
})

function resetPageOf(
  ctx: BrowserCtx,
  code: string,
  { name, needsCode, problem }: { name: string; needsCode: boolean; problem?: Problem | undefined },
) {
  const { config } = ctx
  const content = (
    <main class="card">
      <h1>{texts.recovery.newPasswordFor(name)}</h1>
      <Form ctx={ctx} to="user/recover_account" hidden={{ code }} problem={problem}>
        <KnownUser name={name} />
        <Field
          name="password"
          label={shared.newPassword}
          type="password"
          autocomplete="new-password"
          maxlength={255}
          hint={passwordHint(config.security)}
          autofocus
        />
        {needsCode ? (
          <Field
            name="passcode"
            label={texts.recovery.secondFactor}
            hint={texts.recovery.secondFactorHint}
            autocomplete="one-time-code"
            maxlength={100}
          />
        ) : null}
        <button type="submit">{shared.setPassword}</button>
      </Form>
      <p class="hint">{texts.recovery.signsOut}</p>
    </main>
  )
  return secretPage(config, { title: shared.newPassword, problem, content })
}

/** Target of the mailed link. */
export const recoverAccountPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/recover_account',
  requires: [inBrowser],
  query: { code: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query: { code = '' } }) => resetPageOf(ctx, code, await readReset(ctx, code)),
})

/** Sets the password without signing in, which needs the password and the second factor. */
export const recoverAccountSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/recover_account',
  requires: [inBrowser, validBody, ownForm],
  body: ResetForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body }) {
    const { code = '', password = '', passcode = '' } = body
    const fields = { password: 'password', two_factor_wrong: 'passcode' }
    const { problem } = await attempt(resetPassword(ctx, code, { password, passcode }), fields)
    // An invalid link is reported as such, not as a problem of the form.
    if (problem) return resetPageOf(ctx, code, { ...(await readReset(ctx, code)), problem })
    return redirect(303, sitePath(ctx.config, 'user/login?done=password'))
  },
})
