import { Type } from 'typebox'
import { askForSecond } from '../../auth/passkey.service.ts'
import { completeSignIn, openTicket } from '../../auth/session.service.ts'
import { hasCodes } from '../../auth/two-factor.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { bytesOf, operation, validBody, type Call } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { Moved } from '../../lib/errors.ts'
import { browserOf } from '../shell/browser-of.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import { cookie, readCookies, sessionCookies, ticketCookie } from '../shell/cookies.ts'
import { attempt, Field, Form, type Problem } from '../shell/plain-form.tsx'
import { page, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { PasskeyForm, passkeyScript } from '../shell/passkey-form.tsx'
import { localTarget, policyLeadingTo } from './sign-in-target.ts'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

const text = Type.Optional(Type.String({ maxLength: 16_384 }))
const CodeForm = requestObject('TwoFactorForm', { _csrf: text, passcode: text, token: text, redirect_to: text })
const PasskeyAnswerForm = requestObject('SecondPasskeyForm', {
  _csrf: text,
  challenge: text,
  response: text,
  redirect_to: text,
})

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** The two pages that complete a sign-in. */
const ways = {
  code: { path: 'user/two_factor', field: 'passcode', label: texts.secondFactor.code, mode: 'numeric' },
  scratch: { path: 'user/two_factor/scratch', field: 'token', label: texts.secondFactor.scratch, mode: 'text' },
} as const
type Way = keyof typeof ways

/** Returns the pending sign-in; redirects to the sign-in page without one. */
async function halfOf(ctx: BrowserCtx, call: Call): Promise<{ readonly ticket: string; readonly user: UserRow }> {
  const ticket = readCookies(call.headers['cookie']).get(ticketCookie(ctx.config))
  const half = ticket === undefined ? undefined : await openTicket(ctx, ticket)
  if (ticket === undefined || !half) throw new Moved(303, '/user/login')
  return { ticket, user: half.user }
}

async function codePage(ctx: BrowserCtx, way: Way, user: UserRow, redirectTo: string | undefined, problem?: Problem) {
  const { config } = ctx
  const { path, field, label, mode } = ways[way]
  const other = way === 'code' ? ways.scratch : ways.code
  const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`
  const [isCoded, asked] =
    way === 'code' ? await Promise.all([hasCodes(ctx, user.id), askForSecond(ctx, user.id)]) : [true, undefined]
  const content = (
    <main class="card">
      <h1>{texts.secondFactor.title}</h1>
      {isCoded ? (
        <Form ctx={ctx} to={path} hidden={{ redirect_to: redirectTo }} problem={problem}>
          <Field name={field} label={label} inputmode={mode} autocomplete="one-time-code" maxlength={100} autofocus />
          <button type="submit">{shared.signIn}</button>
        </Form>
      ) : (
        <p data-without-passkeys>{texts.secondFactor.needsScripts}</p>
      )}
      {asked ? (
        <PasskeyForm
          ctx={ctx}
          to="user/two_factor/passkey"
          asked={asked}
          label={texts.secondFactor.usePasskey}
          hidden={{ redirect_to: redirectTo }}
          problem={isCoded ? undefined : problem}
          isSecond={isCoded}
        />
      ) : null}
      <p>
        <a href={sitePath(config, other.path + query)}>
          {way === 'code' ? texts.secondFactor.useScratch : texts.secondFactor.useDevice}
        </a>
      </p>
    </main>
  )
  const parts = { title: texts.secondFactor.title, problem, content, scripts: asked ? [passkeyScript] : [] }
  return page(config, parts, { headers: await policyLeadingTo(ctx, redirectTo) })
}

async function answerSecond(
  ctx: BrowserCtx,
  way: Way,
  given: Parameters<typeof completeSignIn>[3],
  redirectTo: string | undefined,
  call: Call,
) {
  const { config } = ctx
  const { ticket, user } = await halfOf(ctx, call)
  const { result: session, problem } = await attempt(completeSignIn(ctx, ticket, browserOf(call), given))
  if (session === 'expired') return redirect(303, sitePath(config, 'user/login'))
  if (!session) {
    const wrong: Problem =
      'passkey' in given
        ? { message: texts.secondFactor.wrongPasskey }
        : { field: ways[way].field, message: texts.secondFactor.wrongCode }
    return codePage(ctx, way, user, redirectTo, problem ?? wrong)
  }
  call.cookies.push(...sessionCookies(config, session), cookie(config, ticketCookie(config), ''))
  // The scratch code is used up; the settings create another one.
  return redirect(303, way === 'code' ? localTarget(config, redirectTo) : sitePath(config, 'user/settings/security'))
}

const codeQuery = { redirect_to: Type.Optional(Type.String()) }

export const twoFactorPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/two_factor',
  requires: [inBrowser],
  query: codeQuery,
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query, call }) => codePage(ctx, 'code', (await halfOf(ctx, call)).user, query.redirect_to),
})

export const twoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/two_factor',
  requires: [inBrowser, validBody, ownForm],
  body: CodeForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  run: ({ ctx, body, call }) => answerSecond(ctx, 'code', { code: body.passcode ?? '' }, body.redirect_to, call),
})

export const twoFactorScratchPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/two_factor/scratch',
  requires: [inBrowser],
  query: codeQuery,
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query, call }) => codePage(ctx, 'scratch', (await halfOf(ctx, call)).user, query.redirect_to),
})

export const twoFactorScratchSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/two_factor/scratch',
  requires: [inBrowser, validBody, ownForm],
  body: CodeForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  run: ({ ctx, body, call }) => answerSecond(ctx, 'scratch', { scratch: body.token ?? '' }, body.redirect_to, call),
})

export const twoFactorPasskeySubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/two_factor/passkey',
  requires: [inBrowser, validBody, ownForm],
  body: PasskeyAnswerForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  run({ ctx, body, call }) {
    const { challenge = '', response = '' } = body
    return answerSecond(ctx, 'code', { passkey: { challenge, response } }, body.redirect_to, call)
  },
})
