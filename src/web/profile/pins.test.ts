import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, unescaped } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

/** The cards of pinned repositories, by the addresses of the repositories. */
const cardsOf = (html: string) =>
  [...html.matchAll(/<li class="pinned-card">.*?<a href="([^"]*)"/gs)].map(([, address]) => address)

const problemIn = (html: string) => unescaped(/class="wrong"[^>]*>([^<]*)</.exec(html)?.[1] ?? '')

test('pinsPage, choosePins, suggestPins: only the account itself and owners of the organization', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  const bob = await Browser.of(forge, 'bob')
  const csrf = await bob.csrf('/repo/create')
  for (const name of ['alice', 'smiths']) {
    const at = `/${name}/-/pins`
    assert.equal((await new Browser(forge).get(at)).status, 303)
    assert.equal((await bob.get(at)).status, 403)
    assert.equal((await bob.get(`${at}/candidates`)).status, 403)
    assert.equal((await bob.post(at, { _csrf: csrf, repositories: '' })).status, 403)
    assert.ok(!(await bob.get(`/${name}`)).text.includes(`${at}"`))
    assert.ok((await (await Browser.of(forge, 'alice')).get(`/${name}`)).text.includes(`${at}"`))
  }
})

test('choosePins: six at most, existing ones, in order; each reader sees what they may see', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const alice = await Browser.of(forge, 'alice')
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) {
    await forge.given.repo({ owner: 'alice', name, private: name === 'two' })
  }
  await forge.given.repo({ owner: 'bob', name: 'tool' })
  await forge.given.repo({ owner: 'bob', name: 'secret', private: true })
  const at = '/alice/-/pins'
  const choose = (...names: readonly string[]) =>
    alice.submit(at, `action="${at}"`, { repositories: names.join('\r\n') })
  const many = await choose('one', 'two', 'three', 'four', 'five', 'six', 'seven')
  assert.deepEqual([many.status, problemIn(many.text)], [422, 'At most 6 repositories are pinned.'])
  assert.match(many.text, /seven<\/textarea>/, 'what was typed is kept')
  const hidden = await choose('one', 'bob/secret')
  assert.deepEqual([hidden.status, problemIn(hidden.text)], [422, 'There is no repository bob/secret.'])
  const done = await choose('bob/tool', 'Two', 'alice/one', 'two')
  assert.deepEqual([done.status, done.headers.get('location')], [303, '/alice'])
  assert.deepEqual(cardsOf((await alice.get('/alice')).text), ['/bob/tool', '/alice/two', '/alice/one'])
  const carol = await Browser.of(forge, 'carol')
  assert.deepEqual(cardsOf((await carol.get('/alice')).text), ['/bob/tool', '/alice/one'])
  assert.deepEqual(cardsOf((await carol.get('/alice?q=one')).text), [], 'a search shows what it found')
  await forge.as('bob').must('PATCH', '/repos/bob/tool', { private: true })
  assert.deepEqual(cardsOf((await alice.get('/alice')).text), ['/alice/two', '/alice/one'])
  await forge.as('alice').must('DELETE', '/repos/alice/one')
  assert.deepEqual(cardsOf((await alice.get('/alice')).text), ['/alice/two'])
  await choose()
  assert.deepEqual(cardsOf((await alice.get('/alice')).text), [])
})

test('choosePins: two at once leave one of the choices', async () => {
  await using forge = await startForge({ users: ['alice'] })
  for (const name of ['one', 'two']) await forge.given.repo({ owner: 'alice', name })
  const at = '/alice/-/pins'
  const browsers = await Promise.all([1, 2, 3, 4].map(() => Browser.of(forge, 'alice')))
  const csrf = await Promise.all(browsers.map((browser) => browser.csrf('/repo/create')))
  const replies = await Promise.all(
    browsers.map((browser, index) =>
      browser.post(at, { _csrf: csrf[index] ?? '', repositories: index % 2 === 0 ? 'one\ntwo' : 'two\none' }),
    ),
  )
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([303]))
  const cards = cardsOf((await (browsers[0] as Browser).get('/alice')).text)
  assert.deepEqual(new Set(replies.map(({ headers }) => headers.get('location'))), new Set(['/alice']))
  assert.ok(['/alice/one /alice/two', '/alice/two /alice/one'].includes(cards.join(' ')), cards.join(' '))
})

test('choosePins: an organization pins its own repositories, and only while they are its own', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const api = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  await api.must('POST', '/orgs/smiths/repos', { name: 'anvil' })
  await forge.given.repo({ owner: 'alice', name: 'mine' })
  const alice = await Browser.of(forge, 'alice')
  const at = '/smiths/-/pins'
  const foreign = await alice.submit(at, `action="${at}"`, { repositories: 'alice/mine' })
  assert.deepEqual([foreign.status, problemIn(foreign.text)], [422, 'An organization pins its own repositories.'])
  assert.deepEqual(
    [...(await alice.get(`${at}/candidates?q=smiths/an`)).text.matchAll(/data-value="([^"]*)"/g)].map(
      ([, name]) => name,
    ),
    ['smiths/anvil'],
  )
  await alice.submit(at, `action="${at}"`, { repositories: 'anvil' })
  const cards = async () => cardsOf((await new Browser(forge).get('/smiths')).text)
  assert.deepEqual(await cards(), ['/smiths/anvil'])
  await api.must('POST', '/repos/smiths/anvil/transfer', { new_owner: 'alice' })
  assert.deepEqual(await cards(), [])
})

test('profile: README, pinned repositories and the heat map come before the list', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const api = forge.as('alice')
  await forge.given.repo({ owner: 'alice', name: '.profile' })
  await api.must('POST', '/repos/alice/.profile/contents/about.md', { content: '', message: 'about' })
  const alice = await Browser.of(forge, 'alice')
  await alice.submit('/alice/-/pins', 'action="/alice/-/pins"', { repositories: '.profile' })
  await forge.settle()
  const { text } = await (await Browser.of(forge, 'bob')).get('/alice')
  const places = ['class="markdown', 'class="pinned-repos"', 'class="heatmap"', 'class="filters"'].map((part) =>
    text.indexOf(part),
  )
  assert.ok(!places.includes(-1), String(places))
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  )
  await api.must('PATCH', '/user/settings', { hide_activity: true })
  assert.ok(!(await new Browser(forge).get('/alice')).text.includes('class="heatmap"'))
  assert.ok((await alice.get('/alice')).text.includes('class="heatmap"'))
})

test('profile: the heat map counts what a person did in organizations, for those who may see it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const api = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  for (const [name, isPrivate] of [
    ['open', false],
    ['closed', true],
  ] as const) {
    await api.must('POST', '/orgs/smiths/repos', { name, private: isPrivate })
    await api.must('POST', `/repos/smiths/${name}/issues`, { title: 'Cool it' })
  }
  await forge.settle()
  const countFor = async (name: string) => {
    const { text } = await (await Browser.of(forge, name)).get('/alice')
    return Number(/<figcaption>(\d+) contributions?/.exec(text)?.[1])
  }
  // Creating a repository counts as well.
  assert.deepEqual([await countFor('alice'), await countFor('carol')], [4, 2])
})
