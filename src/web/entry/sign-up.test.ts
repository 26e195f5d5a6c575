import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { Browser, hiddenFields } from '../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { linkOf, textOf, withMail } from '../../testing/mail.ts'
import { isProof } from '../../users/entry/proof-of-work.rules.ts'

const path = '/user/sign_up'

/** Solves the proof of work. */
function solve(challenge: string, name: string, email: string, bits: number): string {
  for (let nonce = 0; ; nonce += 1) {
    const digest = hash('sha256', `${challenge} ${name.toLowerCase()} ${email.toLowerCase()} ${nonce}`, 'buffer')
    if (digest.readUInt32BE(0) >>> (32 - bits) === 0) return String(nonce)
  }
}

interface Typed {
  readonly user_name: string
  readonly email: string
  readonly password?: string
}

/** Sends the sign-up form, with a proof when `works` is true. */
async function signUp(browser: Browser, typed: Typed, works: boolean, more: Record<string, string> = {}) {
  const { text } = await browser.get(path)
  const fields = hiddenFields(text, path)
  const bits = Number(/data-work="(\d+)"/.exec(text)?.[1])
  const nonce = works ? solve(fields['challenge'] ?? '', typed.user_name, typed.email, bits) : ''
  return browser.post(path, { ...fields, password: testPassword, ...typed, nonce, ...more })
}

const alice = { user_name: 'alice', email: 'alice@example.com' }
const quick = { ingot: { SIGN_UP_WORK: 8 } }

/** Returns the problems by field. */
const problemsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<p class="wrong" role="alert" id="(\w+)_problem">([^<]*)</g)].map(([, name, words]) => [
      name,
      words,
    ]),
  ) as Record<string, string>

const exists = async (forge: Forge, name: string): Promise<boolean> =>
  (await forge.as('root').get(`/users/${name}`)).status === 200

test('signUpPage, signUpSubmit: a closed registration refuses sign-ups and is not linked', async () => {
  for (const key of ['DISABLE_REGISTRATION', 'ALLOW_ONLY_EXTERNAL_REGISTRATION', 'REGISTER_EMAIL_CONFIRM']) {
    await using forge = await startForge({ settings: { service: { [key]: true } } })
    const browser = new Browser(forge)
    const csrf = await browser.csrf()
    for (const each of [path, '/user/activate']) {
      assert.equal((await browser.get(each)).status, 403)
      assert.equal((await browser.post(each, { ...alice, _csrf: csrf, password: testPassword })).status, 403)
    }
    assert.equal(await exists(forge, 'alice'), false)
    assert.doesNotMatch((await browser.get('/user/login')).text, /sign_up/)
  }
})

test('signUpSubmit: a proof of work creates the account at once and signs in', async () => {
  await using forge = await startForge({ settings: quick })
  const browser = new Browser(forge)
  const before = browser.cookies.get('ingot_session')
  const made = await signUp(browser, { user_name: ' Alice ', email: 'Alice@Example.com ' }, false)
  assert.equal(made.status, 303, 'blanks around what is typed do not count')
  assert.equal(made.headers.get('location'), '/')
  assert.notEqual(browser.cookies.get('ingot_session'), before)
  assert.match((await browser.get('/')).text, /Signed in as <strong>Alice<\/strong>/)
  assert.equal((await signUp(new Browser(forge), { user_name: 'bob', email: 'bob@example.com' }, true)).status, 303)
  const { json } = await forge.as('root').get('/admin/users')
  assert.deepEqual(
    json.map((user: { login: string; email: string; active: boolean }) => [user.login, user.email, user.active]),
    [
      ['Alice', 'Alice@Example.com', true],
      ['bob', 'bob@example.com', true],
      ['root', 'root@example.com', true],
    ],
  )
})

