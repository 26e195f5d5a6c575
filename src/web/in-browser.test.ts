import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { stepAt, totpAt } from '../auth/totp.ts'
import { nowUnix } from '../lib/time.ts'
import { openContext, skip } from '../testing/chromium.ts'
import { testPassword, type Forge } from '../testing/forge.ts'
import { linkOf, withMail, type CaughtMail } from '../testing/mail.ts'

const settings = { ingot: { SIGN_UP_WORK: 10 }, service: { REGISTER_EMAIL_CONFIRM: true } }

/** A person with their own browser, whose console errors are collected. */
async function personAt(forge: Forge, scripts: boolean) {
  const context = await openContext({ baseURL: forge.url, javaScriptEnabled: scripts, locale: 'en-GB' })
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(`${message.location().url}: ${message.text()}`)
  })
  return { context, page, wrong, [Symbol.asyncDispose]: () => context.close() }
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()

/** Waits for the page with this heading. */
const arriveAt = (page: Page, heading: string | RegExp) =>
  page.getByRole('heading', { name: heading, level: 1 }).waitFor()

async function fillSignUp(page: Page, name: string): Promise<void> {
  await page.goto('/')
  await page.getByRole('link', { name: 'sign up' }).click()
  await arriveAt(page, /^Sign up at/)
  // The form also works before its scripts are loaded.
  await page.waitForLoadState('load')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email address').fill(`${name}@example.com`)
  await page.getByLabel('Password').fill(testPassword)
  await press(page, 'Sign up')
  await arriveAt(page, 'Check your mail')
}

async function confirm(page: Page, forge: Forge, caught: readonly CaughtMail[]): Promise<void> {
  await forge.settle()
  await page.goto(linkOf(forge, caught.at(-1), '/user/activate'))
  await arriveAt(page, 'Create your account')
  await press(page, 'Create it')
  await page.getByRole('status').filter({ hasText: 'Your account is ready' }).waitFor()
}

async function giveName(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name or email address').fill(name)
  await page.getByLabel('Password').fill(testPassword)
  await press(page, 'Sign in')
}

const isIn = (page: Page, name: string) =>
  page.locator('.account-menu strong', { hasText: name }).waitFor({ state: 'attached' })

async function signOut(page: Page): Promise<void> {
  await page.goto('/')
  await page.locator('.account-menu summary').click()
  await press(page, 'Sign out')
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
}

/** Returns a fresh code of the device; the clock advances, because each code is valid once. */
function codeOf(forge: Forge, key: string): string {
  forge.clock.advance(30_000)
  return totpAt(key, stepAt(nowUnix(forge.clock)))
}

/** Enables codes; returns their key and the scratch code of the page. */
async function addCodes(page: Page, forge: Forge): Promise<{ key: string; scratch: string }> {
  await page.goto('/user/settings/security')
  await page.getByRole('link', { name: 'Set up an authenticator app' }).click()
  await arriveAt(page, 'Set up an authenticator app')
  const key = (await page.locator('code').textContent()) ?? ''
  await page.getByLabel('Code that the app shows now').fill('000 000')
  await press(page, 'Turn on')
  await page.getByRole('alert').filter({ hasText: 'not right' }).waitFor()
  await page.getByLabel('Code that the app shows now').fill(codeOf(forge, key))
  await press(page, 'Turn on')
  const scratch = (await page.getByRole('status').locator('code').textContent()) ?? ''
  assert.match(scratch, /^[a-z2-7]{24}$/)
  return { key, scratch }
}

async function giveCode(page: Page, code: string): Promise<void> {
  await arriveAt(page, 'Second factor')
  await page.getByLabel('Code from your authenticator app').fill(code)
  await press(page, 'Sign in')
}

/** An application whose page receives the code. */
async function withApplication(
  forge: Forge,
  use: (authorizePath: string, arrived: () => URL | undefined) => Promise<void>,
): Promise<void> {
  let arrived: URL | undefined
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://application.invalid')
    if (url.pathname === '/back') arrived = url
    response.setHeader('content-type', 'text/html').end('<title>Application</title><h1>Back</h1>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}/back`
    const made = await forge.as('dev').must('POST', '/user/applications/oauth2', {
      name: 'Planner',
      confidential_client: true,
      redirect_uris: [redirect],
    })
    const parameters = { client_id: made.json.client_id, redirect_uri: redirect, response_type: 'code', state: 'st' }
    await use(`/login/oauth/authorize?${new URLSearchParams(parameters)}`, () => arrived)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Authorizes the application and finds it in the settings. */
async function consent(page: Page, authorizePath: string, arrived: () => URL | undefined): Promise<void> {
  await page.goto(authorizePath)
  await arriveAt(page, 'Authorize “Planner”?')
  await press(page, 'Authorize')
  await arriveAt(page, 'Back')
  const back = arrived()
  assert.deepEqual([back?.searchParams.get('state'), back?.searchParams.has('code')], ['st', true])
  await page.goto('/user/settings/applications')
  page.once('dialog', (dialog) => void dialog.accept())
  await press(page, 'Revoke access of Planner')
  await page.getByRole('button', { name: 'Revoke access of Planner' }).waitFor({ state: 'detached' })
}

/** Signs another browser out from the list of sessions. */
async function endSessions(page: Page, other: Page): Promise<void> {
  await page.goto('/user/settings/sessions')
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('button') })
  await rows.nth(1).waitFor()
  await rows.filter({ hasNotText: 'this browser' }).getByRole('button').click()
  await rows.nth(1).waitFor({ state: 'detached' })
  await other.goto('/user/settings')
  await arriveAt(other, /^Sign in to/)
}

