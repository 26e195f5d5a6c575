import { Type } from 'typebox'
import { endSession, signIn } from '../../auth/session.service.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { empty, redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { Forbidden } from '../../lib/errors.ts'
import { browserOf } from '../shell/browser-of.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import { cookie, noSessionCookies, sessionCookies, ticketCookie } from '../shell/cookies.ts'
import { attempt, Form } from '../shell/plain-form.tsx'
import { page, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { offersSignUp, signInPageOf } from './sign-in-page.tsx'
import { hintedLogin, localTarget } from './sign-in-target.ts'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

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
  load: 'vital',
  requires: [inBrowser],
  query: { redirect_to: Type.Optional(Type.String()), done: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query }) =>
    signInPageOf(ctx, { redirectTo: query.redirect_to, login: hintedLogin(query.redirect_to), done: query.done }),
})

/** Signs in and redirects, or shows the form again without telling which part was wrong. */
export const signInSubmit = operation({
  method: 'POST',
  path: '/user/login',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  load: 'vital',
  requires: [inBrowser, validBody, ownForm],
  body: SignInOption,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    if (!ctx.config.service.enableInternalSignin) {
      throw new Forbidden('passwords do not sign in here', 'internal_sign_in_off')
    }
    const login = (body.user_name ?? '').trim()
    const shown = { redirectTo: body.redirect_to, login }
    const remember = body.remember !== undefined
    const input = {
      login,
      password: body.password ?? '',
      ip: call.ip,
      caller: call,
      remember,
      browser: browserOf(call),
    }
    const { result: session, problem } = await attempt(signIn(ctx, input))
    if (!session) {
      return signInPageOf(ctx, { ...shown, problem: problem ?? { message: texts.signIn.wrong } })
    }
    if ('ticket' in session) {
      const query = body.redirect_to === undefined ? '' : `?redirect_to=${encodeURIComponent(body.redirect_to)}`
      return empty(303, {
        location: sitePath(ctx.config, `user/two_factor${query}`),
        'set-cookie': cookie(ctx.config, ticketCookie(ctx.config), session.ticket, session.ticketSeconds),
      })
    }
    call.cookies.push(...sessionCookies(ctx.config, session))
    return redirect(303, localTarget(ctx.config, body.redirect_to))
  },
})

/** Ends the session of this browser. */
export const signOutSubmit = operation({
  method: 'POST',
  path: '/user/logout',
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
    return redirect(303, sitePath(ctx.config))
  },
})

/** Shows the home page. */
export const home = operation({
  method: 'GET',
  path: '/',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inBrowser],
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx }) {
    const { config, viewer } = ctx
    if (!viewer && config.service.requireSigninView) return redirect(303, sitePath(config, 'user/login'))
    return page(config, {
      title: texts.home.title,
      content: (
        <main class="card">
          <h1>{config.instance.appName}</h1>
          {viewer ? (
            <Form ctx={ctx} to="user/logout">
              <p>
                {texts.home.signedInAs(viewer.user.name)}{' '}
                <a href={sitePath(config, 'user/settings')}>{shared.settings}</a>
              </p>
              <button type="submit" class="second">
                {shared.signOut}
              </button>
            </Form>
          ) : (
            <p>
              <a href={sitePath(config, 'user/login')}>{shared.signIn}</a>
              {offersSignUp(config) ? (
                <>
                  {' '}
                  {texts.home.or} <a href={sitePath(config, 'user/sign_up')}>{texts.home.signUp}</a>
                </>
              ) : null}
            </p>
          )}
          <p>
            <a href={sitePath(config, 'api/swagger')}>{texts.home.api}</a>
          </p>
        </main>
      ),
    })
  },
})