test('signUpSubmit: errors appear at their field, and values except the password stay', async () => {
  await using forge = await startForge({ users: ['alice'], settings: quick })
  const browser = new Browser(forge)
  for (const [typed, field, words] of [
    [{ user_name: 'a b', email: 'x@example.com' }, 'user_name', 'letters and digits'],
    [{ user_name: 'ALICE', email: 'x@example.com' }, 'user_name', 'is taken'],
    [{ user_name: 'admin', email: 'x@example.com' }, 'user_name', 'reserved'],
    [{ user_name: 'new', email: 'x@example.com\r\nBcc: y@example.com' }, 'email', 'not a valid address'],
    [{ user_name: 'new', email: 'ALICE@example.com' }, 'email', 'already in use'],
    [{ user_name: 'new', email: 'x@example.com', password: 'sh0rt' }, 'password', 'at least 8 characters'],
  ] as const) {
    const { status, text } = await signUp(browser, typed, true)
    assert.equal(status, 200)
    const problems = problemsIn(text)
    assert.deepEqual(Object.keys(problems), [field])
    assert.ok(problems[field]?.includes(words), problems[field])
    assert.match(
      text,
      new RegExp(`<input[^>]*name="${field}"[^>]*aria-invalid="true"[^>]*aria-describedby="[^"]*${field}_problem"`),
    )
    assert.ok(!text.includes(testPassword) && !text.includes('sh0rt'))
    assert.equal(browser.cookies.has('ingot_session'), false)
  }
  const hostile = await signUp(browser, { user_name: '"><script>x', email: 'x@example.com' }, true)
  assert.ok(!hostile.text.includes('<script>x'))
})

test('signUpSubmit: without proof and mail, sign-ups are limited per address and in total', async () => {
  await using forge = await startForge({ settings: quick, standAt: Date.now() })
  const attempt = (index: number, works = false) =>
    signUp(new Browser(forge), { user_name: `u${index}`, email: `u${index}@example.com` }, works)
  assert.deepEqual([(await attempt(1)).status, (await attempt(2)).status], [303, 303])
  const third = await attempt(3)
  assert.equal(third.status, 200)
  assert.match(third.text, /role="alert"[^>]*>.*<span>This was done too often of late; try again in 60 minutes\./)
  assert.equal((await attempt(4, true)).status, 303, 'who does the work is not held up by those who do not')
  forge.clock.advance(3_600_000)
  assert.equal((await attempt(5)).status, 303)
})

test('signUpSubmit: a proof is for one name, address and form, and expires', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const browser = new Browser(forge)
      const begin = async () => {
        const fields = hiddenFields((await browser.get(path)).text, path)
        const challenge = fields['challenge'] ?? ''
        return { fields, challenge, nonce: solve(challenge, 'alice', alice.email, 8) }
      }
      // Such a small proof sometimes fits another name too.
      let begun = await begin()
      const others = () => [
        { name: 'mallory' },
        { email: 'mallory@example.com' },
        { nonce: `${begun.nonce}0` },
        { nonce: '' },
      ]
      const form = () => ({ challenge: begun.challenge, name: 'alice', email: alice.email, nonce: begun.nonce })
      while (others().some((other) => isProof({ ...form(), ...other }, 8))) begun = await begin()
      const { fields, challenge, nonce } = begun
      const send = (more: Record<string, string>) =>
        browser.post(path, { ...fields, ...alice, password: testPassword, nonce, ...more })
      const mailed = async (more: Record<string, string>) => {
        const { headers } = await send(more)
        return headers.get('location') === '/user/activate'
      }
      assert.ok(await mailed({ user_name: 'mallory' }))
      assert.ok(await mailed({ email: 'mallory@example.com' }))
      assert.ok(await mailed({ nonce: `${nonce}0` }))
      assert.ok(await mailed({ nonce: '' }))
      assert.ok(await mailed({ challenge: `x${challenge}` }))
      assert.equal((await send({})).headers.get('location'), '/', 'the work stands for the mail')
      forge.clock.advance(7_201_000)
      const late = { user_name: 'late', email: 'late@example.com' }
      // The last one signed in, so the field against forged requests is another one.
      const stranger = new Browser(forge)
      const { headers } = await stranger.post(path, {
        ...hiddenFields((await stranger.get(path)).text, path),
        ...late,
        challenge,
        password: testPassword,
        nonce: solve(challenge, late.user_name, late.email, 8),
      })
      assert.equal(headers.get('location'), '/user/activate')
      await forge.settle()
      assert.equal(await exists(forge, 'mallory'), false)
      assert.deepEqual([...new Set(caught.flatMap(({ to }) => to))].toSorted(), [
        'alice@example.com',
        'late@example.com',
        'mallory@example.com',
      ])
    },
    { settings: quick },
  )
})

