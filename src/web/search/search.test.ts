import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('search: finds repositories, issues, pull requests and people that the viewer may see', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const open = await forge.given.repo({ owner: 'alice', name: 'quench' })
  const hidden = await forge.given.repo({ owner: 'alice', name: 'quench-secret', private: true })
  await forge.as('alice').must('POST', `${open.api}/issues`, { title: 'Steam <b>everywhere' })
  await forge.as('alice').must('POST', `${hidden.api}/issues`, { title: 'Steam inside' })
  await forge.settle()
  const [guest, alice] = [new Browser(forge), await Browser.of(forge, 'alice')]
  const found = (await guest.get('/search?q=quench')).text
  assert.ok(found.includes('href="/alice/quench"') && !found.includes('quench-secret'))
  assert.ok((await alice.get('/search?q=quench')).text.includes('href="/alice/quench-secret"'))
  const issues = (await guest.get('/search?q=steam&type=issues')).text
  assert.match(issues, /Steam &lt;b>everywhere/)
  assert.ok(!issues.includes('Steam inside'))
  assert.ok((await guest.get('/search?q=bo&type=users')).text.includes('href="/bob"'))
  assert.match((await guest.get('/search?q=%3Ci%3E')).text, /Nothing found for “&lt;i>”/)
})

test('search: each kind has its count of what the viewer may see, and the first one with results is open', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const open = await forge.given.repo({ owner: 'alice', name: 'forge' })
  const hidden = await forge.given.repo({ owner: 'alice', name: 'cellar', private: true })
  for (const repo of [open, open, hidden]) {
    await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'Steam' })
  }
  await forge.settle()
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const tabsOf = async (browser: Browser, query: string) => {
    const { text } = await browser.get(`/search?${query}`)
    const tabs = /<nav class="tabs"[^]*?<\/nav>/.exec(text)?.[0] ?? ''
    return [...tabs.matchAll(/<a [^>]*type=(\w+)"([^>]*)>[^]*?<\/a>/g)].map(
      ([whole, kind, attributes = '']) =>
        `${kind} ${/counter"[^>]*>([^<]*)/.exec(whole)?.[1] ?? ''}${attributes.includes('aria-current') ? ' open' : ''}`,
    )
  }
  assert.deepEqual(await tabsOf(alice, 'q=steam'), ['repositories ', 'issues 3 open', 'pulls ', 'users '])
  assert.deepEqual(await tabsOf(bob, 'q=steam'), ['repositories ', 'issues 2 open', 'pulls ', 'users '])
  assert.deepEqual(await tabsOf(bob, 'q=steam&type=users'), ['repositories ', 'issues 2', 'pulls ', 'users  open'])
  assert.deepEqual(await tabsOf(bob, 'q=alice'), ['repositories ', 'issues ', 'pulls ', 'users 1 open'])
  assert.deepEqual(await tabsOf(bob, 'q=zzz'), ['repositories  open', 'issues ', 'pulls ', 'users '])
  assert.deepEqual(await tabsOf(bob, ''), ['repositories  open', 'issues ', 'pulls ', 'users '])
})

test('search: where exploring requires a sign-in, guests are refused', async () => {
  await using forge = await startForge({ settings: { 'service.explore': { REQUIRE_SIGNIN_VIEW: true } } })
  assert.equal((await new Browser(forge).get('/search?q=a')).status, 401)
})

test('palette: offers pages, repositories and people, and nothing hidden', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.given.repo({ owner: 'alice', name: 'quench', private: true })
  const [guest, alice] = [new Browser(forge), await Browser.of(forge, 'alice')]
  assert.ok(!(await guest.get('/-/palette?q=quench')).text.includes('/alice/quench'))
  const own = (await alice.get('/-/palette?q=')).text
  assert.match(own, /<a role="option"[^>]*href="\/alice\/quench"/)
  assert.match(own, /href="\/notifications"/)
  assert.ok((await alice.get('/-/palette?q=bo')).text.includes('href="/bob"'))
  assert.ok(
    (await alice.get('/-/palette?q=issue&from=/alice/quench/wiki')).text.includes('href="/alice/quench/issues/new"'),
  )
  assert.match((await alice.get('/-/palette?q=%3Cb%3E')).text, /Search for “&lt;b>”/)
  assert.equal((await alice.get('/-/palette?q=a&from=/%25/%E0%25')).status, 200)
})

