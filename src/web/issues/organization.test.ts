import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('organizationIssuesPage: the list has the issues of all repositories that the viewer may read, with counts and filters', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  for (const [name, isPrivate] of [
    ['open', false],
    ['secret', true],
  ] as const) {
    await alice.must('POST', '/orgs/guild/repos', { name, private: isPrivate, auto_init: true })
    await alice.must('POST', `/repos/guild/${name}/issues`, { title: `first <b>of</b> ${name}` })
    await alice.must('POST', `/repos/guild/${name}/issues`, { title: `closed of ${name}`, closed: true })
  }
  const { json: label } = await alice.must('POST', '/orgs/guild/labels', { name: 'odd one', color: '#001122' })
  await alice.must('POST', '/repos/guild/open/issues/1/labels', { labels: [label.id] })
  const elsewhere = await forge.given.repo({ owner: 'alice', name: 'elsewhere' })
  await alice.must('POST', `${elsewhere.api}/issues`, { title: 'of no organization' })
  const path = '/org/guild/issues'
  const [owner, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const titles = async (browser: Browser, q?: string) => {
    const { status, text } = await browser.get(q === undefined ? path : `${path}?q=${encodeURIComponent(q)}`)
    assert.equal(status, 200)
    return [...text.matchAll(/class="row-title"[^>]*>([^<]*(?:&lt;b>of&lt;\/b>[^<]*)?)</g)].map(([, title]) => title)
  }
  const first = (name: string) => `first &lt;b>of&lt;/b> ${name}`
  assert.deepEqual(await titles(owner), [first('secret'), first('open')])
  assert.deepEqual(await titles(bob), [first('open')])
  assert.deepEqual(await titles(new Browser(forge)), [first('open')])
  assert.deepEqual(await titles(owner, 'is:closed'), ['closed of secret', 'closed of open'])
  assert.deepEqual(await titles(owner, 'is:all label:"odd one"'), [first('open')])
  assert.deepEqual(await titles(owner, 'is:open -label:"odd one"'), [first('secret')])
  assert.deepEqual(await titles(owner, 'is:pr'), [])
  const shown = (await owner.get(path)).text
  assert.match(shown, /2 open/i)
  assert.match(shown, /2 closed/i)
  assert.match(shown, /guild\/secret#1/)
  assert.match((await bob.get(path)).text, /1 open/i)
  assert.match((await bob.get(`${path}?q=author:nobody-here`)).text, /Nothing here is called/)
  assert.match((await bob.get(`${path}?q=sort:updated`)).text, /newest first/)
  assert.match((await bob.get('/guild')).text, /href="\/org\/guild\/issues"/)
  await alice.must('PATCH', '/orgs/guild', { visibility: 'private' })
  assert.equal((await bob.get(path)).status, 404)
})