test('activatePage, activateSubmit: the button behind the mailed link creates the account, once', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const browser = new Browser(forge)
      const sent = await signUp(browser, alice, true)
      assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/user/activate'])
      assert.match((await browser.get('/user/activate')).text, /Check your mail/)
      await forge.settle()
      assert.deepEqual(
        caught.map(({ to }) => to),
        [['alice@example.com']],
      )
      const jobs = JSON.stringify(await forge.services.db.selectFrom('event').selectAll().execute())
      for (const secret of [testPassword, alice.email]) assert.ok(!jobs.includes(secret))
      const link = linkOf(forge, caught[0], '/user/activate')
      const page = await browser.get(link)
      assert.deepEqual(
        [page.headers.get('cache-control'), page.headers.get('referrer-policy')],
        ['no-store', 'same-origin'],
      )
      assert.equal(await exists(forge, 'alice'), false, 'programs that look at links make no account')
      assert.equal((await browser.signIn('alice', testPassword)).status, 200)
      const fields = hiddenFields(page.text, '/user/activate')
      const damaged = await browser.post('/user/activate', { ...fields, code: `${fields['code']}x` })
      assert.equal(damaged.status, 404)
      const made = await browser.post('/user/activate', fields)
      assert.deepEqual([made.status, made.headers.get('location')], [303, '/user/login?done=confirmed'])
      assert.equal(browser.cookies.has('ingot_session'), false, 'a link signs nobody in')
      assert.equal((await browser.post('/user/activate', fields)).status, 404)
      assert.equal((await browser.get(link)).status, 404)
      assert.match((await browser.get('/user/login?done=confirmed')).text, /Your account is ready\. Sign in to it\./)
      assert.equal((await browser.signIn('alice', testPassword)).status, 303)
    },
    { settings: { ...quick, service: { REGISTER_EMAIL_CONFIRM: true } } },
  )
})

test('activateSubmit: the first confirmed sign-up gets the name and the address', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const browser = new Browser(forge)
      for (const email of ['first@example.com', 'second@example.com', 'second@example.com']) {
        await signUp(browser, { user_name: 'wanted', email }, true)
      }
      await forge.settle()
      const [first, second, third] = caught.map((mail) => linkOf(forge, mail, '/user/activate'))
      const confirm = async (link = '', more: Record<string, string> = {}) =>
        browser.post('/user/activate', { ...hiddenFields((await browser.get(link)).text, '/user/activate'), ...more })
      assert.equal((await confirm(second)).status, 303)
      const taken = await confirm(first)
      assert.deepEqual([taken.status, problemsIn(taken.text)['user_name']], [200, 'The name wanted is taken.'])
      assert.match(taken.text, /<input[^>]*name="user_name"/, 'another name can be chosen')
      assert.equal((await confirm(first, { user_name: 'other' })).status, 303)
      const again = await confirm(third, { user_name: 'third' })
      assert.equal(again.status, 200)
      assert.match(again.text, /second@example\.com is already in use/)
      assert.equal((await forge.as('root').get('/users/other')).json.email, 'first@example.com')
    },
    { settings: { ...quick, service: { REGISTER_EMAIL_CONFIRM: true } } },
  )
})

test('signUpSubmit, activateAgainSubmit: the reply does not reveal accounts; their owners get a mail', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const signUpWith = async (email: string) => {
        const { status, headers, text } = await signUp(new Browser(forge), { user_name: 'new', email }, true)
        return [status, headers.get('location'), text]
      }
      const known = await signUpWith('alice@example.com')
      assert.deepEqual(await signUpWith('nobody@example.com'), known)
      const again = async (email: string) => {
        const browser = new Browser(forge)
        const fields = hiddenFields((await browser.get('/user/activate')).text, 'activate/again')
        const { status, text } = await browser.post('/user/activate/again', { ...fields, email })
        return [status, text.replaceAll(email, 'ADDRESS').replaceAll(fields['_csrf'] as string, 'CSRF')]
      }
      const expected = await again('alice@example.com')
      assert.equal(expected[0], 200)
      assert.deepEqual(await again('nobody@example.com'), expected)
      assert.deepEqual(await again('stranger@example.com'), expected)
      await forge.settle()
      const to = (email: string) => caught.filter((mail) => mail.to[0] === email)
      assert.equal(to('stranger@example.com').length, 0, 'who asked for nothing is not written to')
      assert.equal(to('nobody@example.com').length, 2)
      const [notice] = to('alice@example.com')
      assert.match(
        notice ? textOf(notice) : '',
        /Subject: You have an account at Our <Forge>[\s\S]*account already: alice\./,
      )
      assert.ok(notice && !textOf(notice).includes('?code='), 'no link makes another account')
      const link = linkOf(forge, to('nobody@example.com')[1], '/user/activate')
      const browser = new Browser(forge)
      const fields = hiddenFields((await browser.get(link)).text, '/user/activate')
      assert.equal((await browser.post('/user/activate', fields)).status, 303, 'a link that was sent again is as good')
    },
    { users: ['alice'], settings: { ...quick, service: { REGISTER_EMAIL_CONFIRM: true } } },
  )
})

