import { Type } from 'typebox'
import { renderSVG } from 'uqr'
import { completeSignIn, isTicket } from '../auth/session.service.ts'
import { totpAddress } from '../auth/totp.ts'
import {
  beginEnrolment,
  disableTwoFactor,
  enrol,
  hasTwoFactor,
  openEnrolment,
  renewScratch,
} from '../auth/two-factor.service.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { bytesOf, operation, validBody } from '../http/operation.ts'
import { empty, redirect } from '../http/reply.ts'
import { requestObject } from '../http/schema.ts'
import { Moved } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { inBrowser, inSession, ownForm, type BrowserCtx } from './browser.requirements.ts'
import { cookie, onceCookie, readCookies, ticketCookie } from './cookies.ts'
import { PasswordField, passwordProblem } from './confirm-password.tsx'
import { Field, Form, FormProblem, problemOf, type Problem } from './form.tsx'
import { htmlErrors, page, secretPage, sitePath } from './page.tsx'
import { SettingsPage, type PersonCtx } from './settings-page.tsx'
import { localTarget, policyLeadingTo } from './sign-in-target.ts'

const text = Type.Optional(Type.String({ maxLength: 16_384 }))
const CodeForm = requestObject('TwoFactorForm', { _csrf: text, passcode: text, token: text, redirect_to: text })
const EnrolForm = requestObject('EnrolTwoFactorForm', { _csrf: text, passcode: text, enrolment: text })
const PasswordForm = requestObject('ConfirmByPasswordForm', { _csrf: text, password: text })

const pages = { base: 'site', scope: null, accepts: ['session'], errors: htmlErrors } as const

/** The two ways to complete a sign-in. */
const ways = {
  code: { path: 'user/two_factor', field: 'passcode', label: 'Code of your device', mode: 'numeric' },
  scratch: { path: 'user/two_factor/scratch', field: 'token', label: 'Scratch code', mode: 'text' },
} as const
type Way = keyof typeof ways

/** What is left of a sign-in whose password was right; who has nothing begins anew. */
function ticketOf(ctx: BrowserCtx, header: string | string[] | undefined): string {
  const ticket = readCookies(header).get(ticketCookie(ctx.config))
  if (ticket === undefined || !isTicket(ctx, ticket)) throw new Moved(303, '/user/login')
  return ticket
}