test('palette: finds issues and pull requests by title, those of the current repository or of all, and nothing hidden', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [open, hidden] = [
    await forge.given.repo({ owner: 'alice', name: 'forge' }),
    await forge.given.repo({ owner: 'alice', name: 'cellar', private: true }),
  ]
  const issue = (repo: { api: string }, title: string) =>
    forge.as('alice').must('POST', `${repo.api}/issues`, { title, body: 'text' })
  await issue(open, 'Steam <b>everywhere')
  await issue(open, 'The bellows leak')
  await issue(hidden, 'Steam in the cellar')
  await forge.settle()
  const [guest, alice, bob] = [new Browser(forge), await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const links = async (browser: Browser, q: string, from = '/'): Promise<string[]> => {
    const { text } = await browser.get(`/-/palette?${new URLSearchParams({ q, from }).toString()}`)
    return [...text.matchAll(/href="(\/[^"]*\/(?:issues|pulls)\/\d+)"/g)].map(([, href = '']) => href)
  }
  assert.deepEqual(await links(guest, 'steam'), ['/alice/forge/issues/1'])
  assert.deepEqual(await links(bob, 'steam', '/alice/cellar/wiki'), ['/alice/forge/issues/1'], 'not of a hidden one')
  assert.deepEqual(await links(alice, 'steam'), ['/alice/cellar/issues/1', '/alice/forge/issues/1'])
  assert.deepEqual(await links(alice, 'steam', '/alice/cellar'), ['/alice/cellar/issues/1'], 'those of the repository')
  assert.deepEqual(await links(bob, 'ellow leak', '/alice/forge/pulls'), ['/alice/forge/issues/2'], 'parts of words')
  assert.deepEqual(await links(bob, '#2', '/alice/forge'), ['/alice/forge/issues/2'])
  assert.deepEqual(await links(bob, '#1 <', '/alice/forge'), [])
  await forge.as('alice').must('PATCH', open.api, { has_issues: false })
  assert.deepEqual(await links(bob, 'bellows', '/alice/forge'), [], 'a repository without issues')
  const { text } = await bob.get('/-/palette?q=steam%20everywhere')
  assert.doesNotMatch(text, /<b>every/)
  assert.match((await bob.get('/-/palette?q=nothing-like-this')).text, /<p data-note>Nothing is called “nothing-like/)
})

test('palette: finds nothing in repositories for guests where everything requires a sign-in', async () => {
  await using forge = await startForge({ settings: { service: { REQUIRE_SIGNIN_VIEW: true } }, users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'forge' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'Steam' })
  const guest = new Browser(forge)
  for (const from of ['/', '/alice/forge']) {
    assert.doesNotMatch((await guest.get(`/-/palette?q=steam&from=${from}`)).text, /issues\/1|alice/)
  }
})

test('palette: in a repository, files and a search of its code come first, for those who may read code', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'forge' })
  await forge.as('alice').must('POST', `${repo.api}/contents/src/b%20ellows.ts`, { message: 'a', content: '' })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const links = async (browser: Browser, q: string) => {
    const { text } = await browser.get(`/-/palette?${new URLSearchParams({ q, from: '/alice/forge/issues' })}`)
    return [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href)
  }
  const [file, code] = ['/alice/forge/src/branch/main/src/b%20ellows.ts', '/alice/forge/search?q=ellows']
  assert.deepEqual(await links(alice, 'ellows'), [file, code, '/search?q=ellows'])
  assert.deepEqual(await links(bob, 'ellows'), [file, code, '/search?q=ellows'])
  assert.ok(!(await links(alice, 'e')).includes(file))
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  await forge.as('alice').must('DELETE', `${repo.api}/collaborators/bob`)
  assert.deepEqual(await links(bob, 'ellows'), ['/search?q=ellows'])
})

test('robots: names what crawlers leave alone; nothing is open where everything requires a sign-in', async () => {
  await using forge = await startForge()
  const { text, headers } = await forge.guest.get('/robots.txt', { site: true })
  assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(text, /^User-agent: \*\n/)
  assert.match(text, /\nDisallow: \/api\/\n/)
  await using closed = await startForge({ settings: { service: { REQUIRE_SIGNIN_VIEW: true } } })
  assert.match((await closed.guest.get('/robots.txt', { site: true })).text, /\nDisallow: \/\n/)
})
