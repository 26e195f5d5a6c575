import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { collaborator } from '../../testing/given-pull.ts'
import { base64 } from '../../testing/samples.ts'

test('wikiHomePage, wikiPage, wikiListPage, wikiHistoryPage: readers see pages with sidebar and footer, strangers nothing', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ private: true })
  const at = `/${repo.fullName}/wiki`
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(at)).text, /This wiki has no pages yet/)
  assert.match((await alice.get(`${at}/_pages`)).text, /This wiki has no pages yet/)
  const write = (title: string, content: string) =>
    forge.as('alice').must('POST', `${repo.api}/wiki/new`, { title, content_base64: base64(content) })
  await write('Other page', '**other**')
  assert.equal((await alice.get(at)).headers.get('location'), `${at}/_pages`)
  await write('Home', 'Welcome <script>alert(1)</script>')
  await write('_Sidebar', 'the sidebar')
  await write('_Footer', 'the footer')
  const bob = await Browser.of(forge, 'bob')
  for (const path of ['', '/Home', '/_pages', '/Home?action=_revision']) {
    assert.equal((await bob.get(at + path)).status, 404, path)
  }
  await collaborator(forge, repo, 'bob', 'read')
  const home = (await bob.get(at)).text
  for (const part of ['Welcome', 'the sidebar', 'the footer', 'Other page']) assert.ok(home.includes(part), part)
  assert.doesNotMatch(home, /<script>alert|action=_edit|wiki\/_new/)
  assert.match((await bob.get(`${at}/Other-page`)).text, /<strong>other<\/strong>/)
  assert.match((await bob.get(`${at}/_pages`)).text, /Other page/)
  assert.match((await bob.get(`${at}/Home?action=_revision`)).text, /Add &quot;Home&quot;/)
  assert.equal((await bob.get(`${at}/Missing`)).status, 404)
  const odd = (await write('C++ - 100% & more/page', 'the odd page')).json
  assert.match((await bob.get(new URL(odd.html_url).pathname)).text, /the odd page/)
  assert.match((await alice.get(`${at}/Missing`)).text, /Create this page/)
})

test('wikiCommitPage: the history of a page leads to what each commit changed', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ private: true })
  const at = `/${repo.fullName}/wiki`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const page = { title: 'Tools', content_base64: base64('the old hammer\n') }
  await forge.as('alice').must('POST', `${repo.api}/wiki/new`, page)
  const next = { content_base64: base64('the new hammer <b>\n'), message: 'Buy a new one\n\nThe old one broke.' }
  await forge.as('alice').must('PATCH', `${repo.api}/wiki/page/Tools`, next)
  const { text } = await alice.get(`${at}/Tools?action=_revision`)
  const commits = [...text.matchAll(/wiki\/commit\/[0-9a-f]{40}/g)].map(([path]) => `/${repo.fullName}/${path}`)
  assert.equal(commits.length, 2)
  const [newest = '', first = ''] = commits
  const shown = (await alice.get(newest)).text
  assert.match(shown, /Buy a new one/)
  assert.match(shown, /The old one broke\./)
  assert.match(shown, /the <(?:del|mark|span)[^>]*>old</)
  assert.doesNotMatch(shown, /<b>/)
  assert.match((await alice.get(first)).text, /the old hammer/)
  assert.equal((await bob.get(newest)).status, 404)
  assert.equal((await alice.get(`${at}/commit/${'0'.repeat(40)}`)).status, 404)
  assert.equal((await alice.get(`${at}/commit/main..x`)).status, 422)
})

