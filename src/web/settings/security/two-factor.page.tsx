import { Type } from 'typebox'
import { renderSVG } from 'uqr'
import { totpAddress } from '../../../auth/totp.ts'
import { beginEnrolment, enrol, hasCodes, openEnrolment } from '../../../auth/two-factor.service.ts'
import { pageErrors } from '../../../http/error-forms.ts'
import { bytesOf, operation, validBody, type Call } from '../../../http/operation.ts'
import { redirect } from '../../../http/reply.ts'
import { requestObject } from '../../../http/schema.ts'
import { refusedForm } from '../../shell/attempt.ts'
import { inBrowser, inSession, ownForm } from '../../shell/browser.requirements.ts'
import { CardForm, sendCard } from '../../shell/card-page.tsx'
import { unkept } from '../../shell/page-headers.ts'
import { confirmationFields, recentSignInFor } from '../../shell/recent-sign-in.tsx'
import { shellTexts as shell } from '../../languages/texts.ts'
import { Submit } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Link } from '../../ui/link.tsx'
import { siteHref } from '../../ui/paths.ts'
import { scratchShown } from './security.page.tsx'
import { settingsPath, type PersonCtx } from '../settings-frame.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const texts = settingsTexts.security
const text = Type.Optional(Type.String({ maxLength: 16_384 }))
const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const
const path = '/user/settings/security/two_factor/enroll'

function enrolPage(ctx: PersonCtx, call: Call, again?: { readonly key: string; readonly sealed: string }) {
  const { user } = ctx.viewer
  const { key, sealed } = again ?? beginEnrolment(ctx, user)
  const address = totpAddress(ctx.config.instance.appName, user.name, key)
  return sendCard(ctx, call, {
    title: texts.setUp,
    headers: unkept,
    refused: refusedForm(path, again && { field: 'passcode', message: texts.wrongCode }),
    content: (
      <>
        <p>{texts.scan}</p>
        <img class="picture" alt={texts.qrCode} src={`data:image/svg+xml,${encodeURIComponent(renderSVG(address))}`} />
        <p>
          <code>{key}</code>
        </p>
        <p>
          <a href={address}>{texts.openApp}</a>
        </p>
        <CardForm to={path} hidden={{ enrolment: sealed }}>
          <Field
            name="passcode"
            label={texts.currentCode}
            inputmode="numeric"
            autocomplete="one-time-code"
            maxlength={20}
            required
            autofocus
          />
          <Submit class="whole">{texts.turnOn}</Submit>
        </CardForm>
        <p>
          <Link to={settingsPath('security')}>{shell.cancel}</Link>
        </p>
      </>
    ),
  })
}

export const enrolTwoFactorPage = operation({
  ...pages,
  method: 'GET',
  path,
  cost: 'usual',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html'), 303: 'empty', 403: bytesOf('text/html') },
  async run({ ctx, call }) {
    if (await hasCodes(ctx, ctx.viewer.id)) return redirect(303, siteHref(ctx.config, settingsPath('security')))
    const found = await recentSignInFor(true, ctx, call, {})
    return 'confirmation' in found ? found.confirmation : enrolPage(ctx, call)
  },
})

export const enrolTwoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path,
  cost: 'usual',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: requestObject('EnrolTwoFactorForm', { _csrf: text, passcode: text, enrolment: text, ...confirmationFields }),
  reply: { 200: bytesOf('text/html'), 303: 'empty', 403: bytesOf('text/html') },
  async run({ ctx: known, body, call }) {
    const found = await recentSignInFor(true, known, call, body)
    if ('confirmation' in found) return found.confirmation
    const { ctx } = found
    const { user } = ctx.viewer
    const sealed = body.enrolment ?? ''
    const key = openEnrolment(ctx, user, sealed)
    if (key === undefined) return enrolPage(ctx, call)
    const scratch = await enrol(ctx, user, key, body.passcode ?? '')
    if (scratch === undefined) return enrolPage(ctx, call, { key, sealed })
    call.cookies.push(scratchShown(ctx, scratch))
    return redirect(303, siteHref(ctx.config, settingsPath('security')))
  },
})
