import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../config/load-config.ts'
import { startForge, testPassword } from '../../testing/forge.ts'
import { Browser } from '../../testing/browser.ts'
import { localTarget } from './sign-in-target.ts'
import { basicAuthorization } from '../../testing/samples.ts'

test('signInPage, signInSubmit: name or address with the password sign in, with a session of its own each time', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const first = new Browser(forge)
  const answer = await first.signIn('alice', testPassword)
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/'])
  assert.match(answer.headers.getSetCookie()[0] ?? '', /^ingot_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  assert.match((await first.send('GET', '/')).text, /Signed in as <strong>alice<\/strong>/)
  const second = new Browser(forge)
  assert.equal((await second.signIn('Alice@example.com', testPassword)).status, 303)
  assert.notEqual(first.cookies.get('ingot_session'), second.cookies.get('ingot_session'))
})

test('signInSubmit: a wrong sign-in shows the form with the name and creates no session', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = new Browser(forge)
  for (const [login, password] of [
    ['alice', 'wrong'],
    ['nobody"><script>', testPassword],
  ] as const) {
    const answer = await browser.signIn(login, password)
    assert.equal(answer.status, 200)
    assert.match(answer.text, /role="alert"/)
    assert.match(
      answer.text,
      /<input(?=[^>]*name="password")[^>]*autofocus/,
      'the name stays, the password is typed again',
    )
    assert.doesNotMatch(answer.text, /<input(?=[^>]*name="user_name")[^>]*autofocus/)
    assert.ok(!answer.text.includes('<script>'))
    assert.equal(browser.cookies.has('ingot_session'), false)
  }
})

test('signInSubmit: a form without the hidden field, or sent from another site, is refused', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = new Browser(forge)
  const csrf = await browser.csrf()
  const fields = { user_name: 'alice', password: testPassword }
  assert.equal((await browser.send('POST', '/user/login', fields)).status, 403)
  assert.equal((await browser.send('POST', '/user/login', { ...fields, _csrf: `${csrf}x` })).status, 403)
  const foreign = { origin: 'https://evil.example.com' }
  assert.equal((await browser.send('POST', '/user/login', { ...fields, _csrf: csrf }, foreign)).status, 403)
  const framed = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await browser.send('POST', '/user/login', { ...fields, _csrf: csrf }, framed)).status, 403)
  assert.equal((await browser.send('POST', '/user/login', { ...fields, _csrf: csrf })).status, 303)
})

test('signInSubmit: guessing is slowed down after ten failures, for that name and address alone', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.now() })
  const browser = new Browser(forge)
  for (let attempt = 0; attempt < 10; attempt++) await browser.signIn('alice', `guess ${attempt}`)
  assert.match((await browser.signIn('alice', testPassword)).text, /too many wrong passwords/i)
  assert.equal((await new Browser(forge).signIn('bob', testPassword)).status, 303)
  forge.clock.advance(11 * 60_000)
  assert.equal((await browser.signIn('alice', testPassword)).status, 303)
})

test('the API and git throttle guesses like the form', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.now() })
  await forge.given.repo({ owner: 'alice', private: true })
  const basicOf = (login: string, password: string): string => basicAuthorization(login, password)
  const ask = async (login: string, password: string): Promise<number> =>
    (await forge.guest.get('/user', { headers: { authorization: basicOf(login, password) } })).status
  const guesses = await Promise.all(Array.from({ length: 30 }, (_, index) => ask('Alice', `guess ${index}`)))
  assert.deepEqual(
    [guesses.filter((status) => status === 401).length, guesses.filter((s) => s === 429).length],
    [10, 20],
  )
  assert.equal(await ask('alice', testPassword), 429)
  const headers = { authorization: basicOf('alice', testPassword) }
  const git = await fetch(`${forge.url}/alice/repo1.git/info/refs?service=git-upload-pack`, { headers })
  assert.equal(git.status, 429, 'helpers keep the password')
  assert.match((await new Browser(forge).signIn('alice', testPassword)).text, /too many wrong passwords/i)
  assert.equal((await forge.as('alice').get('/user')).status, 200, 'tokens are not guessed')
  assert.equal(await ask('bob', testPassword), 200)
  forge.clock.advance(11 * 60_000)
  assert.deepEqual(await Promise.all(Array.from({ length: 30 }, () => ask('alice', testPassword))), Array(30).fill(200))
})

test('signOutSubmit ends the session; a session ends by itself, and is no credential for the API', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const browser = new Browser(forge)
  await browser.signIn('alice', testPassword)
  const cookie = `ingot_session=${browser.cookies.get('ingot_session')}`
  assert.equal((await forge.guest.get('/user', { headers: { cookie } })).status, 401)
  const kept = new Browser(forge)
  kept.cookies.set('ingot_session', browser.cookies.get('ingot_session') as string)
  const left = await browser.send('POST', '/user/logout', { _csrf: await browser.csrf('/') })
  assert.equal(left.headers.get('clear-site-data'), '"cache", "storage"')
  assert.equal(browser.cookies.has('ingot_session'), false)
  assert.match((await kept.send('GET', '/')).text, /Sign in/)
  await kept.signIn('alice', testPassword)
  forge.clock.advance(2 * 86_400_000)
  assert.doesNotMatch((await kept.send('GET', '/')).text, /Signed in/)
  await forge.app.scheduler.runNow('delete_expired_sessions')
  await forge.settle()
  assert.deepEqual(await forge.services.db.selectFrom('session').selectAll().execute(), [])
})

