import { Type } from 'typebox'
import type { Viewer } from '../../auth/viewer.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { requestObject } from '../../http/schema.ts'
import { answerWaitingDevice, findDeviceByCode, type WaitingDevice } from '../../oauth/devices/device.service.ts'
import { oauthOn } from '../../oauth/oauth.requirements.ts'
import { AnswerButtons, AskedScope } from './asked-scope.tsx'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { attempt, Field, Form, type Problem } from '../shell/plain-form.tsx'
import { Moment } from '../shell/moment.tsx'
import { page, secretPage } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { texts } from './texts.tsx'

const pages = { base: 'site', family: 'oauth2', scope: null, accepts: ['session'], errors: pageErrors } as const
const text = Type.Optional(Type.String({ maxLength: 4096 }))

const unknownCode: Problem = {
  field: 'user_code',
  message: texts.device.unknownCode,
}

function codePage(ctx: BrowserCtx, { typed, problem }: { readonly typed: string; readonly problem?: Problem }) {
  const content = (
    <main class="card">
      <h1>{texts.device.title}</h1>
      <p>{texts.device.intro}</p>
      <Form ctx={ctx} to="login/device" problem={problem}>
        <Field
          name="user_code"
          label={texts.device.code}
          value={typed.slice(0, 40)}
          hint={texts.device.codeHint}
          autocomplete="off"
          maxlength={40}
          autofocus
        />
        <button type="submit">{texts.device.continue}</button>
      </Form>
    </main>
  )
  return secretPage(ctx.config, { title: texts.device.title, problem, content })
}

/** Other sites must not embed the page, where they could provoke a click. */
const unframed = { 'cache-control': 'no-store', 'x-frame-options': 'DENY' }

function askPage(ctx: BrowserCtx & { readonly viewer: Viewer }, device: WaitingDevice, problem?: Problem) {
  const { application, ownerName, userCode, address, requestedUnix, scope } = device
  const title = texts.device.allow(application.name)
  const content = (
    <main class="card">
      <h1>{title}</h1>
      <p>
        {texts.device.shown(userCode)} {texts.device.asked(address, <Moment unix={requestedUnix} />)}{' '}
        {texts.device.onlyYours}
      </p>
      <AskedScope login={ctx.viewer.user.name} ownerName={ownerName} scope={scope} />
      <p>{texts.device.revocable}</p>
      <Form ctx={ctx} to="login/device/answer" hidden={{ user_code: userCode, scope }} problem={problem}>
        <AnswerButtons />
      </Form>
    </main>
  )
  return page(ctx.config, { title, problem, content }, { headers: unframed })
}

/** Shows the form for the code of a device. */
export const devicePage = operation({
  ...pages,
  method: 'GET',
  path: '/login/device',
  requires: [inBrowser, oauthOn, inSession],
  query: { user_code: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  // A code in the address only fills the field, because somebody else may have sent it (RFC 8628, 5.4).
  run: async ({ ctx, query }) => codePage(ctx, { typed: query.user_code ?? '' }),
})

/** Looks up the device and asks for consent. */
export const deviceSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/login/device',
  requires: [inBrowser, oauthOn, inSession, validBody, ownForm],
  body: requestObject('DeviceCodeForm', { _csrf: text, user_code: text }),
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const typed = body.user_code ?? ''
    const { result: device, problem } = await attempt(findDeviceByCode(ctx, ctx.viewer, { typed, ip: call.ip }))
    return device ? askPage(ctx, device) : codePage(ctx, { typed, problem: problem ?? unknownCode })
  },
})

/** Receives the answer of the person. */
export const deviceAnswer = operation({
  ...pages,
  method: 'POST',
  path: '/login/device/answer',
  requires: [inBrowser, oauthOn, inSession, validBody, ownForm],
  body: requestObject('DeviceAnswerForm', { _csrf: text, user_code: text, scope: text, granted: text }),
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const sent = { typed: body.user_code ?? '', ip: call.ip }
    const { signedInUnix } = ctx
    const answer = { isGranted: body.granted === 'true', agreedScope: body.scope ?? '', signedInUnix }
    const { result: application, problem } = await attempt(answerWaitingDevice(ctx, ctx.viewer, sent, answer))
    if (!application) return codePage(ctx, { typed: sent.typed, problem })
    const title = answer.isGranted ? texts.device.allowed : texts.device.denied
    const content = (
      <main class="card">
        <h1>{title}</h1>
        <p role="status">
          {answer.isGranted ? texts.device.allowedHint(application.name) : texts.device.deniedHint(application.name)}
        </p>
      </main>
    )
    return secretPage(ctx.config, { title, content })
  },
})
