import { Type } from 'typebox'
import { renderSVG } from 'uqr'
import { totpAddress } from '../../auth/totp.ts'
import {
  beginEnrolment,
  disableCodes,
  enrol,
  hasCodes,
  openEnrolment,
  renewScratch,
} from '../../auth/two-factor.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { Field, Form } from '../shell/plain-form.tsx'
import { secretPage, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { passwordProblem } from './confirm-password.tsx'
import { securityPage, showOnce } from './security-page.tsx'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

const text = Type.Optional(Type.String({ maxLength: 16_384 }))
const EnrolForm = requestObject('EnrolTwoFactorForm', { _csrf: text, passcode: text, enrolment: text })
const PasswordForm = requestObject('ConfirmByPasswordForm', { _csrf: text, password: text })

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

export const securitySettingsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/security',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  run: ({ ctx, call }) => securityPage(ctx, { cookies: call.headers['cookie'] }),
})

function enrolPage(ctx: BrowserCtx, user: UserRow, again?: { readonly key: string; readonly sealed: string }) {
  const { config } = ctx
  const { key, sealed } = again ?? beginEnrolment(ctx, user)
  const problem = again && { field: 'passcode', message: texts.security.wrongCode }
  const address = totpAddress(config.instance.appName, user.name, key)
  const content = (
    <main class="card">
      <h1>{texts.security.setUp}</h1>
      <p>{texts.security.scan}</p>
      <img
        class="picture"
        alt={texts.security.qrCode}
        src={`data:image/svg+xml,${encodeURIComponent(renderSVG(address))}`}
      />
      <p>
        <code>{key}</code>
      </p>
      <p>
        <a href={address}>{texts.security.openApp}</a>
      </p>
      <Form ctx={ctx} to="user/settings/security/two_factor/enroll" hidden={{ enrolment: sealed }} problem={problem}>
        <Field
          name="passcode"
          label={texts.security.currentCode}
          inputmode="numeric"
          autocomplete="one-time-code"
          maxlength={20}
          autofocus
        />
        <button type="submit">{texts.security.turnOn}</button>
      </Form>
      <p>
        <a href={sitePath(config, 'user/settings/security')}>{shared.cancel}</a>
      </p>
    </main>
  )
  return secretPage(config, { title: texts.security.setUp, problem, content })
}

export const enrolTwoFactorPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/security/two_factor/enroll',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx }) {
    if (await hasCodes(ctx, ctx.viewer.id)) return redirect(303, sitePath(ctx.config, 'user/settings/security'))
    return enrolPage(ctx, ctx.viewer.user)
  },
})

export const enrolTwoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/two_factor/enroll',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: EnrolForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body }) {
    const { user } = ctx.viewer
    const sealed = body.enrolment ?? ''
    const key = openEnrolment(ctx, user, sealed)
    if (key === undefined) return enrolPage(ctx, user)
    const scratch = await enrol(ctx, user, key, body.passcode ?? '')
    return scratch === undefined ? enrolPage(ctx, user, { key, sealed }) : showOnce(ctx, user, scratch)
  },
})

export const disableTwoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/two_factor/disable',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: PasswordForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const problem = await passwordProblem(ctx, ctx.viewer.user, body.password, call.ip)
    if (problem) return securityPage(ctx, { wrong: { form: 'disable', problem } })
    await disableCodes(ctx, ctx.viewer.id)
    return redirect(303, sitePath(ctx.config, 'user/settings/security'))
  },
})

export const regenerateScratchSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/two_factor/regenerate_scratch',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: PasswordForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    const problem = await passwordProblem(ctx, user, body.password, call.ip)
    if (problem) return securityPage(ctx, { wrong: { form: 'scratch', problem } })
    return showOnce(ctx, user, await renewScratch(ctx, user))
  },
})