async function codePage(ctx: BrowserCtx, way: Way, redirectTo: string | undefined, problem?: Problem) {
  const { config } = ctx
  const { path, field, label, mode } = ways[way]
  const other = way === 'code' ? ways.scratch : ways.code
  const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`
  const content = (
    <main class="card">
      <h1>Second factor</h1>
      <FormProblem problem={problem} />
      <Form ctx={ctx} to={path} hidden={{ redirect_to: redirectTo }}>
        <Field
          name={field}
          label={label}
          inputmode={mode}
          autocomplete="one-time-code"
          maxlength={100}
          autofocus
          problem={problem}
        />
        <button type="submit">Sign in</button>
      </Form>
      <p>
        <a href={sitePath(config, other.path + query)}>Use the {other.label.toLowerCase()}</a>
      </p>
    </main>
  )
  return page(config, { title: 'Second factor', content }, { headers: await policyLeadingTo(ctx, redirectTo) })
}

async function answerCode(
  ctx: BrowserCtx,
  way: Way,
  body: {
    readonly passcode?: string | undefined
    readonly token?: string | undefined
    readonly redirect_to?: string | undefined
  },
  ticket: string,
) {
  const given = way === 'code' ? { code: body.passcode ?? '' } : { scratch: body.token ?? '' }
  const session = await completeSignIn(ctx, ticket, given).catch((error: unknown) => problemOf(error))
  if (session === 'expired') return redirect(303, sitePath(ctx.config, 'user/login'))
  if (!session) {
    const message = 'This code is not right, or was used already.'
    return codePage(ctx, way, body.redirect_to, { field: ways[way].field, message })
  }
  if ('message' in session) return codePage(ctx, way, body.redirect_to, session)
  const { config } = ctx
  // The scratch code is gone: another one is made in the settings.
  const target = way === 'code' ? localTarget(config, body.redirect_to) : sitePath(config, 'user/settings/security')
  const isRemembered = session.lifetimeSeconds !== config.session.sessionLifeTime
  const age = isRemembered ? session.lifetimeSeconds : undefined
  return empty(303, { location: target, 'set-cookie': cookie(config, config.session.cookieName, session.secret, age) })
}

const codeQuery = { redirect_to: Type.Optional(Type.String()) }

export const twoFactorPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/two_factor',
  requires: [inBrowser],
  query: codeQuery,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query, call }) {
    ticketOf(ctx, call.headers['cookie'])
    return codePage(ctx, 'code', query.redirect_to)
  },
})

export const twoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/two_factor',
  requires: [inBrowser, validBody, ownForm],
  body: CodeForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  run: ({ ctx, body, call }) => answerCode(ctx, 'code', body, ticketOf(ctx, call.headers['cookie'])),
})

export const twoFactorScratchPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/two_factor/scratch',
  requires: [inBrowser],
  query: codeQuery,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query, call }) {
    ticketOf(ctx, call.headers['cookie'])
    return codePage(ctx, 'scratch', query.redirect_to)
  },
})

export const twoFactorScratchSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/two_factor/scratch',
  requires: [inBrowser, validBody, ownForm],
  body: CodeForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  run: ({ ctx, body, call }) => answerCode(ctx, 'scratch', body, ticketOf(ctx, call.headers['cookie'])),
})

/** What the next page shows once: sealed, so that nothing but this site can read the cookie. */
const oncePurpose = 'shown-once'
const onceSeconds = 300

function showOnce(ctx: BrowserCtx, user: UserRow, scratch: string) {
  const value = ctx.secrets.seal(oncePurpose, JSON.stringify([user.id, nowUnix(ctx.clock) + onceSeconds, scratch]))
  return empty(303, {
    location: sitePath(ctx.config, 'user/settings/security'),
    'set-cookie': cookie(ctx.config, onceCookie(ctx.config), value, onceSeconds),
  })
}

function shownOnce(ctx: BrowserCtx, user: UserRow, header: string | string[] | undefined): string | undefined {
  const value = readCookies(header).get(onceCookie(ctx.config))
  if (value === undefined) return undefined
  try {
    const [userId, until, scratch] = JSON.parse(ctx.secrets.open(oncePurpose, value)) as [number, number, string]
    return userId === user.id && until > nowUnix(ctx.clock) ? scratch : undefined
  } catch {
    // Not sealed here: there is nothing to show.
    return undefined
  }
}

/** What of the page was sent and not taken. */
interface Wrong {
  readonly form: 'scratch' | 'disable'
  readonly problem: Problem
}

function securityContent(ctx: PersonCtx, isEnrolled: boolean, scratch: string | undefined, wrong: Wrong | undefined) {
  const { config } = ctx
  const problemIn = (form: Wrong['form']) => (wrong?.form === form ? wrong.problem : undefined)
  return (
    <SettingsPage ctx={ctx} current="security" title="Signing in">
      {scratch === undefined ? null : (
        <div class="done" role="status">
          Keep this scratch code where your device is not. It signs you in once when the device is lost, and is shown
          now only: <code>{scratch}</code>
        </div>
      )}
      <section class="sheet" aria-labelledby="codes">
        <h2 id="codes">Codes of a device</h2>
        {isEnrolled ? (
          <>
            <p>
              Signing in takes a code of your device. Programs use access tokens, or send the code with the password.
            </p>
            <Form ctx={ctx} to="user/settings/security/two_factor/regenerate_scratch">
              <PasswordField id="scratch_password" problem={problemIn('scratch')} />
              <button type="submit" class="second">
                Make another scratch code
              </button>
            </Form>
            <Form ctx={ctx} to="user/settings/security/two_factor/disable">
              <PasswordField id="disable_password" problem={problemIn('disable')} />
              <button type="submit" class="second">
                Do without codes
              </button>
            </Form>
          </>
        ) : (
          <p>
            The password is enough to sign in.{' '}
            <a href={sitePath(config, 'user/settings/security/two_factor/enroll')}>Add a second factor</a>
          </p>
        )}
      </section>
    </SettingsPage>
  )
}

const securityTitle = 'Signing in - Settings'

async function securityPage(ctx: PersonCtx, wrong: Wrong) {
  const isEnrolled = await hasTwoFactor(ctx, ctx.viewer.id)
  const content = securityContent(ctx, isEnrolled, undefined, wrong)
  return secretPage(ctx.config, { title: securityTitle, content })
}

export const securitySettingsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/security',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, call }) {
    const { config, viewer } = ctx
    const scratch = shownOnce(ctx, viewer.user, call.headers['cookie'])
    const content = securityContent(ctx, await hasTwoFactor(ctx, viewer.id), scratch, undefined)
    const headers: Record<string, string> =
      scratch === undefined ? {} : { 'set-cookie': cookie(config, onceCookie(config), '') }
    return secretPage(config, { title: securityTitle, content }, headers)
  },
})

function enrolPage(ctx: BrowserCtx, user: UserRow, again?: { readonly key: string; readonly sealed: string }) {
  const { config } = ctx
  const { key, sealed } = again ?? beginEnrolment(ctx, user)
  const picture = renderSVG(totpAddress(config.instance.appName, user.name, key))
  const problem = again && { field: 'passcode', message: 'This code is not right. Is the clock of your device?' }
  const content = (
    <main class="card">
      <h1>Add a second factor</h1>
      <p>Read this picture with an authenticator on your device, or type the key below it.</p>
      <img class="picture" alt="The key as a QR code" src={`data:image/svg+xml,${encodeURIComponent(picture)}`} />
      <p>
        <code>{key}</code>
      </p>
      <Form ctx={ctx} to="user/settings/security/two_factor/enroll" hidden={{ enrolment: sealed }}>
        <Field
          name="passcode"
          label="Code that the device shows now"
          inputmode="numeric"
          autocomplete="one-time-code"
          maxlength={20}
          autofocus
          problem={problem}
        />
        <button type="submit">Add it</button>
      </Form>
    </main>
  )
  return secretPage(config, { title: 'Add a second factor', content })
}

export const enrolTwoFactorPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/security/two_factor/enroll',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx }) {
    if (await hasTwoFactor(ctx, ctx.viewer.id)) return redirect(303, sitePath(ctx.config, 'user/settings/security'))
    return enrolPage(ctx, ctx.viewer.user)
  },
})

export const enrolTwoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/two_factor/enroll',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: EnrolForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body }) {
    const { user } = ctx.viewer
    const sealed = body.enrolment ?? ''
    const key = openEnrolment(ctx, user, sealed)
    if (key === undefined) return enrolPage(ctx, user)
    const scratch = await enrol(ctx, user, key, body.passcode ?? '')
    return scratch === undefined ? enrolPage(ctx, user, { key, sealed }) : showOnce(ctx, user, scratch)
  },
})

export const disableTwoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/two_factor/disable',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: PasswordForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const problem = await passwordProblem(ctx, ctx.viewer.user, body.password, call.ip)
    if (problem) return securityPage(ctx, { form: 'disable', problem })
    await disableTwoFactor(ctx, ctx.viewer.id)
    return redirect(303, sitePath(ctx.config, 'user/settings/security'))
  },
})

export const regenerateScratchSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/two_factor/regenerate_scratch',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: PasswordForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    const problem = await passwordProblem(ctx, user, body.password, call.ip)
    if (problem) return securityPage(ctx, { form: 'scratch', problem })
    return showOnce(ctx, user, await renewScratch(ctx, user))
  },
})
