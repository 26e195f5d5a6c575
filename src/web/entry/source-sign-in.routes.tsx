import { Type } from 'typebox'
import { confirmSession, signInVouched, type NewSession, type PendingSignIn } from '../../auth/session.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { bytesOf, operation, validBody, type Call } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { Forbidden, Moved } from '../../lib/errors.ts'
import {
  accountAt,
  getProvider,
  keepPerson,
  linkAccount,
  makeAt,
  mayRegisterAt,
  personAt,
  waitingPerson,
  waitingSeconds,
} from '../../sources/openid/openid.service.ts'
import { beginAt, begunAt, begunSeconds, identityOf, ProviderError } from '../../sources/openid/provider.service.ts'
import type { Source } from '../../sources/source.service.ts'
import { browserOf } from '../shell/browser-of.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import {
  awayCookie,
  cookie,
  cookieFromElsewhere,
  newcomerCookie,
  readCookies,
  signInCookies,
  ticketCookie,
} from '../shell/cookies.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { attempt, refusedForm } from '../shell/attempt.ts'
import { CardForm, sendCard } from '../shell/card-page.tsx'
import { unkept } from '../shell/page-headers.ts'
import { shellTexts as shell } from '../languages/texts.ts'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { ButtonLink } from '../ui/link.tsx'
import type { Problem } from '../ui/page-context.ts'
import { siteHref } from '../ui/paths.ts'
import { localTarget } from './sign-in-target.ts'
import { entryTexts as texts } from '../languages/texts.ts'

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const
const text = Type.Optional(Type.String({ maxLength: 255 }))

/** Logs the reason and shows a general message. */
function providerFailed(ctx: BrowserCtx, source: Source, error: unknown): never {
  if (!(error instanceof ProviderError)) throw error
  ctx.log('warn', 'a sign-in with a provider failed', { source: source.name, reason: error.message })
  throw new Forbidden(`signing in with ${source.name} failed; try again`, 'provider_failed')
}

/** Redirects the browser to the provider of a source. */
export const sourceSignIn = operation({
  ...pages,
  method: 'GET',
  path: '/user/oauth2/{source}',
  cost: 'usual',
  requires: [inBrowser],
  query: { redirect_to: Type.Optional(Type.String({ maxLength: 4096 })) },
  reply: { 303: 'empty' },
  summary: 'Leads to another place where people sign in',
  async run({ ctx, params, query, call }) {
    const source = await getProvider(ctx, params.source)
    const { redirect_to: redirectTo = '' } = query
    const begun = await beginAt(ctx, source, {
      redirectTo,
      remember: false,
      asksAgain: ctx.viewer !== undefined,
    }).catch((error: unknown) => providerFailed(ctx, source, error))
    call.cookies.push(cookieFromElsewhere(ctx.config, awayCookie(ctx.config), begun.kept, begunSeconds))
    return redirect(303, begun.url)
  },
})

/** Sets the session cookies, or asks for the second factor, and redirects. */
async function leadOn(
  ctx: BrowserCtx,
  call: Call,
  session: NewSession | PendingSignIn,
  redirectTo: string | undefined,
) {
  const { config } = ctx
  if ('ticket' in session) {
    const query = redirectTo ? `?redirect_to=${encodeURIComponent(redirectTo)}` : ''
    call.cookies.push(cookie(config, ticketCookie(config), session.ticket, session.ticketSeconds))
    return redirect(303, siteHref(config, `/user/two_factor${query}`))
  }
  call.cookies.push(...signInCookies(config, session))
  return redirect(303, localTarget(config, redirectTo))
}

const enter = async (
  ctx: BrowserCtx,
  call: Call,
  source: Source<'openid'>,
  user: UserRow,
  how: { remember: boolean; redirectTo: string },
) =>
  leadOn(
    ctx,
    call,
    await signInVouched(ctx, user, browserOf(ctx.config, call), {
      remember: how.remember,
      skipsSecondFactor: source.settings.skip_second_factor,
    }),
    how.redirectTo,
  )

/** Redirect target of the provider. */
export const sourceCallback = operation({
  ...pages,
  method: 'GET',
  path: '/user/oauth2/{source}/callback',
  cost: 'usual',
  requires: [inBrowser],
  query: {
    code: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    iss: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
    error_description: Type.Optional(Type.String()),
  },
  reply: { 303: 'empty' },
  summary: 'Takes in who comes back from another place where people sign in',
  async run({ ctx, params, call }) {
    const { config, viewer } = ctx
    const source = await getProvider(ctx, params.source)
    const kept = readCookies(call.headers['cookie']).get(awayCookie(config))
    const begun = kept === undefined ? undefined : begunAt(ctx, source, kept)
    // A browser that did not start the sign-in brings somebody else's answer.
    if (!begun) {
      throw new Forbidden(
        'this sign-in was started in another browser or has expired; start again',
        'sign_in_not_begun',
      )
    }
    call.cookies.push(cookie(config, awayCookie(config), ''))
    const claims = await identityOf(ctx, source, begun, call.rawQuery).catch((error: unknown) =>
      providerFailed(ctx, source, error),
    )
    const person = personAt(ctx, source, claims)
    if (begun.linkTo !== 0) {
      if (viewer?.id !== begun.linkTo) throw new Forbidden('another account is signed in', 'other_account')
      await linkAccount(ctx, source, viewer.user, person)
      return redirect(303, siteHref(config, '/user/settings/links?done=linked'))
    }
    const user = await accountAt(ctx, source, person)
    if (user && user.id === viewer?.id && ctx.sessionId !== undefined) {
      // The session goes on: other tabs of the browser contain forms of it.
      await confirmSession(ctx, user.id, ctx.sessionId)
      return redirect(303, localTarget(config, begun.redirectTo))
    }
    if (user) return enter(ctx, call, source, user, begun)
    call.cookies.push(cookie(config, newcomerCookie(config), keepPerson(ctx, source, claims, begun), waitingSeconds))
    return redirect(303, siteHref(config, '/user/link_account'))
  },
})

