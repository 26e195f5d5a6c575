import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepAt, totpAt } from '../../auth/totp.ts'
import { nowUnix } from '../../lib/time.ts'
import { Browser, hiddenFields } from '../../testing/browser.ts'
import { startForge, testPassword, type Forge, type ForgeOptions } from '../../testing/forge.ts'
import { linkOf, textOf, withMail, type CaughtMail } from '../../testing/mail.ts'

const askPath = '/user/forgot_password'
const resetPath = '/user/recover_account'
const next = 'An0ther-Pass!'

const taken = (use: (forge: Forge, caught: CaughtMail[]) => Promise<void>, options: ForgeOptions = {}) =>
  withMail(() => 0, use, { users: ['alice'], ...options })

async function ask(forge: Forge, email: string) {
  const browser = new Browser(forge)
  return browser.post(askPath, { ...hiddenFields((await browser.get(askPath)).text, askPath), email })
}

/** Returns the link of the last mail. */
async function linkFor(forge: Forge, caught: CaughtMail[], email = 'alice@example.com'): Promise<string> {
  assert.equal((await ask(forge, email)).status, 200)
  await forge.settle()
  return linkOf(forge, caught.at(-1), resetPath)
}

async function reset(forge: Forge, link: string, password: string, more: Record<string, string> = {}) {
  const browser = new Browser(forge)
  const page = await browser.get(link)
  if (page.status !== 200) return page
  return browser.post(resetPath, { ...hiddenFields(page.text, resetPath), password, ...more })
}

test('forgotPasswordPage, forgotPasswordSubmit: without mail the page is refused and not linked', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = new Browser(forge)
  const csrf = await browser.csrf()
  assert.equal((await browser.get(askPath)).status, 403)
  assert.equal((await browser.post(askPath, { _csrf: csrf, email: 'alice@example.com' })).status, 403)
  assert.doesNotMatch((await browser.get('/user/login')).text, /forgot_password/)
})

test('forgotPasswordSubmit: the reply is the same for every address; only accounts get a mail', async () => {
  await taken(async (forge, caught) => {
    const answers = await Promise.all(
      ['alice@example.com', 'nobody@example.com'].map(async (email) => {
        const { status, text } = await ask(forge, email)
        return [status, text.replaceAll(email, 'ADDRESS')]
      }),
    )
    assert.deepEqual(answers[0], answers[1])
    assert.match((await ask(forge, 'x@example.com\r\nBcc: y@example.com')).text, /aria-invalid="true"/)
    // The mail is written by a job, which sends none to whom an administrator keeps out.
    await forge.settle()
    await forge
      .as('root')
      .must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, prohibit_login: true })
    await forge.settle()
    assert.deepEqual(
      caught.splice(0).map(({ to }) => to),
      [['alice@example.com']],
    )
    await ask(forge, 'root@example.com')
    await ask(forge, 'alice@example.com')
    await forge.settle()
    assert.deepEqual(
      caught.map(({ to }) => to),
      [['root@example.com']],
      'nor to whom an administrator keeps out',
    )
    assert.match(caught[0] ? textOf(caught[0]) : '', /another password for the account root/)
  })
})

test('recoverAccountPage, recoverAccountSubmit: the link sets a password once, ends all sessions and signs nobody in', async () => {
  await taken(async (forge, caught) => {
    const elsewhere = new Browser(forge)
    await elsewhere.signIn('alice', testPassword)
    const [first, second] = [await linkFor(forge, caught), await linkFor(forge, caught, 'ALICE@example.com')]
    const page = await new Browser(forge).get(first)
    assert.deepEqual(
      [page.headers.get('cache-control'), page.headers.get('referrer-policy')],
      ['no-store', 'same-origin'],
    )
    const weak = await reset(forge, first, 'short')
    assert.match(weak.text, /id="password_problem"[^>]*>The password needs at least 8 characters/)
    const done = await reset(forge, first, next)
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/user/login?done=password'])
    assert.equal(
      done.headers.getSetCookie().some((each) => each.startsWith('ingot_session')),
      false,
    )
    assert.doesNotMatch((await elsewhere.get('/')).text, /Signed in/)
    assert.equal((await new Browser(forge).signIn('alice', testPassword)).status, 200)
    assert.equal((await elsewhere.signIn('alice', next)).status, 303)
    const again = await reset(forge, first, 'Yet-an0ther!')
    assert.equal(again.status, 404, 'once')
    assert.match(again.text, /<h1>This link does not work any more/)
    assert.equal((await reset(forge, second, 'Yet-an0ther!')).status, 404, 'nor any other of before')
  })
})

