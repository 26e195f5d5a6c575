import { Type } from 'typebox'
import { addPasskey, askForNew, removePasskey } from '../../auth/passkey.service.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import type { PasskeyId } from '../../lib/ids.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { passwordProblem } from './confirm-password.tsx'
import { attempt } from '../shell/plain-form.tsx'
import { sendCard, unkept } from '../shell/card-page.tsx'
import { texts as shell } from '../shell/texts.tsx'
import { Link } from '../ui/link.tsx'
import { Flash } from '../ui/parts.tsx'
import { sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { PasskeyForm, passkeyScript } from '../shell/passkey-form.tsx'
import { securityPage, showOnce } from './security-page.tsx'
import { texts } from './texts.tsx'

const text = Type.Optional(Type.String({ maxLength: 20_000 }))
const NewPasskeyForm = requestObject('NewPasskeyForm', { _csrf: text, challenge: text, response: text })
const BeginForm = requestObject('BeginPasskeyForm', { _csrf: text, name: text, password: text })
const RemoveForm = requestObject('RemovePasskeyForm', {
  _csrf: text,
  id: Type.Optional(Type.Integer()),
  password: text,
})

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** Starts to add a passkey: asks for the password, then for the device. */
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
    return sendCard(ctx, call, {
      title: texts.passkeys.add,
      headers: unkept,
      scripts: [passkeyScript],
      content: (
        <>
          <p>{texts.passkeys.createHint(name)}</p>
          <div data-without-passkeys>
            <Flash tone="problem">{texts.passkeys.needsScripts}</Flash>
          </div>
          <PasskeyForm to="/user/settings/security/passkeys/add" asked={asked} label={texts.passkeys.create} />
          <p>
            <Link to="/user/settings/security">{shell.cancel}</Link>
          </p>
        </>
      ),
    })
  },
})

/** Adds the passkey of the device. */
export const addPasskeySubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/passkeys/add',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: NewPasskeyForm,
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