test('adminEditUser: a new password ends the sessions of that account', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [alice, bob] = [new Browser(forge), new Browser(forge)]
  await alice.signIn('alice', testPassword)
  await bob.signIn('bob', testPassword)
  await forge.as('root').must('PATCH', '/admin/users/alice', { full_name: 'Alice' })
  assert.match((await alice.send('GET', '/')).text, /Signed in/)
  await forge.as('root').must('PATCH', '/admin/users/alice', { password: 'quite another one' })
  assert.doesNotMatch((await alice.send('GET', '/')).text, /Signed in/)
  assert.match((await bob.send('GET', '/')).text, /Signed in/)
  assert.equal((await alice.signIn('alice', 'quite another one')).status, 303)
})

/** Each one names another site to a browser or a URL parser, at the end or in between. */
const hostileTargets = [
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/user/login/../../..//evil.example',
  '/user/login/../../../\\evil.example',
  '/..//evil.example',
  '/.//evil.example',
  '/./\\evil.example',
  '/%2e%2e//evil.example',
  '/%2E//evil.example',
  '/a/..//evil.example/?b',
  '/a/%2e%2e//evil.example',
  '/..\\/evil.example',
  '/;/..//evil.example',
  '/.//user@evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'evil.example',
  ' //evil.example',
  '',
]

test('signInSubmit leads back to a path of this site only', async () => {
  for (const subPath of ['', '/forge']) {
    const config = { server: { subPath } } as Config
    assert.equal(localTarget(config, '/alice/repo?tab=code'), `${subPath}/alice/repo?tab=code`)
    assert.equal(localTarget(config, '/alice/a%2F%2Fb?c=//d'), `${subPath}/alice/a%2F%2Fb?c=//d`)
    assert.equal(localTarget(config, undefined), `${subPath}/`)
    for (const hostileTarget of hostileTargets) {
      const target = localTarget(config, hostileTarget)
      for (const base of ['https://code.example/forge/user/login', 'http://code.example/']) {
        assert.equal(new URL(target, base).hostname, 'code.example', JSON.stringify([hostileTarget, target]))
      }
      assert.ok(target.startsWith(`${subPath}/`), target)
    }
  }
  await using forge = await startForge({ users: ['alice'] })
  for (const hostileTarget of hostileTargets) {
    const { status, headers } = await new Browser(forge).signIn('alice', testPassword, { redirect_to: hostileTarget })
    assert.equal(status, 303, JSON.stringify(hostileTarget))
    const { origin } = new URL(headers.get('location') ?? '', forge.url)
    assert.equal(origin, forge.url, JSON.stringify(hostileTarget))
  }
})

test('signInPage: works under another host name than the configured one', async () => {
  await using forge = await startForge({ settings: { server: { ROOT_URL: 'https://code.example.com/forge/' } } })
  const page = await fetch(`http://127.0.0.1:${forge.services.config.server.httpPort}/user/login`)
  const text = await page.text()
  for (const [, address = ''] of text.matchAll(/(?:href|src|action)="([^"#]+)"/g)) assert.match(address, /^\/forge\//)
})

test('siteIcon: the sign-in page loads only files of the forge', async () => {
  await using forge = await startForge()
  const { text, headers } = await forge.guest.get('/user/login', { site: true })
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'; style-src 'self';/)
  const links = [...text.matchAll(/<link[^>]*href="([^"]+)"/g)].map(([, href = '']) => new URL(href, forge.url))
  const types = await Promise.all(links.map(async (link) => (await fetch(link)).headers.get('content-type')))
  assert.deepEqual(types, ['image/svg+xml', 'text/css;charset=utf-8'])
})

test('errorPages: browsers are shown a page where programs read a line, and defects by the number of their request', async () => {
  await using forge = await startForge()
  const at = (path: string, accept: string) => forge.guest.get(path, { site: true, headers: { accept } })
  for (const path of ['/nothing/at/all', '/alice/nothing/raw/branch/main/a']) {
    const line = await at(path, '*/*')
    const shown = await at(path, 'text/html,application/xhtml+xml,*/*;q=0.8')
    assert.deepEqual([line.status, shown.status], [shown.status, line.status])
    assert.match(line.headers.get('content-type') ?? '', /^text\/plain/)
    assert.match(shown.headers.get('content-type') ?? '', /^text\/html/, path)
    assert.match(shown.text, /<html lang="en"[^>]*>.*<title>[^<]+ · Ingot<\/title>.*<h1>/)
    assert.match(shown.headers.get('content-security-policy') ?? '', /script-src 'self'; style-src 'self';/)
  }
  assert.match((await at('/api/v1/nothing', 'text/html')).headers.get('content-type') ?? '', /json/)
})
