import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

const settings = '/user/settings/account'

/** Sends a form as a browser does that shows the page with the given address. */
const sendFrom = async (browser: Browser, at: string, fields: Record<string, string>, referer: string) =>
  browser.send('POST', at, { _csrf: await browser.csrf(settings), ...fields }, { accept: 'text/html', referer })

test('changePasswordSubmit: a form that is too large says so in words and leads back to its page', async () => {
  await using forge = await startForge({ users: ['ada'] })
  const ada = await Browser.of(forge, 'ada')
  const send = (referer: string) => sendFrom(ada, settings, { password: 'x'.repeat(100_000) }, referer)
  const { status, text } = await send(`${forge.url}${settings}`)
  assert.equal(status, 413)
  assert.match(text, /<h1>Too large<\/h1>/)
  assert.match(text, /This form takes at most 64 KB/)
  assert.match(text, /href="\/user\/settings\/account" class="button primary">Back to the form/)
  for (const elsewhere of ['https://evil.example/', `${forge.url}//evil.example/`, 'nothing']) {
    assert.doesNotMatch((await send(elsewhere)).text, /Back to the form|evil/, elsewhere)
  }
})

test('createRepositoryAct: an account over its quota learns where to see what it stores', async () => {
  await using forge = await startForge({ users: ['ada', 'bob'], settings: { quota: { ENABLED: true } } })
  await forge.as('ada').must('POST', '/user/repos', { name: 'first', auto_init: true })
  await forge.settle()
  const root = forge.as('root')
  await root.must('POST', '/admin/quota/groups', {
    name: 'full',
    rules: [{ name: 'none', limit: 0, subjects: ['size:all'] }],
  })
  await root.must('PUT', '/admin/quota/groups/full/users/ada')
  const ada = await Browser.of(forge, 'ada')
  const { status, text } = await ada.submit('/repo/create', '/repo/create', { owner: 'ada', name: 'one' })
  assert.equal(status, 413)
  assert.match(
    text,
    /Your account is over its quota.*<a[^>]*href="\/user\/settings\/storage_overview">See what is stored/,
  )
})

test('confirmAddressAgainSubmit: a form that was sent too often leads back to its page, not to a second try', async () => {
  await using forge = await startForge({
    users: ['ada'],
    settings: {
      service: { REGISTER_EMAIL_CONFIRM: true },
      mailer: { ENABLED: true, PROTOCOL: 'dummy', FROM: 'a@b.c' },
    },
  })
  const ada = await Browser.of(forge, 'ada')
  await forge.as('ada').must('POST', '/user/emails', { emails: ['ada@work.example.com'] })
  const again = () =>
    sendFrom(ada, `${settings}/email/again`, { email: 'ada@work.example.com' }, `${forge.url}${settings}`)
  let answer = await again()
  for (let sent = 0; sent < 20 && answer.status === 303; sent++) answer = await again()
  assert.equal(answer.status, 429)
  assert.match(answer.text, /<h1>Too many requests<\/h1>/)
  assert.match(answer.text, /href="\/user\/settings\/account"[^>]*>Back to the form/)
  assert.doesNotMatch(answer.text, /Try again<\/a>/)
})