async function newcomer(ctx: BrowserCtx, call: Call) {
  const kept = readCookies(call.headers['cookie']).get(newcomerCookie(ctx.config))
  const found = kept === undefined ? undefined : await waitingPerson(ctx, kept)
  if (!found) throw new Moved(303, '/user/login')
  return found
}

interface Shown {
  readonly name: string
  readonly email: string
  readonly problem: Problem
}

function linkPage(
  ctx: BrowserCtx,
  call: Call,
  { source, person }: Awaited<ReturnType<typeof newcomer>>,
  shown?: Shown,
) {
  const { viewer } = ctx
  const content = (
    <>
      <p>{texts.newcomer.unlinked(source.name, person.shownName)}</p>
      {viewer ? (
        <CardForm to="/user/link_account">
          <p>{texts.newcomer.linkHint({ login: viewer.user.name, name: person.shownName, provider: source.name })}</p>
          <Submit class="whole">{texts.newcomer.link(viewer.user.name)}</Submit>
        </CardForm>
      ) : (
        <ButtonLink to={`/user/login?redirect_to=${encodeURIComponent('/user/link_account')}`} class="whole">
          {texts.newcomer.haveAccount}
        </ButtonLink>
      )}
      {!viewer && mayRegisterAt(ctx, person) ? (
        <section class="stack" aria-labelledby="new_title">
          <h2 id="new_title">{texts.newcomer.isNew}</h2>
          <CardForm to="/user/link_account_signup">
            <Field name="user_name" label={shell.name} value={shown?.name ?? person.name} maxlength={40} required />
            {person.isEmailProven ? (
              <p class="hint">{texts.newcomer.address(person.email)}</p>
            ) : (
              <Field
                name="email"
                label={shell.emailAddress}
                type="email"
                value={shown?.email ?? person.email}
                autocomplete="email"
                maxlength={254}
                required
              />
            )}
            <Submit class="whole">{texts.newcomer.create}</Submit>
          </CardForm>
        </section>
      ) : null}
    </>
  )
  const refused = refusedForm('/user/link_account_signup', shown?.problem, {
    user_name: shown?.name,
    email: shown?.email,
  })
  return sendCard(ctx, call, { title: texts.newcomer.title, refused, headers: unkept, content })
}

/** Asks a person from a provider which account is theirs. */
export const linkAccountPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/link_account',
  cost: 'usual',
  requires: [inBrowser],
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, call }) => linkPage(ctx, call, await newcomer(ctx, call)),
})

/** Links the signed-in account to the person from the provider. */
export const linkAccountSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/link_account',
  cost: 'usual',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: requestObject('LinkAccountForm', { _csrf: Type.Optional(Type.String()) }),
  reply: { 303: 'empty' },
  async run({ ctx, call }) {
    const { source, person, waiting } = await newcomer(ctx, call)
    await linkAccount(ctx, source, ctx.viewer.user, person)
    call.cookies.push(cookie(ctx.config, newcomerCookie(ctx.config), ''))
    return redirect(303, localTarget(ctx.config, waiting.redirectTo))
  },
})

/** Creates an account for a person from a provider. */
export const linkAccountSignUp = operation({
  ...pages,
  method: 'POST',
  path: '/user/link_account_signup',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: requestObject('NewcomerForm', { _csrf: Type.Optional(Type.String()), user_name: text, email: text }),
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const found = await newcomer(ctx, call)
    const { source, person, waiting } = found
    const name = (body.user_name ?? '').trim()
    const email = (body.email ?? '').trim()
    const made = attempt(makeAt(ctx, source, person, { name, email }), { name_: 'user_name', email_: 'email' })
    const { result: user, problem } = await made
    if (!user) return linkPage(ctx, call, found, { name, email, problem })
    call.cookies.push(cookie(ctx.config, newcomerCookie(ctx.config), ''))
    return enter(ctx, call, source, user, waiting)
  },
})

/** Where a person arrives who signed in once more in a tab of its own, for a form in another one. */
export const confirmedPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/confirmed',
  cost: 'usual',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  run: ({ ctx, call }) =>
    sendCard(ctx, call, { title: shell.confirmation.done, content: <p>{shell.confirmation.doneLead}</p> }),
})
