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
import { cookie, readCookies, signInCookies, ticketCookie } from '../shell/cookies.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { attempt, refusedForm } from '../shell/attempt.ts'
import { CardForm, sendCard } from '../shell/card-page.tsx'
import { shellTexts as shell } from '../languages/texts.ts'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Link } from '../ui/link.tsx'
import type { Problem } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { PasskeyForm, passkeyScript } from '../shell/passkey-form.tsx'
import { localTarget, policyLeadingTo } from './sign-in-target.ts'
import { entryTexts as texts } from '../languages/texts.ts'

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
  code: { path: '/user/two_factor', field: 'passcode', mode: 'numeric' },
  scratch: { path: '/user/two_factor/scratch', field: 'token', mode: 'text' },
} as const
type Way = keyof typeof ways

/** Returns the pending sign-in; redirects to the sign-in page without one. */
async function halfOf(ctx: BrowserCtx, call: Call): Promise<{ readonly ticket: string; readonly user: UserRow }> {
  const ticket = readCookies(call.headers['cookie']).get(ticketCookie(ctx.config))
  const half = ticket === undefined ? undefined : await openTicket(ctx, ticket)
  if (ticket === undefined || !half) throw new Moved(303, '/user/login')
  return { ticket, user: half.user }
}

interface CodePage {
  readonly way: Way
  readonly user: UserRow
  readonly redirectTo: string | undefined
  readonly problem?: Problem
}

async function codePage(ctx: BrowserCtx, call: Call, { way, user, redirectTo, problem }: CodePage) {
  const { path, field, mode } = ways[way]
  const other = way === 'code' ? ways.scratch : ways.code
  const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`
  const [isCoded, passkeyRequest] =
    way === 'code' ? await Promise.all([hasCodes(ctx, user.id), askForSecond(ctx, user.id)]) : [true, undefined]
  const content = (
    <>
      {isCoded ? (
        <CardForm to={path} hidden={{ redirect_to: redirectTo }}>
          <Field
            name={field}
            label={texts.secondFactor[way]}
            inputmode={mode}
            autocomplete="one-time-code"
            maxlength={100}
            required
            autofocus
          />
          <Submit class="whole">{shell.signIn}</Submit>
        </CardForm>
      ) : (
        <p data-without-passkeys>{texts.secondFactor.needsScripts}</p>
      )}
      {passkeyRequest ? (
        <PasskeyForm
          to="/user/two_factor/passkey"
          passkeyRequest={passkeyRequest}
          label={texts.secondFactor.usePasskey}
          hidden={{ redirect_to: redirectTo }}
          isSecond={isCoded}
        />
      ) : null}
      <p>
        <Link to={other.path + query}>
          {way === 'code' ? texts.secondFactor.useScratch : texts.secondFactor.useDevice}
        </Link>
      </p>
    </>
  )
  return sendCard(ctx, call, {
    title: texts.secondFactor.title,
    refused: refusedForm(isCoded ? path : '/user/two_factor/passkey', problem),
    scripts: passkeyRequest ? [passkeyScript] : undefined,
    headers: await policyLeadingTo(ctx, redirectTo),
    content,
  })
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
  const { result: session, problem } = await attempt(completeSignIn(ctx, ticket, browserOf(ctx.config, call), given))
  if (session === 'expired') return redirect(303, siteHref(config, '/user/login'))
  if (!session) {
    const wrong: Problem =
      'passkey' in given
        ? { message: texts.secondFactor.wrongPasskey }
        : { field: ways[way].field, message: texts.secondFactor.wrongCode }
    return codePage(ctx, call, { way, user, redirectTo, problem: problem ?? wrong })
  }
  call.cookies.push(...signInCookies(config, session), cookie(config, ticketCookie(config), ''))
  // The scratch code is used up; the settings create another one.
  return redirect(303, way === 'code' ? localTarget(config, redirectTo) : siteHref(config, '/user/settings/security'))
}

const codeQuery = { redirect_to: Type.Optional(Type.String()) }

export const twoFactorPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/two_factor',
  cost: 'usual',
  requires: [inBrowser],
  query: codeQuery,
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query, call }) =>
    codePage(ctx, call, { way: 'code', user: (await halfOf(ctx, call)).user, redirectTo: query.redirect_to }),
})

export const twoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/two_factor',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: CodeForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  run: ({ ctx, body, call }) => answerSecond(ctx, 'code', { code: body.passcode ?? '' }, body.redirect_to, call),
})

export const twoFactorScratchPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/two_factor/scratch',
  cost: 'usual',
  requires: [inBrowser],
  query: codeQuery,
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query, call }) =>
    codePage(ctx, call, { way: 'scratch', user: (await halfOf(ctx, call)).user, redirectTo: query.redirect_to }),
})

export const twoFactorScratchSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/two_factor/scratch',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: CodeForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  run: ({ ctx, body, call }) => answerSecond(ctx, 'scratch', { scratch: body.token ?? '' }, body.redirect_to, call),
})

export const twoFactorPasskeySubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/two_factor/passkey',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: PasskeyAnswerForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  run({ ctx, body, call }) {
    const { challenge = '', response = '' } = body
    return answerSecond(ctx, 'code', { passkey: { challenge, response } }, body.redirect_to, call)
  },
})