test('signUpSubmit: an address gets three mails within an hour and eight within a day, whoever asks, and one client asks for ten', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const ask = (index: number, email: string) => signUp(new Browser(forge), { user_name: `u${index}`, email }, true)
      for (let index = 0; index < 8; index += 1) {
        assert.equal((await ask(index, 'victim@example.com')).headers.get('location'), '/user/activate')
      }
      for (const index of [8, 9]) assert.equal((await ask(index, `u${index}@example.com`)).status, 303)
      const refused = await ask(10, 'u10@example.com')
      assert.match(refused.text, /too often/)
      await forge.settle()
      const toVictim = () => caught.filter(({ to }) => to[0] === 'victim@example.com').length
      assert.equal(toVictim(), 3)
      for (let hour = 0; hour < 4; hour += 1) {
        forge.clock.advance(3_601_000)
        for (let index = 0; index < 4; index += 1) await ask(index, 'victim@example.com')
        await forge.settle()
      }
      assert.ok(toVictim() <= 8, `${toVictim()} mails within a day`)
      forge.clock.advance(90_000_000)
      await forge.app.scheduler.runNow('delete_old_links')
      await forge.settle()
      assert.deepEqual(await forge.services.db.selectFrom('mailed_link').selectAll().execute(), [])
    },
    { settings: { ...quick, service: { REGISTER_EMAIL_CONFIRM: true } }, standAt: Date.now() },
  )
})

test('activatePage: a link ends with its time', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const browser = new Browser(forge)
      await signUp(browser, alice, true)
      await forge.settle()
      const link = linkOf(forge, caught[0], '/user/activate')
      forge.clock.advance(9 * 60_000)
      assert.equal((await browser.get(link)).status, 200)
      forge.clock.advance(2 * 60_000)
      assert.equal((await browser.get(link)).status, 404)
    },
    {
      settings: { ...quick, service: { REGISTER_EMAIL_CONFIRM: true, ACTIVE_CODE_LIVE_MINUTES: 10 } },
      standAt: Date.now(),
    },
  )
})

test('signUpSubmit: an account waits for approval when configured', async () => {
  await using forge = await startForge({ settings: { ...quick, service: { REGISTER_MANUAL_CONFIRM: true } } })
  const browser = new Browser(forge)
  const made = await signUp(browser, alice, true)
  assert.equal(made.headers.get('location'), '/user/login?done=waiting')
  const waiting = await browser.signIn('alice', testPassword)
  assert.match(waiting.text, /waits for the approval of an administrator/)
  assert.doesNotMatch((await browser.signIn('alice', 'wrong')).text, /administrator/, 'others are told nothing')
  await forge.as('root').must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, active: true })
  assert.equal((await browser.signIn('alice', testPassword)).status, 303)
})

test('signUpSubmit, userAddEmail: addresses must be of allowed domains', async () => {
  const service = { EMAIL_DOMAIN_ALLOWLIST: '*.example.com,example.org', EMAIL_DOMAIN_BLOCKLIST: 'bad.example.com' }
  await using forge = await startForge({ settings: { ...quick, service } })
  for (const [email, isTaken] of [
    ['a@mail.example.com', true],
    ['b@EXAMPLE.org', true],
    ['c@bad.example.com', false],
    ['d@example.net', false],
    ['e@evil.org', false],
  ] as const) {
    const name = email.slice(0, 1)
    const { text } = await signUp(new Browser(forge), { user_name: name, email }, true)
    assert.equal(await exists(forge, name), isTaken, email)
    if (!isTaken) assert.ok(problemsIn(text)['email'])
    const added = await forge.as('root').post('/user/emails', { emails: [`x${email}`] })
    assert.equal(added.status, isTaken ? 201 : 422, email)
  }
})

test('signUpScript: is loaded only on forms with a proof of work', async () => {
  await using forge = await startForge({ settings: { ingot: { SIGN_UP_WORK: 0 } } })
  const { text } = await new Browser(forge).get(path)
  assert.doesNotMatch(text, /sign-up\.js|data-work/)
  assert.equal((await signUp(new Browser(forge), alice, false)).status, 303)
  const script = await fetch(`${forge.url}/assets/sign-up.js`)
  assert.equal(script.headers.get('content-type'), 'text/javascript;charset=utf-8')
})