test('recoverAccountPage: a link ends with its time, with another password, with another address, and when it is damaged', async () => {
  await taken(
    async (forge, caught) => {
      const status = async (link: string) => (await new Browser(forge).get(link)).status
      const late = await linkFor(forge, caught)
      assert.equal(await status(late), 200)
      assert.equal(await status(`${late}x`), 404)
      assert.equal(await status(late.replace(resetPath, '/user/activate_email')), 404, 'a link does one thing')
      forge.clock.advance(181 * 60_000)
      assert.equal(await status(late), 404)
      const edit = (change: object) =>
        forge.as('root').must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, ...change })
      const beforePassword = await linkFor(forge, caught)
      await edit({ password: next })
      assert.equal(await status(beforePassword), 404)
      const beforeAddress = await linkFor(forge, caught)
      await edit({ email: 'other@example.com' })
      assert.equal(await status(beforeAddress), 404)
    },
    { standAt: Date.now() },
  )
})

test('recoverAccountSubmit: an account with a second factor must show it', async () => {
  await taken(async (forge, caught) => {
    const browser = new Browser(forge)
    await browser.signIn('alice', testPassword)
    const enrol = '/user/settings/security/two_factor/enroll'
    const { text } = await browser.get(enrol)
    const key = /<code>([A-Z2-7]{32})<\/code>/.exec(text)?.[1] ?? ''
    const code = (steps = 0) => totpAt(key, stepAt(nowUnix(forge.clock)) + steps)
    await browser.post(enrol, { ...hiddenFields(text, enrol), passcode: code() })
    const scratch = /<code>([a-z2-7]{24})<\/code>/.exec((await browser.get('/user/settings/security')).text)?.[1] ?? ''
    const link = await linkFor(forge, caught)
    for (const passcode of ['', '000000', 'wrong']) {
      assert.match((await reset(forge, link, next, { passcode })).text, /id="passcode_problem"/)
    }
    assert.match((await browser.get('/')).text, /Signed in/, 'nothing has changed')
    assert.equal((await reset(forge, link, next, { passcode: code() })).status, 303)
    const half = await new Browser(forge).signIn('alice', next)
    assert.equal(half.headers.get('location'), '/user/two_factor', 'and again to sign in')
    assert.equal((await reset(forge, await linkFor(forge, caught), testPassword, { passcode: scratch })).status, 303)
  })
})

test('recoverAccountSubmit: one of two concurrent uses of a link succeeds', async () => {
  await taken(async (forge, caught) => {
    const link = await linkFor(forge, caught)
    const answers = await Promise.all(['One-Pass-1!', 'Two-Pass-2!'].map((password) => reset(forge, link, password)))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [303, 404],
    )
  })
})

test('forgotPasswordSubmit: an address that was added through the API resets no password', async () => {
  await taken(async (forge, caught) => {
    await forge.as('alice').must('POST', '/user/emails', { emails: ['mallory@example.com'] })
    await forge.settle()
    caught.splice(0)
    assert.equal((await ask(forge, 'mallory@example.com')).status, 200)
    await forge.settle()
    assert.deepEqual(caught, [])
    await ask(forge, 'alice@example.com')
    await forge.settle()
    assert.deepEqual(
      caught.map(({ to }) => to),
      [['alice@example.com']],
    )
  })
})
