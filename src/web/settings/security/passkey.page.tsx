import { Type } from 'typebox'
import { addPasskey, askForNew } from '../../../auth/passkey.service.ts'
import { pageErrors } from '../../../http/error-forms.ts'
import { bytesOf, operation, validBody } from '../../../http/operation.ts'
import { redirect } from '../../../http/reply.ts'
import { requestObject } from '../../../http/schema.ts'
import { attempt, refusedForm } from '../../shell/attempt.ts'
import { inBrowser, inSession, ownForm } from '../../shell/browser.requirements.ts'
import { sendCard } from '../../shell/card-page.tsx'
import { unkept } from '../../shell/page-headers.ts'
import { PasskeyForm, passkeyScript } from '../../shell/passkey-form.tsx'
import { confirmationFields, recentSignInFor } from '../../shell/recent-sign-in.tsx'
import { shellTexts as shell } from '../../languages/texts.ts'
import { Link } from '../../ui/link.tsx'
import { Flash } from '../../ui/parts.tsx'
import { siteHref } from '../../ui/paths.ts'
import { confirmPassword } from '../confirm-password.tsx'
import { scratchShown, securitySettingsPage } from './security.page.tsx'
import { settingsPath } from '../settings-frame.tsx'
import { settingsTexts as texts } from '../../languages/texts.ts'

const text = Type.Optional(Type.String({ maxLength: 20_000 }))
const path = '/user/settings/security/passkeys'
const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** Starts to add a passkey: asks for the password, then for the device. */
export const beginPasskeySubmit = operation({
  ...pages,
  method: 'POST',
  path,
  cost: 'usual',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: requestObject('BeginPasskeyForm', { _csrf: text, name: text, password: text, ...confirmationFields }),
  reply: { 200: bytesOf('text/html'), 403: bytesOf('text/html'), 422: bytesOf('text/html') },
  async run({ ctx: known, body, call }) {
    const found = await recentSignInFor('password', known, call, body)
    if ('confirmation' in found) return found.confirmation
    const { ctx } = found
    const { user } = ctx.viewer
    const name = (body.name ?? '').trim()
    const begin = confirmPassword(ctx, call, body.password).then(() => askForNew(ctx, user, name))
    const { result: request, problem } = await attempt(begin, {
      passkey_name: 'name',
      password_unconfirmed: 'password',
    })
    const refused = refusedForm(path, problem, { name })
    if (refused) return securitySettingsPage.showAgain({ ctx, params: {}, call, refused, status: 422 })
    if (!request) throw new Error('a passkey was begun without a request')
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
          <PasskeyForm to={`${path}/add`} passkeyRequest={request} label={texts.passkeys.create} />
          <p>
            <Link to={settingsPath('security')}>{shell.cancel}</Link>
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
  cost: 'usual',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: requestObject('NewPasskeyForm', { _csrf: text, challenge: text, response: text }),
  reply: { 303: 'empty', 422: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const { challenge = '', response = '' } = body
    const { result: scratch, problem } = await attempt(addPasskey(ctx, ctx.viewer.user, { challenge, response }))
    const refused = refusedForm(path, problem)
    if (refused) return securitySettingsPage.showAgain({ ctx, params: {}, call, refused, status: 422 })
    if (scratch !== undefined) call.cookies.push(scratchShown(ctx, scratch))
    return redirect(303, siteHref(ctx.config, settingsPath('security')))
  },
})
