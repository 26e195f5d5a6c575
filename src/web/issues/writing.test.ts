import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('previewText: guests are sent to sign in, a foreign form is refused, and a text is rendered without its scripts', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const guest = new Browser(forge)
  assert.equal((await guest.post('/-/markup', { text: 'a', _csrf: await guest.csrf() })).status, 303)
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf('/user/settings')
  assert.equal((await alice.post('/-/markup', { text: 'a', _csrf: `${csrf}x` })).status, 403)
  const shown = await alice.post('/-/markup', { text: '**bold** <script>alert(1)</script>', _csrf: csrf })
  assert.equal(shown.status, 200)
  assert.match(shown.text, /<strong>bold<\/strong>/)
  assert.doesNotMatch(shown.text, /<script/)
})

test('previewRepositoryText: references lead into the repository; a private one does not exist for strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const issue = await forge.as('alice').post(`${repo.api}/issues`, { title: 'First' })
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const path = `/${repo.fullName}/markup`
  assert.equal((await bob.post(path, { text: '#1', _csrf: await bob.csrf('/user/settings') })).status, 404)
  const { text } = await alice.post(path, { text: `#${issue.json.number}`, _csrf: await alice.csrf('/user/settings') })
  assert.match(text, new RegExp(`/${repo.fullName}/issues/1"`))
})

test('suggestWords: completes people and emoji, and nothing for guests', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  assert.equal((await new Browser(forge).get('/-/suggestions?key=@&q=b')).status, 303)
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get('/-/suggestions?key=@&q=bo')).text, /data-value="@bob"/)
  assert.match((await alice.get('/-/suggestions?key=:&q=tada')).text, /data-value="🎉"/)
  assert.doesNotMatch((await alice.get('/-/suggestions?key=%23&q=1')).text, /role="option"/)
})

test('suggestRepositoryWords: completes issues by number and title, and hides those of a private repository', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  await forge.as('alice').post(`${repo.api}/issues`, { title: 'Anvil <b>cracks</b>' })
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const at = (query: string) => `/${repo.fullName}/suggestions?${query}`
  assert.equal((await bob.get(at('key=%23&q=1'))).status, 404)
  for (const word of ['1', 'cracks']) {
    const { text } = await alice.get(at(`key=%23&q=${word}`))
    assert.match(text, /data-value="#1"/)
    assert.match(text, /Anvil &lt;b>cracks/)
  }
  assert.doesNotMatch((await alice.get(at('key=%23&q=absent'))).text, /role="option"/)
  assert.match((await alice.get(at('key=@&q='))).text, /data-value="@alice"/)
})
