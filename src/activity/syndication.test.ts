import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Clone } from '../testing/clone.ts'
import { startForge, type Forge } from '../testing/forge.ts'

/** Returns what an account ('' is a guest) gets at a path of the site. */
const get = async (
  forge: Forge,
  who: string,
  path: string,
): Promise<{ status: number; type: string; text: string }> => {
  const headers = new Headers()
  if (who !== '') headers.set('authorization', `token ${(await forge.account(who)).token}`)
  const reply = await fetch(`${forge.url}${path}`, { headers, redirect: 'manual' })
  return { status: reply.status, type: reply.headers.get('content-type') ?? '', text: await reply.text() }
}

/** Parses XML and returns the texts of the elements of a name. Fails on anything but elements, attributes and texts. */
function textsOf(xml: string, name: string): string[] {
  const open: string[] = []
  const found: string[] = []
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '').trimEnd()
  const piece = /<\/([a-zA-Z]+)>|<([a-zA-Z]+)((?: [a-zA-Z]+="[^"<]*")*)(\/?)>|([^<]+)/gy
  while (piece.lastIndex < body.length) {
    const at = piece.lastIndex
    const part = piece.exec(body)
    assert.ok(part, `no XML at ${JSON.stringify(body.slice(at, at + 60))}`)
    const [, closed, opened, , isEmpty, text] = part
    if (closed !== undefined) assert.equal(open.pop(), closed)
    else if (opened !== undefined && isEmpty === '') open.push(opened)
    else if (text !== undefined) {
      assert.equal(text.replace(/&(?:amp|lt|gt|quot|#39);/g, '').includes('&'), false, text)
      if (open.at(-1) === name) found.push(unescaped(text))
    }
  }
  assert.deepEqual(open, [])
  return found
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

test('webUserFeed, webRepoFeed: RSS and Atom are well-formed for any user-written text', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const hostile = `]]></title><script>alert(1)</script>&amp; "'|\u0001\ufffe`
  const issue = await forge.given.issue({ repo, poster: 'bob', title: hostile })
  await forge.as('bob').must('POST', `${issue.api}/comments`, { body: hostile })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const oid = await clone.commit('a', 'a', hostile)
  await clone.must('push', '-q', 'origin', 'HEAD:main', `HEAD:refs/heads/<a&"b>`)
  await forge.settle()

  const harmless = hostile.replace(/[\u0001\ufffe]/g, '')
  const atom = await get(forge, '', '/alice/tool.atom')
  assert.deepEqual([atom.status, atom.type], [200, 'application/atom+xml; charset=utf-8'])
  const titles = textsOf(atom.text, 'title').toSorted()
  assert.deepEqual(titles, [
    'Activity of alice/tool',
    'alice made the branch <a&"b> of alice/tool',
    'alice made the repository alice/tool',
    'alice pushed to <a&"b> of alice/tool',
    'alice pushed to main of alice/tool',
    'bob commented on the issue alice/tool#1',
    'bob opened the issue alice/tool#1',
  ])
  const [comment, opened, commit] = textsOf(atom.text, 'content').toSorted((a, b) => a.length - b.length)
  assert.deepEqual([comment, opened], [harmless, harmless])
  assert.ok(commit?.startsWith(`${oid.slice(0, 10)} ]]></title>`), commit)
  assert.ok(atom.text.includes(`href="${forge.url}/alice/tool/issues/1#issuecomment-`))
  const ids = textsOf(atom.text, 'id')
  assert.equal(new Set(ids).size, 7)

  const rss = await get(forge, '', '/alice.rss')
  assert.deepEqual([rss.status, rss.type], [200, 'application/rss+xml; charset=utf-8'])
  // A description is HTML, so plain text is escaped twice.
  assert.equal(textsOf(rss.text, 'description').filter((html) => unescaped(html) === harmless).length, 2)
  assert.equal(
    textsOf(rss.text, 'description').some((html) => html.includes('<script')),
    false,
  )
  assert.equal(textsOf(rss.text, 'title').length, 7)
})

test('webUserFeed, webRepoFeed: acts that the viewer may not read are omitted; names, settings and sizes are respected', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { ui: { FEED_PAGING_NUM: 2 } } })
  const open = await forge.given.repo({ owner: 'alice', name: 'open.source' })
  await forge.given.repo({ owner: 'alice', name: 'shut', private: true })
  await forge.given.org({ owner: 'alice', name: 'crew' })
  assert.equal((await get(forge, '', '/alice/open.source.rss')).status, 200)
  for (const who of ['', 'bob']) {
    assert.equal((await get(forge, who, '/alice/shut.atom')).status, 404)
    assert.equal((await get(forge, who, '/alice.atom')).text.includes('shut'), false)
  }
  assert.equal((await get(forge, 'alice', '/alice/shut.atom')).status, 200)
  assert.ok((await get(forge, 'alice', '/alice.atom')).text.includes('alice/shut'))
  assert.deepEqual(textsOf((await get(forge, '', '/crew.atom')).text, 'title'), ['Activity of crew'])
  for (const path of ['/nobody.rss', '/alice/nothing.rss', '/alice.xml']) {
    assert.equal((await get(forge, '', path)).status, 404, path)
  }
  for (const _ of [1, 2, 3]) await forge.given.issue({ repo: open })
  assert.equal(textsOf((await get(forge, '', '/alice.atom')).text, 'updated').length, 3)
  await forge.as('alice').must('PATCH', '/user/settings', { hide_activity: true })
  assert.equal(textsOf((await get(forge, 'bob', '/alice.atom')).text, 'updated').length, 1)
  await forge.as('root').must('PATCH', '/admin/users/alice', { ...signsInHere('alice'), visibility: 'private' })
  assert.equal((await get(forge, '', '/alice.atom')).status, 404)

  await using without = await startForge({ users: ['alice'], settings: { other: { ENABLE_FEED: false } } })
  assert.equal((await get(without, 'alice', '/alice.rss')).status, 404)
})

