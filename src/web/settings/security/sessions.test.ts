import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../../testing/forge.ts'
import { inLanguage } from '../../languages/reader.ts'
import { clientName } from './client-name.rules.ts'

const path = '/user/settings/sessions'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function signedIn(forge: Forge, more: Record<string, string> = {}, name = 'alice'): Promise<Browser> {
  const browser = new Browser(forge)
  assert.equal((await browser.signIn(name, testPassword, more)).status, 303)
  return browser
}

const isIn = async (browser: Browser): Promise<boolean> => (await browser.get('/')).text.includes('Signed in as')

const remember = { remember: 'on' }
const stays = (browser: Browser) => browser.cookies.get('ingot_remember')
const dayMs = 86_400_000

test('signInSubmit: a remembered browser resumes its session with new cookies', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const browser = new Browser(forge)
  const answer = await browser.signIn('alice', testPassword, remember)
  const cookies = answer.headers.getSetCookie()
  assert.match(
    cookies.find((each) => each.startsWith('ingot_remember=')) ?? '',
    /=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2678400$/,
  )
  assert.doesNotMatch(cookies.find((each) => each.startsWith('ingot_session=')) ?? '', /Max-Age/)
  assert.equal(stays(await signedIn(forge)), undefined, 'only where it was asked for')
  const first = [stays(browser), browser.cookies.get('ingot_session')]
  forge.clock.advance(3 * dayMs)
  assert.ok(await isIn(browser))
  const second = [stays(browser), browser.cookies.get('ingot_session')]
  assert.ok(first[0] !== second[0] && first[1] !== second[1])
  assert.ok(await isIn(browser))
  assert.deepEqual([stays(browser), browser.cookies.get('ingot_session')], second, 'once for each time it is needed')
  const kept = JSON.stringify(await forge.services.db.selectFrom('session').selectAll().execute())
  for (const secret of [...first, ...second]) assert.ok(!kept.includes(secret as string), 'hashes alone are kept')
  for (let days = 0; days < 60; days += 20) {
    forge.clock.advance(20 * dayMs)
    assert.ok(await isIn(browser), 'as long as it comes by')
  }
  forge.clock.advance(32 * dayMs)
  assert.equal(await isIn(browser), false)
  await forge.app.scheduler.runNow('delete_expired_sessions')
  await forge.settle()
  assert.deepEqual(await forge.services.db.selectFrom('session').selectAll().execute(), [])
})

test('signInSubmit: a remember secret is valid once; its second use ends the session', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const browser = await signedIn(forge, remember)
  const thief = new Browser(forge)
  thief.cookies.set('ingot_remember', stays(browser) as string)
  forge.clock.advance(2 * dayMs)
  assert.ok(await isIn(browser))
  forge.clock.advance(30_000)
  const beside = new Browser(forge)
  beside.cookies.set('ingot_remember', thief.cookies.get('ingot_remember') as string)
  assert.ok(await isIn(beside), 'requests that the browser sent at once')
  assert.equal(beside.cookies.has('ingot_session'), false, 'get no cookies of their own')
  forge.clock.advance(31_000)
  assert.equal(await isIn(thief), false)
  assert.equal(await isIn(browser), false, 'nobody knows who of the two is the thief')
})

test('signInSubmit: concurrent requests resume a session once', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const browser = await signedIn(forge, remember)
  forge.clock.advance(2 * dayMs)
  const secret = stays(browser) as string
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const tab = new Browser(forge)
      tab.cookies.set('ingot_remember', secret)
      return [await isIn(tab), tab.cookies.has('ingot_session')] as const
    }),
  )
  assert.ok(answers.every(([signed]) => signed))
  assert.equal(answers.filter(([, renewed]) => renewed).length, 1)
})

test('signOutSubmit: signing out, a new password and barring end a remembered session', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const end = async (how: (browser: Browser) => Promise<unknown>) => {
    const browser = await signedIn(forge, remember)
    const copy = new Browser(forge)
    copy.cookies.set('ingot_remember', stays(browser) as string)
    await how(browser)
    return isIn(copy)
  }
  const edit = (change: object) =>
    forge.as('root').must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, ...change })
  assert.equal(await end(async (browser) => browser.post('/user/logout', { _csrf: await browser.csrf('/') })), false)
  assert.equal(await end(() => edit({ password: testPassword })), false)
  assert.equal(await end(() => edit({ prohibit_login: true })), false)
  await edit({ prohibit_login: false })
})

