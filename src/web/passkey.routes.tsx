import { Type } from 'typebox'
import { addPasskey, askForNew, removePasskey } from '../auth/passkey.service.ts'
import { signInByPasskey } from '../auth/session.service.ts'
import { bytesOf, operation, validBody } from '../http/operation.ts'
import { redirect } from '../http/reply.ts'
import { requestObject } from '../http/schema.ts'
import type { PasskeyId } from '../lib/ids.ts'
import { browserOf } from './browser-of.ts'
import { inBrowser, inSession, ownForm } from './browser.requirements.ts'
import { passwordProblem } from './confirm-password.tsx'
import { sessionCookies } from './cookies.ts'
import { attempt } from './form.tsx'
import { htmlErrors, secretPage, sitePath } from './page.tsx'
import { PasskeyForm, passkeyScript } from './passkey-form.tsx'
import { securityPage, showOnce } from './security-page.tsx'
import { signInPageOf } from './sign-in-page.tsx'
import { localTarget } from './sign-in-target.ts'

const text = Type.Optional(Type.String({ maxLength: 20_000 }))
const AnswerForm = requestObject('PasskeyAnswerForm', {
  _csrf: text,
  challenge: text,
  response: text,
  remember: text,
  redirect_to: text,
})
const BeginForm = requestObject('BeginPasskeyForm', { _csrf: text, name: text, password: text })
const RemoveForm = requestObject('RemovePasskeyForm', {
  _csrf: text,
  id: Type.Optional(Type.Integer()),
  password: text,
})

const pages = { base: 'site', scope: null, accepts: ['session'], errors: htmlErrors } as const

/** Signs in by a passkey alone: the device has verified the person, so it is both factors. */
export const passkeySignInSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/passkey',
  load: 'vital',
  requires: [inBrowser, validBody, ownForm],
  body: AnswerForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { challenge = '', response = '', remember, redirect_to: redirectTo } = body
    const session = await signInByPasskey(ctx, { challenge, response }, browserOf(call), remember !== undefined)
    if (!session) {
      const message = 'This passkey is not known here, or the page was open for too long. Try again.'
      return signInPageOf(ctx, { redirectTo, problem: { message } })
    }
    call.cookies.push(...sessionCookies(ctx.config, session))
    return redirect(303, localTarget(ctx.config, redirectTo))
  },
})

/** Begins to add a passkey: the password is asked for before the device is. */
export const beginPasskeySubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/passkeys',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: BeginForm,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    const name = (body.name ?? '').trim()
    const wrong = await passwordProblem(ctx, user, body.password, call.ip)
    if (wrong) return securityPage(ctx, { wrong: { form: 'add', problem: wrong, name } })
    const { result: asked, problem } = await attempt(askForNew(ctx, user, name), { passkey_name: 'name' })
    if (problem) return securityPage(ctx, { wrong: { form: 'add', problem, name } })
    const content = (
      <main class="card">
        <h1>Add a passkey</h1>
        <p>
          Your device creates the passkey “{name}” and asks you to unlock it. From then on it signs you in, and the
          password alone does not.
        </p>
        <p class="problem" data-without-passkeys>
          This needs a browser that supports passkeys and runs scripts.
        </p>
        <PasskeyForm ctx={ctx} to="user/settings/security/passkeys/add" asked={asked} label="Create the passkey" />
        <p>
          <a href={sitePath(ctx.config, 'user/settings/security')}>Cancel</a>
        </p>
      </main>
    )
    return secretPage(ctx.config, { title: 'Add a passkey', content, scripts: [passkeyScript] })
  },
})

/** Adds the passkey that the device made. */
export const addPasskeySubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/passkeys/add',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: AnswerForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body }) {
    const { challenge = '', response = '' } = body
    const { user } = ctx.viewer
    const { result: scratch, problem } = await attempt(addPasskey(ctx, user, { challenge, response }))
    if (problem) return securityPage(ctx, { wrong: { form: 'add', problem } })
    return scratch === undefined
      ? redirect(303, sitePath(ctx.config, 'user/settings/security'))
      : showOnce(ctx, user, scratch)
  },
})

export const removePasskeySubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/passkeys/remove',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: RemoveForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const wrong = await passwordProblem(ctx, ctx.viewer.user, body.password, call.ip)
    if (wrong) return securityPage(ctx, { wrong: { form: 'remove', problem: wrong } })
    await removePasskey(ctx, ctx.viewer.id, (body.id ?? 0) as PasskeyId)
    return redirect(303, sitePath(ctx.config, 'user/settings/security'))
  },
})