const signsInHere = (name: string) => ({ source_id: 0, login_name: name })

test('webReleaseFeed: published releases with rendered notes, for whoever reads releases', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const alice = forge.as('alice')
  const notes = 'Fixes **much**. <script>alert(1)</script> See [the guide](docs/guide.md).'
  await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v1/a+b', name: 'One & "only"', body: notes })
  await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v2', draft: true })
  await forge.settle()

  const atom = await get(forge, 'alice', '/alice/tool/releases.atom')
  assert.deepEqual([atom.status, atom.type], [200, 'application/atom+xml; charset=utf-8'])
  assert.deepEqual(textsOf(atom.text, 'title'), ['Releases of alice/tool', 'One & "only"'], 'a draft is not published')
  assert.deepEqual(textsOf(atom.text, 'name'), ['alice'])
  const [content = ''] = textsOf(atom.text, 'content')
  assert.match(content, /<strong>much<\/strong>/)
  assert.doesNotMatch(content, /<script/)
  assert.ok(content.includes(`href="${forge.url}/alice/tool/`), content)
  assert.ok(atom.text.includes(`href="${forge.url}/alice/tool/releases/tag/v1/a+b"`))

  const rss = await get(forge, '', '/alice/tool/releases.rss')
  assert.deepEqual([rss.status, rss.type], [200, 'application/rss+xml; charset=utf-8'])
  assert.match(textsOf(rss.text, 'description').at(-1) ?? '', /<strong>much<\/strong>/)

  await alice.must('PATCH', repo.api, { private: true })
  assert.equal((await get(forge, 'bob', '/alice/tool/releases.atom')).status, 404)
  await alice.must('PATCH', repo.api, { private: false, has_releases: false })
  const closed = await forge.as('bob').get(`${repo.api}/releases`)
  assert.equal((await get(forge, 'bob', '/alice/tool/releases.atom')).status, closed.status)
  assert.equal(closed.status, 403)
})

test('webBranchFeed, webTagFeed: commits of a branch and of its paths, and tags, for whoever reads the code', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { ui: { FEED_PAGING_NUM: 2 } } })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const alice = forge.as('alice')
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('a.txt', 'a', 'One <b> & "more"\n\nwhy & how')
  await clone.commit('b+c.txt', 'b', 'Two')
  await clone.commit('z.txt', 'c', 'Three')
  await clone.must('push', '-q', 'origin', 'HEAD:refs/heads/dev/x+y')
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'v1', target: 'dev/x+y', message: 'First <one>' })
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'w/2', target: 'main' })
  await forge.settle()

  const branch = '/alice/tool/atom/branch/dev/x+y'
  const atom = await get(forge, '', branch)
  assert.deepEqual([atom.status, atom.type], [200, 'application/atom+xml; charset=utf-8'])
  assert.deepEqual(
    textsOf(atom.text, 'title'),
    ['Commits of alice/tool, dev/x+y', 'Three', 'Two'],
    'as many as are shown',
  )
  assert.ok(atom.text.includes(`<link rel="self" href="${forge.url}${branch}"/>`), atom.text)
  const file = await get(forge, '', `${branch}/a.txt`)
  assert.deepEqual(textsOf(file.text, 'title').slice(1), ['One <b> & "more"'])
  assert.deepEqual(textsOf(file.text, 'content'), ['why & how'])
  const rss = await get(forge, '', '/alice/tool/rss/branch/dev/x+y/b%2Bc.txt')
  assert.deepEqual([rss.status, rss.type], [200, 'application/rss+xml; charset=utf-8'])
  assert.deepEqual(textsOf(rss.text, 'title').slice(1), ['Two'])
  for (const path of ['rss/branch/gone', 'rss/branch/v1', `atom/branch/dev/x+y/none`, 'xml/branch/main']) {
    assert.equal((await get(forge, '', `/alice/tool/${path}`)).status, 404, path)
  }
  await alice.must('PATCH', `${repo.api}/branches/dev%2Fx+y`, { name: 'new' })
  const moved = await get(forge, '', `${branch}/a.txt`)
  assert.equal(moved.status, 303, 'a renamed branch leads to its new name')

  const tags = await get(forge, '', '/alice/tool/tags.atom')
  assert.deepEqual([tags.status, tags.type], [200, 'application/atom+xml; charset=utf-8'])
  assert.deepEqual(textsOf(tags.text, 'title').toSorted(), ['Tags of alice/tool', 'v1', 'w/2'])
  assert.ok(textsOf(tags.text, 'content').includes('First <one>'))
  assert.ok(tags.text.includes(`href="${forge.url}/alice/tool/src/tag/w/2"`))
  assert.equal((await get(forge, '', '/alice/tool/tags.rss')).status, 200)

  const empty = await forge.given.repo({ owner: 'alice', name: 'empty', auto_init: false })
  assert.equal((await get(forge, 'alice', `/${empty.fullName}/tags.rss`)).status, 200)
  assert.equal((await get(forge, 'alice', `/${empty.fullName}/rss/branch/main`)).status, 404)
  await alice.must('PATCH', repo.api, { private: true })
  for (const path of ['tags.atom', 'atom/branch/new']) {
    assert.equal((await get(forge, 'bob', `/alice/tool/${path}`)).status, 404, path)
  }
})
