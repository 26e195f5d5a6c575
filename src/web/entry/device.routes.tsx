import { Type } from 'typebox'
import type { Viewer } from '../../auth/viewer.ts'
import { bytesOf, operation, validBody, type Call } from '../../http/operation.ts'
import { requestObject } from '../../http/schema.ts'
import { answerWaitingDevice, findDeviceByCode, type WaitingDevice } from '../../oauth/devices/device.service.ts'
import { oauthOn } from '../../oauth/oauth.requirements.ts'
import { AnswerButtons, RequestedScope } from './requested-scope.tsx'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { attempt, refusedForm } from '../shell/attempt.ts'
import { CardForm, sendCard } from '../shell/card-page.tsx'
import { unkept } from '../shell/page-headers.ts'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import type { Problem } from '../ui/page-context.ts'
import { Moment } from '../shell/moment.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { confirmationFields, recentSignInFor } from '../shell/recent-sign-in.tsx'
import { entryTexts as texts } from '../languages/texts.ts'

const pages = { base: 'site', family: 'oauth2', scope: null, accepts: ['session'], errors: pageErrors } as const
const text = Type.Optional(Type.String({ maxLength: 4096 }))

const unknownCode = (): Problem => ({ field: 'user_code', message: texts.device.unknownCode })

function codePage(
  ctx: BrowserCtx,
  call: Call,
  { typed, problem }: { readonly typed: string; readonly problem?: Problem },
) {
  const content = (
    <>
      <p>{texts.device.intro}</p>
      <CardForm to="/login/device">
        <Field
          name="user_code"
          label={texts.device.code}
          value={typed.slice(0, 40)}
          hint={texts.device.codeHint}
          autocomplete="off"
          maxlength={40}
          required
          autofocus
        />
        <Submit class="whole">{texts.device.continue}</Submit>
      </CardForm>
    </>
  )
  const refused = refusedForm('/login/device', problem, { user_code: typed })
  return sendCard(ctx, call, { title: texts.device.title, refused, content, headers: unkept })
}

/** Other sites must not embed the page, where they could provoke a click. */
const unframed = { 'cache-control': 'no-store', 'x-frame-options': 'DENY' }

function askPage(ctx: BrowserCtx & { readonly viewer: Viewer }, call: Call, device: WaitingDevice) {
  const { application, ownerName, userCode, address, requestedUnix, scope } = device
  const title = texts.device.allow(application.name)
  const content = (
    <>
      <p>
        {texts.device.shown(userCode)} {texts.device.requestSent(address, <Moment unix={requestedUnix} />)}{' '}
        {texts.device.onlyYours}
      </p>
      <RequestedScope login={ctx.viewer.user.name} ownerName={ownerName} scope={scope} />
      <p>{texts.device.revocable}</p>
      <CardForm to="/login/device/answer" hidden={{ user_code: userCode, scope }}>
        <AnswerButtons />
      </CardForm>
    </>
  )
  return sendCard(ctx, call, { title, content, headers: unframed })
}

/** Shows the form for the code of a device. */
export const devicePage = operation({
  ...pages,
  method: 'GET',
  path: '/login/device',
  cost: 'usual',
  requires: [inBrowser, oauthOn, inSession],
  query: { user_code: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  // A code in the address only fills the field, because somebody else may have sent it (RFC 8628, 5.4).
  run: async ({ ctx, query, call }) => codePage(ctx, call, { typed: query.user_code ?? '' }),
})

/** Looks up the device and asks for consent. */
export const deviceSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/login/device',
  cost: 'usual',
  requires: [inBrowser, oauthOn, inSession, validBody, ownForm],
  body: requestObject('DeviceCodeForm', { _csrf: text, user_code: text }),
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const typed = body.user_code ?? ''
    const { result: device, problem } = await attempt(findDeviceByCode(ctx, ctx.viewer, { typed, ip: call.ip }))
    return device ? askPage(ctx, call, device) : codePage(ctx, call, { typed, problem: problem ?? unknownCode() })
  },
})

/** Receives the answer of the person. */
export const deviceAnswer = operation({
  ...pages,
  method: 'POST',
  path: '/login/device/answer',
  cost: 'usual',
  requires: [inBrowser, oauthOn, inSession, validBody, ownForm],
  body: requestObject('DeviceAnswerForm', {
    _csrf: text,
    user_code: text,
    scope: text,
    granted: text,
    ...confirmationFields,
  }),
  reply: { 200: bytesOf('text/html'), 403: bytesOf('text/html') },
  async run({ ctx: known, body, call }) {
    const found = await recentSignInFor(body.granted === 'true' ? true : undefined, known, call, body)
    if ('confirmation' in found) return found.confirmation
    const { ctx } = found
    const sent = { typed: body.user_code ?? '', ip: call.ip }
    const { signedInUnix } = ctx
    const answer = { isGranted: body.granted === 'true', agreedScope: body.scope ?? '', signedInUnix }
    const { result: application, problem } = await attempt(answerWaitingDevice(ctx, ctx.viewer, sent, answer))
    if (!application) return codePage(ctx, call, { typed: sent.typed, problem })
    const title = answer.isGranted ? texts.device.allowed : texts.device.denied
    const content = (
      <p role="status">
        {answer.isGranted ? texts.device.allowedHint(application.name) : texts.device.deniedHint(application.name)}
      </p>
    )
    return sendCard(ctx, call, { title, content, headers: unkept })
  },
})
