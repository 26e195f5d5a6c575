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
import { viewerOfPassword } from '../auth/identify.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { bytesOf, operation, validBody } from '../http/operation.ts'
import { empty, redirect } from '../http/reply.ts'
import { requestObject } from '../http/schema.ts'
import { Forbidden, Moved, TooManyRequests } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { csrfName, inBrowser, inSession, ownForm, type BrowserCtx } from './browser.requirements.ts'
import { cookie, onceCookie, readCookies, ticketCookie } from './cookies.ts'
import { htmlErrors, page, sitePath } from './page.tsx'
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

async function codePage(ctx: BrowserCtx, way: Way, redirectTo: string | undefined, problem?: string) {
  const { config, csrf } = ctx
  const { path, field, label, mode } = ways[way]
  const other = way === 'code' ? ways.scratch : ways.code
  const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`
  const content = (
    <main class="card">
      <h1>Second factor</h1>
      {problem === undefined ? null : (
        <p class="problem" role="alert" id="problem">
          {problem}
        </p>
      )}
      <form method="post" action={sitePath(config, path)}>
        <input type="hidden" name={csrfName} value={csrf} />
        {redirectTo === undefined ? null : <input type="hidden" name="redirect_to" value={redirectTo} />}
        <label for={field}>{label}</label>
        <input
          id={field}
          name={field}
          inputmode={mode}
          autocomplete="one-time-code"
          required
          autofocus
          aria-describedby={problem === undefined ? undefined : 'problem'}
        />
        <button type="submit">Sign in</button>
      </form>
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
  const session = await completeSignIn(ctx, ticket, given).catch((error: unknown) => {
    if (error instanceof TooManyRequests) return error
    throw error
  })
  if (session === 'expired') return redirect(303, sitePath(ctx.config, 'user/login'))
  if (!session) return codePage(ctx, way, body.redirect_to, 'This code is not right, or was used already.')
  if (session instanceof TooManyRequests) return codePage(ctx, way, body.redirect_to, session.message)
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

const PasswordField = ({ id }: { readonly id: string }) => (
  <>
    <label for={id}>Password</label>
    <input id={id} name="password" type="password" autocomplete="current-password" required />
  </>
)

export const securitySettingsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/security',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, call }) {
    const { config, csrf, viewer } = ctx
    const scratch = shownOnce(ctx, viewer.user, call.headers['cookie'])
    const isEnrolled = await hasTwoFactor(ctx, viewer.id)
    const content = (
      <main class="card">
        <h1>Second factor</h1>
        {scratch === undefined ? null : (
          <p role="status">
            Keep this scratch code where your device is not. It signs you in once when the device is lost, and is shown
            now only: <code>{scratch}</code>
          </p>
        )}
        {isEnrolled ? (
          <>
            <p>
              Signing in takes a code of your device. Programs use access tokens, or send the code with the password.
            </p>
            <form method="post" action={sitePath(config, 'user/settings/security/two_factor/regenerate_scratch')}>
              <input type="hidden" name={csrfName} value={csrf} />
              <PasswordField id="scratch_password" />
              <button type="submit">Make another scratch code</button>
            </form>
            <form method="post" action={sitePath(config, 'user/settings/security/two_factor/disable')}>
              <input type="hidden" name={csrfName} value={csrf} />
              <PasswordField id="disable_password" />
              <button type="submit">Do without a second factor</button>
            </form>
          </>
        ) : (
          <p>
            The password is enough to sign in.{' '}
            <a href={sitePath(config, 'user/settings/security/two_factor/enroll')}>Add a second factor</a>
          </p>
        )}
        <p>
          <a href={sitePath(config, 'user/settings')}>Settings</a>
        </p>
      </main>
    )
    const headers: Record<string, string> = { 'cache-control': 'no-store' }
    if (scratch !== undefined) headers['set-cookie'] = cookie(config, onceCookie(config), '')
    return page(config, { title: 'Second factor', content }, { headers })
  },
})

function enrolPage(ctx: BrowserCtx, user: UserRow, again?: { readonly key: string; readonly sealed: string }) {
  const { config, csrf } = ctx
  const { key, sealed } = again ?? beginEnrolment(ctx, user)
  const picture = renderSVG(totpAddress(config.instance.appName, user.name, key))
  const content = (
    <main class="card">
      <h1>Add a second factor</h1>
      {again === undefined ? null : (
        <p class="problem" role="alert" id="problem">
          This code is not right. Is the clock of your device?
        </p>
      )}
      <p>Read this picture with an authenticator on your device, or type the key below it.</p>
      <img class="picture" alt="The key as a QR code" src={`data:image/svg+xml,${encodeURIComponent(picture)}`} />
      <p>
        <code>{key}</code>
      </p>
      <form method="post" action={sitePath(config, 'user/settings/security/two_factor/enroll')}>
        <input type="hidden" name={csrfName} value={csrf} />
        <input type="hidden" name="enrolment" value={sealed} />
        <label for="passcode">Code that the device shows now</label>
        <input id="passcode" name="passcode" inputmode="numeric" autocomplete="one-time-code" required autofocus />
        <button type="submit">Add it</button>
      </form>
    </main>
  )
  return page(config, { title: 'Add a second factor', content }, { headers: { 'cache-control': 'no-store' } })
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

/** Who left a browser open has not left the second factor to whoever finds it: the password is asked for. */
async function checkPassword(ctx: BrowserCtx, user: UserRow, password: string | undefined, ip: string): Promise<void> {
  const viewer = await viewerOfPassword(ctx, { login: user.name, password: password ?? '', ip })
  if (viewer?.id !== user.id) throw new Forbidden('the password is not right', 'password_wrong')
}

export const disableTwoFactorSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/security/two_factor/disable',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: PasswordForm,
  reply: { 303: 'empty' },
  async run({ ctx, body, call }) {
    await checkPassword(ctx, ctx.viewer.user, body.password, call.ip)
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
  reply: { 303: 'empty' },
  async run({ ctx, body, call }) {
    const { user } = ctx.viewer
    await checkPassword(ctx, user, body.password, call.ip)
    return showOnce(ctx, user, await renewScratch(ctx, user))
  },
})