test('newWikiPage, newWikiAct, editWikiPage, editWikiAct: writers write; a page that changed meanwhile is not overwritten', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'read')
  const at = `/${repo.fullName}/wiki`
  const bob = await Browser.of(forge, 'bob')
  const csrf = await bob.csrf('/repo/create')
  assert.equal((await bob.get(`${at}/_new`)).status, 403)
  assert.equal((await bob.post(`${at}/_new`, { _csrf: csrf, title: 'Home' })).status, 403)
  assert.equal((await new Browser(forge).get(`${at}/_new`)).status, 303)

  const alice = await Browser.of(forge, 'alice')
  const bad = await alice.submit(`${at}/_new`, `${at}/_new`, { title: '_new', content: 'kept text' })
  assert.equal(bad.status, 400)
  assert.match(bad.text, /kept text/)
  const made = await alice.submit(`${at}/_new`, `${at}/_new`, { title: 'Two words', content: 'one\r\ntwo\r\n' })
  assert.deepEqual([made.status, made.headers.get('location')], [303, `${at}/Two-words`])
  const read = async () => {
    const { json } = await forge.as('alice').get(`${repo.api}/wiki/page/Two-words`)
    return Buffer.from(json.content_base64, 'base64').toString()
  }
  assert.equal(await read(), 'one\ntwo\n')

  const form = `${at}/Two-words?action=_edit`
  assert.equal((await bob.get(form)).status, 403)
  assert.equal((await bob.post(`${at}/Two-words`, { _csrf: csrf, content: 'x' })).status, 403)
  const { text } = await alice.get(form)
  const seen = /name="seen" value="([0-9a-f]+)"/.exec(text)?.[1] ?? ''
  const own = await alice.csrf('/repo/create')
  const save = (content: string) =>
    alice.post(`${at}/Two-words`, { _csrf: own, do: 'save', title: 'Two words', content, seen })
  assert.equal((await save('first')).status, 303)
  const late = await save('second')
  assert.equal(late.status, 409)
  assert.match(late.text, /<pre class="wiki-current">first<\/pre>/)
  assert.match(late.text, /second<\/textarea>/)
  assert.equal(await read(), 'first')
  const gone = await alice.post(`${at}/Two-words`, { _csrf: own, do: 'delete' })
  assert.equal(gone.headers.get('location'), at)
  assert.equal((await forge.as('alice').get(`${repo.api}/wiki/page/Two-words`)).status, 404)
})

test('uploadToWiki: a dropped file is committed to the wiki, and the page that shows it has its address', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'read')
  const at = `/${repo.fullName}/wiki`
  const drop = async (browser: Browser, name: string, content = `content of ${name}`) =>
    browser.upload(
      `${at}/_new/files`,
      { _csrf: await browser.csrf('/repo/create') },
      { field: 'attachment', name, content: Buffer.from(content) },
    )
  assert.equal((await drop(new Browser(forge), 'a.png')).status, 303)
  assert.equal((await drop(await Browser.of(forge, 'bob'), 'a.png')).status, 403)
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(`${at}/_new`)).text, /<file-attachment data-upload-url="[^"]*\/wiki\/_new\/files"/)
  const forged = await alice.upload(`${at}/_new/files`, {}, { field: 'attachment', content: Buffer.from('x') })
  assert.equal(forged.status, 403, 'without the hidden field')
  const own = { _csrf: await alice.csrf('/repo/create') }
  assert.equal((await alice.upload(`${at}/_new/files`, own, { field: 'other', content: Buffer.from('') })).status, 422)

  const texts = []
  for (const name of ['a b(1).png', 'a b(1).png', 'notes.pdf']) texts.push((await drop(alice, name)).text)
  assert.deepEqual(texts, [
    '![a b(1).png](uploads/a%20b%281%29.png)',
    '![a b(1).png](uploads/a%20b%281%29-2.png)',
    '[notes.pdf](raw/uploads/notes.pdf)',
  ])
  // Files alone make no page.
  assert.match((await alice.get(at)).text, /This wiki has no pages yet/)
  assert.match((await alice.get(`${at}/_pages`)).text, /This wiki has no pages yet/)
  await alice.submit(`${at}/_new`, `${at}/_new`, { title: 'Home', content: texts.join('\n\n') })
  const { text } = await forge.guest.get(at, { site: true })
  const addresses = [...text.matchAll(/(?:src|href)="[^"]*(\/wiki\/raw\/[^"]*)"/g)].map(([, path = '']) => path)
  assert.ok(addresses.includes('/wiki/raw/uploads/a%20b%281%29-2.png'), addresses.join())
  for (const path of new Set(addresses)) {
    const file = await forge.guest.get(`/${repo.fullName}${path}`, { site: true })
    assert.equal(file.status, 200, path)
    assert.match(file.text, /^content of /)
  }
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.equal((await drop(alice, 'late.png')).status, 423)
})

test('uploadToWiki: switched off uploads are neither offered nor taken', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { 'repository.upload': { ENABLED: false } } })
  const repo = await forge.given.repo()
  const at = `/${repo.fullName}/wiki`
  const alice = await Browser.of(forge, 'alice')
  assert.doesNotMatch((await alice.get(`${at}/_new`)).text, /<file-attachment/)
  const file = { field: 'attachment', name: 'a.png', content: Buffer.from('a') }
  assert.equal((await alice.upload(`${at}/_new/files`, {}, file)).status, 404)
})