test('sessionsPage, endSessionSubmit, endOtherSessionsSubmit: list and sign out the browsers of the account only', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.now() })
  const here = new Browser(forge)
  const fields = { _csrf: await here.csrf(), user_name: 'alice', password: testPassword, remember: 'on' }
  await here.send('POST', '/user/login', fields, { 'user-agent': `${firefox} <script>` })
  const [second, third, bob] = [await signedIn(forge), await signedIn(forge), await signedIn(forge, {}, 'bob')]
  const page = await here.get(path)
  assert.match(
    page.text,
    /<strong>Firefox on Linux<\/strong><span class="tag good">this browser<\/span>.*stays signed in/,
  )
  assert.equal(page.text.match(/An unknown browser<\/strong>/g)?.length, 2)
  assert.match(page.text, /127\.0\.0\.1<\/span><span>signed in <relative-time datetime="/)
  const ids = async () =>
    (await forge.as('alice').get('/api/service/v1/user/sessions', { site: true })).json as { id: number }[]
  const [newest] = await ids()
  const end = async (browser: Browser, to: string, more: Record<string, string> = {}) =>
    browser.post(`${path}/${to}`, { _csrf: await browser.csrf(path), ...more })
  assert.equal((await end(bob, 'end', { id: String(newest?.id) })).status, 404, 'not those of others')
  assert.equal((await end(here, 'end')).status, 404)
  assert.equal((await end(here, 'end', { id: String(newest?.id) })).status, 303)
  assert.deepEqual([await isIn(second), await isIn(third)], [true, false])
  assert.equal((await end(here, 'end_others')).status, 303)
  assert.deepEqual([await isIn(here), await isIn(second), await isIn(bob)], [true, false, true])
  const [own] = await ids()
  const left = await end(here, 'end', { id: String(own?.id) })
  assert.equal(left.headers.get('location'), '/user/login')
  assert.deepEqual([await isIn(here), stays(here)], [false, undefined])
})

test('userListSessions, userEndSession: the same for programs', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const browser = await signedIn(forge, remember)
  const list = '/api/service/v1/user/sessions'
  const { json } = await forge.as('alice').get(list, { site: true })
  assert.deepEqual([json.length, json[0].address, json[0].stays_signed_in], [1, '127.0.0.1', true])
  assert.equal((await forge.guest.get(list, { site: true })).status, 401)
  const remove = (who: string) => forge.as(who).send('DELETE', `${list}/${json[0].id}`, undefined, { site: true })
  assert.equal((await remove('bob')).status, 404)
  assert.ok(await isIn(browser))
  assert.deepEqual([(await remove('alice')).status, (await remove('alice')).status], [204, 404])
  assert.equal(await isIn(browser), false)
})

test('signInSubmit: a used session lasts, and an account has at most fifty', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const first = await signedIn(forge)
  for (let hours = 0; hours < 60; hours += 20) {
    forge.clock.advance(20 * 3_600_000)
    assert.ok(await isIn(first))
    await forge.settle()
  }
  for (let days = 0; days < 31; days += 0.5) {
    forge.clock.advance(dayMs / 2)
    await isIn(first)
    await forge.settle()
  }
  assert.equal(await isIn(first), false, 'and not for ever')
  const oldest = await signedIn(forge)
  for (let count = 0; count < 50; count += 1) await signedIn(forge)
  assert.equal(await isIn(oldest), false)
  assert.equal((await forge.services.db.selectFrom('session').selectAll().execute()).length, 50)
})

test('signInSubmit: a sign-in never uses a session that existed before', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = new Browser(forge)
  const fixed = 'A'.repeat(43)
  browser.cookies.set('ingot_session', fixed)
  browser.cookies.set('ingot_remember', fixed)
  await browser.signIn('alice', testPassword)
  assert.notEqual(browser.cookies.get('ingot_session'), fixed)
  assert.equal(stays(browser), undefined)
  const attacker = new Browser(forge)
  attacker.cookies.set('ingot_session', fixed)
  attacker.cookies.set('ingot_remember', fixed)
  assert.equal(await isIn(attacker), false)
})

test('clientName: returns short names of browsers', () => {
  for (const [userAgent, name] of [
    [firefox, 'Firefox on Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1', 'Safari on iOS'],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/156.0 Safari/537.36', 'Chrome on Linux'],
    ['w3m/0.5.3', 'A text browser'],
    ['', 'An unknown browser'],
  ] as const) {
    assert.equal(
      inLanguage('en', () => clientName(userAgent)),
      name,
    )
  }
})
