import { Type } from 'typebox'
import { bytesOf, operation, validBody, type Call } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { Forbidden } from '../../lib/errors.ts'
import { askForReset, readReset, resetPassword } from '../../users/entry/recovery.service.ts'
import { browserLanguage } from '../shell/browser-of.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import { attempt, refusedForm } from '../shell/attempt.ts'
import { CardForm, sendCard } from '../shell/card-page.tsx'
import { unkept } from '../shell/page-headers.ts'
import { KnownUser, NewPasswordField } from '../shell/password-field.tsx'
import { shellTexts as shell } from '../languages/texts.ts'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Link } from '../ui/link.tsx'
import type { Problem } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { entryTexts as texts } from '../languages/texts.ts'

const text = Type.Optional(Type.String({ maxLength: 4096 }))
const AskForm = requestObject('ForgotPasswordForm', { _csrf: text, email: text })
const ResetForm = requestObject('ResetPasswordForm', { _csrf: text, code: text, password: text, passcode: text })

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

function askPageOf(ctx: BrowserCtx, call: Call, form: { email?: string; problem?: Problem | undefined } = {}) {
  if (!ctx.mailer.isEnabled) {
    throw new Forbidden('this site sends no mail: ask an administrator to set a password', 'mail_disabled')
  }
  const content = (
    <>
      <p>{texts.recovery.intro}</p>
      <CardForm to="/user/forgot_password">
        <Field
          name="email"
          label={shell.emailAddress}
          type="email"
          value={form.email ?? ''}
          autocomplete="email"
          maxlength={254}
          required
          autofocus
        />
        <Submit class="whole">{texts.recovery.send}</Submit>
      </CardForm>
      <p>
        <Link to="/user/login">{texts.recovery.back}</Link>
      </p>
    </>
  )
  const refused = refusedForm('/user/forgot_password', form.problem, { email: form.email })
  return sendCard(ctx, call, { title: texts.recovery.title, refused, content })
}

/** Shows the form for a forgotten password. */
export const forgotPasswordPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/forgot_password',
  cost: 'usual',
  requires: [inBrowser],
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, call }) => askPageOf(ctx, call),
})

/** Requests the mail; the reply is the same for every address. */
export const forgotPasswordSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/forgot_password',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: AskForm,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const { config, mailer } = ctx
    const email = (body.email ?? '').trim()
    if (!mailer.isEnabled) return askPageOf(ctx, call)
    const sending = askForReset(ctx, { email, ip: call.ip, language: browserLanguage(ctx.config, call) })
    const { problem } = await attempt(sending, { email: 'email' })
    if (problem) return askPageOf(ctx, call, { email, problem })
    const content = (
      <>
        <p role="status">{texts.checkMail.reset(email, config.service.resetPasswdCodeLiveMinutes)}</p>
        <p>
          {texts.checkMail.nothingCame} {texts.checkMail.spamFolder}{' '}
          <Link to="/user/forgot_password">{texts.checkMail.askAgain}</Link>.
        </p>
      </>
    )
    return sendCard(ctx, call, { title: texts.checkMail.title, content })
  },
})

function resetPageOf(
  ctx: BrowserCtx,
  call: Call,
  { code, name, needsCode, problem }: { code: string; name: string; needsCode: boolean; problem?: Problem | undefined },
) {
  const content = (
    <>
      <CardForm to="/user/recover_account" hidden={{ code }}>
        <KnownUser name={name} />
        <NewPasswordField autofocus />
        {needsCode ? (
          <Field
            name="passcode"
            label={texts.recovery.secondFactor}
            hint={texts.recovery.secondFactorHint}
            autocomplete="one-time-code"
            maxlength={100}
            required
          />
        ) : null}
        <Submit class="whole">{shell.password.set}</Submit>
      </CardForm>
      <p class="hint">{texts.recovery.signsOut}</p>
    </>
  )
  return sendCard(ctx, call, {
    title: texts.recovery.newPasswordFor(name),
    refused: refusedForm('/user/recover_account', problem),
    headers: unkept,
    content,
  })
}

/** Target of the mailed link. */
export const recoverAccountPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/recover_account',
  cost: 'usual',
  requires: [inBrowser],
  query: { code: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query: { code = '' }, call }) => resetPageOf(ctx, call, { code, ...(await readReset(ctx, code)) }),
})

/** Sets the password without signing in, which needs the password and the second factor. */
export const recoverAccountSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/recover_account',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: ResetForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { code = '', password = '', passcode = '' } = body
    const fields = { password: 'password', two_factor_wrong: 'passcode' }
    const { problem } = await attempt(resetPassword(ctx, code, { password, passcode }), fields)
    // An invalid link is reported as such, not as a problem of the form.
    if (problem) return resetPageOf(ctx, call, { code, ...(await readReset(ctx, code)), problem })
    return redirect(303, siteHref(ctx.config, '/user/login?done=password'))
  },
})
