import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

const exploreSettings = (settings: Record<string, boolean>) => ({ settings: { 'service.explore': settings } })

test('explore: leads to the repositories', async () => {
  await using forge = await startForge()
  const { status, headers } = await new Browser(forge).get('/explore')
  assert.deepEqual([status, headers.get('location')], [303, '/explore/repos'])
})

test('exploreRepos: settings that require a sign-in refuse guests', async () => {
  for (const section of ['service', 'service.explore']) {
    await using forge = await startForge({
      users: ['alice'],
      settings: { [section]: { REQUIRE_SIGNIN_VIEW: true } },
    })
    const guest = new Browser(forge)
    for (const path of ['/explore/repos', '/explore/users', '/explore/organizations']) {
      const { status, text } = await guest.get(path)
      assert.equal(status, 401, path)
      assert.ok(text.includes('Sign in to go on') && !text.includes('Explore repositories'), path)
    }
    assert.equal((await (await Browser.of(forge, 'alice')).get('/explore/repos')).status, 200)
  }
})

test('exploreUsers, exploreOrganizations: a setting removes the page and its tab', async () => {
  await using forge = await startForge(exploreSettings({ DISABLE_USERS_PAGE: true, DISABLE_ORGANIZATIONS_PAGE: true }))
  const guest = new Browser(forge)
  for (const path of ['/explore/users', '/explore/organizations']) {
    assert.equal((await guest.get(path)).status, 404, path)
    assert.ok(!(await guest.get('/explore/repos')).text.includes(`href="${path}"`), path)
  }
})

test('exploreRepos: searches, filters and sorts the repositories that the viewer may see', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const anvil = await forge.given.repo({ owner: 'alice', name: 'anvil', description: 'Holds iron' })
  const bellows = await forge.given.repo({ owner: 'alice', name: 'bellows', private: true })
  await forge.as('bob').must('POST', `${anvil.api}/forks`, { name: 'anvil-of-bob' })
  const file = { content: Buffer.from('export const a = 1\n').toString('base64'), message: 'add' }
  await forge.as('alice').must('POST', `${anvil.api}/contents/a.ts`, file)
  await forge.settle()
  const [guest, alice] = [new Browser(forge), await Browser.of(forge, 'alice')]
  const namesIn = async (browser: Browser, query = ''): Promise<string[]> =>
    [
      ...(await browser.get(`/explore/repos${query}`)).text.matchAll(
        /class="row-title" href="\/([^"]+)"|href="\/([^"]+)" class="row-title"/g,
      ),
    ].map(([, one, other]) => one ?? other ?? '')
  assert.deepEqual((await namesIn(guest)).toSorted(), ['alice/anvil', 'bob/anvil-of-bob'])
  assert.ok((await namesIn(alice)).includes(bellows.fullName))
  assert.deepEqual(await namesIn(guest, '?sort=alphabetically'), ['alice/anvil', 'bob/anvil-of-bob'])
  assert.deepEqual(await namesIn(guest, '?sort=reversealphabetically'), ['bob/anvil-of-bob', 'alice/anvil'])
  assert.deepEqual(await namesIn(guest, '?kind=fork'), ['bob/anvil-of-bob'])
  assert.deepEqual(await namesIn(guest, '?q=IRON&kind=source'), ['alice/anvil'])
  assert.deepEqual(await namesIn(guest, '?language=TypeScript'), ['alice/anvil'])
  assert.deepEqual(await namesIn(guest, '?language=Rust'), [])
  assert.match((await guest.get('/explore/repos?language=Rust')).text, /No repository matches/)
})

test('exploreUsers: lists people, searches them, and hides private accounts', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  await forge.as('root').must('PATCH', '/admin/users/carol', { visibility: 'private' })
  const guest = new Browser(forge)
  const all = (await guest.get('/explore/users')).text
  assert.ok(all.includes('href="/alice"') && all.includes('href="/bob"') && !all.includes('href="/carol"'))
  const found = (await guest.get('/explore/users?q=ali')).text
  assert.ok(found.includes('href="/alice"') && !found.includes('href="/bob"'))
  const newest = (await guest.get('/explore/users?sort=newest')).text
  assert.ok(newest.indexOf('href="/bob"') < newest.indexOf('href="/alice"'))
})

test('exploreOrganizations: lists organizations by name and text', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.given.org({ name: 'smiths', description: 'They forge' })
  await forge.given.org({ name: 'bakers' })
  await forge.given.org({ name: 'spies', visibility: 'private' })
  const guest = new Browser(forge)
  const all = (await guest.get('/explore/organizations')).text
  assert.ok(all.indexOf('href="/bakers"') < all.indexOf('href="/smiths"') && !all.includes('href="/spies"'))
  const found = (await guest.get('/explore/organizations?q=forge')).text
  assert.ok(found.includes('href="/smiths"') && !found.includes('href="/bakers"'))
  assert.match((await guest.get('/explore/organizations?q=nothing')).text, /No organization matches/)
})