test(
  'signUpSubmit, activateSubmit, enrolTwoFactorSubmit, addPasskeySubmit, passkeySignInSubmit, oauthGrant, endSessionSubmit: a browser completes all flows',
  { skip },
  async () => {
    await withMail(
      () => 0,
      async (forge, caught) => {
        await using person = await personAt(forge, true)
        const { context, page, wrong } = person
        const sent = page.waitForRequest((request) => request.method() === 'POST')
        await fillSignUp(page, 'ada')
        assert.match(
          new URLSearchParams((await sent).postData() ?? '').get('nonce') ?? '',
          /^\d+$/,
          'the work was done',
        )
        await confirm(page, forge, caught)
        await giveName(page, 'ada')
        await isIn(page, 'ada')
        const { key } = await addCodes(page, forge)
        await signOut(page)
        await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
        await giveName(page, 'ada')
        await giveCode(page, codeOf(forge, key))
        await isIn(page, 'ada')
        await addPasskey(context, page)
        await signOut(page)
        await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
        await page.getByLabel('Stay signed in').check()
        await press(page, 'Sign in with a passkey')
        await isIn(page, 'ada')
        assert.ok((await context.cookies()).some(({ name }) => name === 'ingot_remember'))
        await withApplication(forge, (path, arrived) => consent(page, path, arrived))
        await using other = await personAt(forge, true)
        await other.page.goto('/user/login')
        await giveName(other.page, 'ada')
        await giveCode(other.page, codeOf(forge, key))
        await isIn(other.page, 'ada')
        await endSessions(page, other.page)
        assert.deepEqual([...wrong, ...other.wrong], [])
      },
      { settings, users: ['dev'] },
    )
  },
)

/** Adds a passkey of a simulated device that confirms everything. */
async function addPasskey(context: BrowserContext, page: Page): Promise<void> {
  const protocol = await context.newCDPSession(page)
  await protocol.send('WebAuthn.enable')
  await protocol.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto('/user/settings/security')
  await page.locator('summary', { hasText: 'Add a passkey' }).click()
  await page.getByLabel('Name of a new passkey').fill('my phone')
  await page.getByRole('region', { name: 'Passkeys' }).getByLabel('Your password').fill(testPassword)
  await press(page, 'Add a passkey')
  await arriveAt(page, 'Add a passkey')
  await press(page, 'Create the passkey')
  await page.getByRole('listitem').filter({ hasText: 'my phone' }).waitFor()
}

test(
  'signUpSubmit, twoFactorSubmit, twoFactorScratchSubmit, oauthGrant, endSessionSubmit: a browser without scripts completes all flows except passkeys',
  { skip },
  async () => {
    await withMail(
      () => 0,
      async (forge, caught) => {
        await using person = await personAt(forge, false)
        const { page } = person
        await fillSignUp(page, 'bea')
        await confirm(page, forge, caught)
        assert.equal(await page.getByRole('button', { name: 'passkey' }).count(), 0)
        await giveName(page, 'bea')
        await isIn(page, 'bea')
        const { key, scratch } = await addCodes(page, forge)
        await using other = await personAt(forge, false)
        await other.page.goto('/user/login')
        await giveName(other.page, 'bea')
        await giveCode(other.page, codeOf(forge, key))
        await isIn(other.page, 'bea')
        await endSessions(page, other.page)
        await giveName(other.page, 'bea')
        await other.page.getByRole('link', { name: 'Use the scratch code' }).click()
        await other.page.getByLabel('Scratch code').fill(scratch)
        await press(other.page, 'Sign in')
        await arriveAt(other.page, 'Two-factor and passkeys')
        await withApplication(forge, (path, arrived) => consent(page, path, arrived))
      },
      { settings, users: ['dev'] },
    )
  },
)
