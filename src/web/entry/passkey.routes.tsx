import { Type } from 'typebox'
import { signInByPasskey } from '../../auth/session.service.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { browserOf } from '../shell/browser-of.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import { signInCookies } from '../shell/cookies.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { signInPageOf } from './sign-in-page.tsx'
import { localTarget } from './sign-in-target.ts'
import { entryTexts as texts } from '../languages/texts.ts'

const text = Type.Optional(Type.String({ maxLength: 20_000 }))
const AnswerForm = requestObject('PasskeyAnswerForm', {
  _csrf: text,
  challenge: text,
  response: text,
  remember: text,
  redirect_to: text,
})

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** Signs in with a passkey, whose user verification makes it both factors. */
export const passkeySignInSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/passkey',
  cost: 'vital',
  requires: [inBrowser, validBody, ownForm],
  body: AnswerForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { challenge = '', response = '', remember, redirect_to: redirectTo } = body
    const session = await signInByPasskey(
      ctx,
      { challenge, response },
      browserOf(ctx.config, call),
      remember !== undefined,
    )
    if (!session) {
      return signInPageOf(ctx, call, { redirectTo, problem: { message: texts.signIn.unknownPasskey } })
    }
    call.cookies.push(...signInCookies(ctx.config, session))
    return redirect(303, localTarget(ctx.config, redirectTo))
  },
})
