import { Type } from 'typebox'
import { endSession, signIn } from '../../auth/session.service.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { empty, redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { Forbidden } from '../../lib/errors.ts'
import { browserOf } from '../shell/browser-of.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import { attempt } from '../shell/attempt.ts'
import { siteHref } from '../ui/paths.ts'
import { cookie, forgetHeaders, noSessionCookies, signInCookies, ticketCookie } from '../shell/cookies.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { signInPageOf } from './sign-in-page.tsx'
import { hintedLogin, localTarget } from './sign-in-target.ts'
import { entryTexts as texts } from '../languages/texts.ts'

const SignInOption = requestObject('SignInForm', {
  _csrf: Type.Optional(Type.String()),
  user_name: Type.Optional(Type.String({ maxLength: 254 })),
  password: Type.Optional(Type.String({ maxLength: 255 })),
  remember: Type.Optional(Type.String()),
  redirect_to: Type.Optional(Type.String({ maxLength: 16_384 })),
})

const SignOutOption = requestObject('SignOutForm', { _csrf: Type.Optional(Type.String()) })

/** Shows the sign-in form. */
export const signInPage = operation({
  method: 'GET',
  path: '/user/login',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  cost: 'vital',
  requires: [inBrowser],
  query: { redirect_to: Type.Optional(Type.String()), done: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query, call }) =>
    signInPageOf(ctx, call, { redirectTo: query.redirect_to, login: hintedLogin(query.redirect_to), done: query.done }),
})

/** Signs in and redirects, or shows the form again without telling which part was wrong. */
export const signInSubmit = operation({
  method: 'POST',
  path: '/user/login',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  cost: 'vital',
  requires: [inBrowser, validBody, ownForm],
  body: SignInOption,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    if (!ctx.config.service.enableInternalSignin) {
      throw new Forbidden('passwords do not sign in here', 'internal_sign_in_off')
    }
    const login = (body.user_name ?? '').trim()
    const remember = body.remember !== undefined
    const shown = { redirectTo: body.redirect_to, login, remember }
    const input = {
      login,
      password: body.password ?? '',
      ip: call.ip,
      caller: call,
      remember,
      browser: browserOf(ctx.config, call),
    }
    const { result: session, problem } = await attempt(signIn(ctx, input))
    if (!session) {
      return signInPageOf(ctx, call, { ...shown, problem: problem ?? { message: texts.signIn.wrong } })
    }
    if ('ticket' in session) {
      const query = body.redirect_to === undefined ? '' : `?redirect_to=${encodeURIComponent(body.redirect_to)}`
      return empty(303, {
        location: siteHref(ctx.config, `/user/two_factor${query}`),
        'set-cookie': cookie(ctx.config, ticketCookie(ctx.config), session.ticket, session.ticketSeconds),
      })
    }
    call.cookies.push(...signInCookies(ctx.config, session))
    return redirect(303, localTarget(ctx.config, body.redirect_to))
  },
})

/** Ends the session of this browser. */
export const signOutSubmit = operation({
  method: 'POST',
  path: '/user/logout',
  cost: 'usual',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inBrowser, validBody, ownForm],
  body: SignOutOption,
  reply: { 303: 'empty' },
  async run({ ctx, call }) {
    const { viewer, sessionId } = ctx
    if (viewer && sessionId !== undefined) await endSession(ctx, viewer.id, sessionId)
    call.cookies.push(...noSessionCookies(ctx.config))
    return empty(303, { location: siteHref(ctx.config, '/'), ...forgetHeaders })
  },
})
