import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Answer, ForgeClient } from '../testing/client.ts'
import { Clone } from '../testing/clone.ts'
import { countQueries } from '../testing/count-queries.ts'
import { examined } from '../testing/doctor.ts'
import { eventsNamed } from '../testing/events.ts'
import { startForge } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'
import { runProgram } from '../testing/program.ts'
import { pushFiles } from './wiki.test-support.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const text = ({ json }: Answer): string => Buffer.from(json.content_base64, 'base64').toString()

const add = (who: ForgeClient, repo: GivenRepo, title: string, content = `${title}\n`, more: object = {}) =>
  who.post(`${repo.api}/wiki/new`, { title, content_base64: base64(content), ...more })

const ascending = (one: number, other: number): number => one - other

const titlesOf = ({ json }: Answer): string[] => json.map((page: { title: string }) => page.title)

test('repoCreateWikiPage: callers without write access are refused, and nothing is created', async () => {
  await using forge = await startForge({ users: ['alice', 'reader', 'stranger'] })
  const repo = await forge.given.repo({ private: true })
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/collaborators/reader`, { permission: 'read' })
  assert.equal((await add(forge.guest, repo, 'Home')).status, 404)
  assert.equal((await add(forge.as('stranger'), repo, 'Home')).status, 404)
  assert.equal((await add(forge.as('reader'), repo, 'Home')).status, 403)
  await alice.must('PATCH', repo.api, { private: false, has_wiki: false })
  assert.equal((await add(alice, repo, 'Home')).status, 404)
  await alice.must('PATCH', repo.api, {
    has_wiki: true,
    external_wiki: { external_wiki_url: 'https://wiki.example.com' },
  })
  assert.equal((await add(alice, repo, 'Home')).status, 404, 'the wiki is elsewhere')
  await alice.must('PATCH', repo.api, { has_wiki: true, archived: true })
  assert.equal((await add(alice, repo, 'Home')).status, 423)
  assert.equal((await add(forge.guest, repo, 'Home')).status, 401)
  await alice.must('PATCH', repo.api, { archived: false })
  for (const title of [
    '',
    ' ',
    '.',
    ' .. ',
    '_pages',
    'a/raw/b',
    '_edit',
    'two\nlines',
    'right\u202eleft',
    'ü'.repeat(50),
  ]) {
    assert.equal((await add(alice, repo, title)).status, 400, JSON.stringify(title))
    const edited = await alice.patch(`${repo.api}/wiki/page/New`, { title, content_base64: '' })
    assert.equal(edited.status, title.trim() === '' ? 200 : 400, JSON.stringify(title))
    if (edited.status === 200) await alice.must('DELETE', `${repo.api}/wiki/page/New`)
  }
  const nul = await add(alice, repo, 'Home', '', { message: 'a\0b' })
  assert.deepEqual([nul.status, nul.json.code], [422, 'zero_byte'])
  const refused = await alice.post(`${repo.api}/wiki/new`, { title: 'Home', content_base64: 'no base64' })
  assert.deepEqual([refused.status, refused.json.code], [400, 'content_invalid'])
  assert.deepEqual((await alice.get(`${repo.api}/wiki/pages`)).json, [])
})

test('repoEditWikiPage: a refused change does not create the wiki', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const page = `${repo.api}/wiki/page/raw`
  assert.equal((await alice.patch(page, { content_base64: base64('x') })).status, 400)
  assert.equal((await alice.patch(page, { title: 'Home', last_commit_sha: '1'.repeat(40) })).status, 409)
  assert.equal((await alice.delete(page)).status, 404)
  assert.equal((await alice.get(`${repo.api}/wiki/pages`)).status, 404)
  assert.equal(
    (await forge.services.db.selectFrom('repo').select('wiki_git_key').executeTakeFirst())?.wiki_git_key,
    null,
  )
})

test('repoGetWikiPage: names with spaces, dashes, markers and slashes address their page', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const files: Readonly<Record<string, readonly [file: string, subUrl: string]>> = {
    'Getting started': ['Getting-started.md', 'Getting-started'],
    'well-known': ['well-known.-.md', 'well-known.-'],
    'readme.md': ['readme.md.-.md', 'readme.md.-'],
    'dash - spaced': ['dash - spaced.-.md', 'dash+-+spaced.-'],
    'folder/page': ['folder%2Fpage.md', 'folder%2Fpage'],
    'Über: 100% & more?': ['%C3%9Cber%3A-100%25-%26-more%3F.md', '%C3%9Cber%3A-100%25-%26-more%3F'],
    'two  spaces': ['two--spaces.md', 'two--spaces'],
    'C++ + C': ['C%2B%2B-%2B-C.md', 'C%2B%2B-%2B-C'],
    '.git': ['.git.md', '.git'],
    '../up': ['..%2Fup.md', '..%2Fup'],
    'ends with .-': ['ends with .-.-.md', 'ends+with+.-.-'],
    '<b>': ['%3Cb%3E.md', '%3Cb%3E'],
  }
  for (const [title, [, subUrl]] of Object.entries(files)) {
    const made = await add(alice, repo, title)
    assert.deepEqual([made.status, made.json.title, made.json.sub_url], [201, title, subUrl])
    assert.equal(made.json.html_url, `${forge.url}/${repo.fullName}/wiki/${subUrl}`)
    const read = await forge.guest.get(`${repo.api}/wiki/page/${subUrl}`)
    assert.deepEqual(
      [read.status, read.json?.title, read.json?.sub_url, text(read)],
      [200, title, subUrl, `${title}\n`],
    )
    assert.equal((await add(alice, repo, ` ${title} `)).status, 400, 'there is one of this title')
  }
  const listed = await forge.guest.get(`${repo.api}/wiki/pages`)
  assert.deepEqual(titlesOf(listed).toSorted(), Object.keys(files).toSorted())
  using clone = await Clone.of(forge, 'alice', `${repo.fullName}.wiki`)
  const present = readdirSync(clone.path).filter((name) => name !== '.git')
  assert.deepEqual(
    present.toSorted(),
    Object.values(files)
      .map(([file]) => file)
      .toSorted(),
  )
  assert.equal(readFileSync(join(clone.path, '.git.md'), 'utf8'), '.git\n')
  const spaced = await forge.guest.get(`${repo.api}/wiki/page/Getting%20started`)
  assert.deepEqual([spaced.json.title, spaced.json.sub_url], ['Getting started', 'Getting%20started'])
  assert.equal((await forge.guest.get(`${repo.api}/wiki/page/folder/page`)).json.title, 'folder/page')
  assert.equal((await forge.guest.get(`${repo.api}/wiki/page/getting-started`)).status, 404, 'case counts')
  assert.equal((await forge.guest.get(`${repo.api}/wiki/page/%2e%2e`)).status, 404)
})

test('repoGetWikiPages: pushed files with any form of name are pages with distinct addresses', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await pushFiles(forge, repo, {
    'Home.md': 'home\n',
    'With spaces.md': 'spaces\n',
    'Über & mehr.md': 'raw\n',
    '%C3%9Cber %26 mehr.md': 'escaped\n',
    '100%.md': 'percent\n',
    'link.md': '-> Home.md',
    'notes/Deep page.md': 'deep\n',
    'image.txt': 'no page\n',
    '.md': 'no name\n',
    'folder.md/x.md': 'below\n',
  })
  const listed = await forge.guest.get(`${repo.api}/wiki/pages`)
  const pages: { title: string; sub_url: string }[] = listed.json
  assert.equal(listed.headers.get('x-total-count'), '10', 'everything at the root counts')
  assert.deepEqual(
    pages.map(({ title, sub_url: subUrl }) => [title, subUrl]),
    [
      ['Über & mehr', '%C3%9Cber+%26+mehr'],
      ['100%', '100%25'],
      ['Home', 'Home'],
      ['With spaces', 'With+spaces'],
      ['Über & mehr', '%C3%9Cber+%26+mehr.md'],
    ],
  )
  const contents = []
  for (const { sub_url: subUrl } of pages) contents.push(text(await forge.guest.get(`${repo.api}/wiki/page/${subUrl}`)))
  assert.deepEqual(contents, ['escaped\n', 'percent\n', 'home\n', 'spaces\n', 'raw\n'], 'each is read by its address')
  assert.equal(text(await forge.guest.get(`${repo.api}/wiki/page/notes/Deep%20page`)), 'deep\n')
  assert.equal((await forge.guest.get(`${repo.api}/wiki/page/link`)).status, 404)

  for (const title of ['With spaces', 'Über & mehr', 'notes/Deep page', 'link', 'folder']) {
    assert.equal((await add(alice, repo, title)).status, 400, `${title} is there`)
  }
  assert.equal((await alice.patch(`${repo.api}/wiki/page/link`, { content_base64: '' })).status, 400)
  const kept = await alice.patch(`${repo.api}/wiki/page/With+spaces`, { content_base64: base64('changed\n') })
  assert.deepEqual([kept.json.title, kept.json.sub_url, text(kept)], ['With spaces', 'With+spaces', 'changed\n'])
  await alice.must('PATCH', `${repo.api}/wiki/page/notes%2FDeep%20page`, { title: 'Deep', content_base64: '' })
  await alice.must('DELETE', `${repo.api}/wiki/page/%C3%9Cber+%26+mehr`)
  assert.deepEqual(titlesOf(await forge.guest.get(`${repo.api}/wiki/pages`)), [
    '100%',
    'Deep',
    'Home',
    'With spaces',
    'Über & mehr',
  ])
})

test('repoEditWikiPage: with last_commit_sha a page that was changed meanwhile is not overwritten', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const page = `${repo.api}/wiki/page/Home`
  const seen = (await add(alice, repo, 'Home')).json.last_commit.sha
  await add(alice, repo, 'Other')
  const all = await Promise.all(
    ['one', 'two', 'three', 'four'].map((content) =>
      alice.patch(page, { content_base64: base64(content), last_commit_sha: seen }),
    ),
  )
  assert.deepEqual(all.map(({ status }) => status).toSorted(ascending), [200, 409, 409, 409])
  const late = all.find(({ status }) => status === 409)
  assert.equal(late?.json.code, 'wiki_page_changed')
  const won = all.find(({ status }) => status === 200) as Answer
  assert.equal(text(await alice.get(page)), text(won))
  assert.equal(won.json.commit_count, 2)
  const now = won.json.last_commit.sha
  const onto = await alice.patch(page, { title: 'Other', content_base64: '', last_commit_sha: now })
  assert.deepEqual([onto.status, onto.json.code], [409, 'wiki_page_exists'], 'another page is not replaced unseen')
  assert.equal((await alice.delete(`${page}?last_commit_sha=${seen}`)).status, 409)
  assert.equal((await alice.delete(`${page}?last_commit_sha=${now}`)).status, 204)
  const gone = await alice.patch(page, { content_base64: '', last_commit_sha: now })
  assert.deepEqual([gone.status, gone.json.code], [409, 'wiki_page_changed'], 'a deleted page is not made again')
  assert.equal((await alice.patch(page, { title: 'Other', content_base64: base64('blind') })).status, 200)
  assert.equal(text(await alice.get(`${repo.api}/wiki/page/Other`)), 'blind', 'who does not say replaces it')
})

test('repoEditWikiPage, repoCreateWikiPage: no concurrent change is lost, and each publishes one event', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  const firsts = await Promise.all(
    Array.from({ length: 6 }, (_, index) => add(forge.as(index % 2 ? 'alice' : 'bob'), repo, 'Home', `${index}`)),
  )
  assert.deepEqual(firsts.map(({ status }) => status).toSorted(ascending), [201, 400, 400, 400, 400, 400])
  const edits = Array.from({ length: 20 }, (_, index) =>
    forge
      .as(index % 2 ? 'alice' : 'bob')
      .patch(`${repo.api}/wiki/page/Home`, { content_base64: base64(`edit ${index}`) }),
  )
  const others = Array.from({ length: 10 }, (_, index) => add(forge.as('alice'), repo, `Page ${index}`))
  const answers = await Promise.all([...edits, ...others])
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].toSorted(ascending), [200, 201])
  const revisions = await forge.guest.get(`${repo.api}/wiki/revisions/Home`)
  assert.equal(revisions.json.count, 21)
  const shas = new Set(revisions.json.commits.map((commit: { sha: string }) => commit.sha))
  for (const answer of answers.slice(0, 20)) assert.ok(shas.has(answer.json.last_commit.sha), 'each is a revision')
  assert.equal(titlesOf(await forge.guest.get(`${repo.api}/wiki/pages`)).length, 11)
  await forge.settle()
  assert.equal((await eventsNamed(forge, 'wiki.pageEdited')).length, 20)
  assert.equal((await eventsNamed(forge, 'wiki.pageCreated')).length, 11)
  assert.deepEqual(await examined(forge.services), [])
})

test('repoDeleteWikiPage, repoEditWikiPage, repoGetWikiPageRevisions: events contain the commit message', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await add(alice, repo, 'Home page', 'one', { message: ' begin ' })
  const moved = await alice.must('PATCH', `${repo.api}/wiki/page/Home-page`, { title: 'Other name' })
  assert.deepEqual([text(moved), moved.json.last_commit.message], ['', 'Update "Other-name"\n'])
  await alice.must('DELETE', `${repo.api}/wiki/page/Other-name`)
  const { id } = (await alice.get(repo.api)).json
  const { id: doerId } = (await alice.get('/user')).json
  const by = { repoId: id, doerId }
  assert.deepEqual(await eventsNamed(forge, 'wiki.pageCreated'), [{ ...by, page: 'Home-page', message: 'begin' }])
  assert.deepEqual(await eventsNamed(forge, 'wiki.pageEdited'), [
    { ...by, page: 'Other-name', message: 'Update "Other-name"', oldPage: 'Home-page' },
  ])
  assert.deepEqual(await eventsNamed(forge, 'wiki.pageDeleted'), [{ ...by, page: 'Other-name', message: '' }])
  const former = await forge.guest.get(`${repo.api}/wiki/revisions/Home-page`)
  assert.deepEqual(
    former.json.commits.map((commit: { message: string }) => commit.message),
    ['Update "Other-name"\n', 'begin\n'],
    'the former name keeps what it had',
  )
  assert.equal((await forge.guest.get(`${repo.api}/wiki/revisions/Nothing`)).status, 404)
  const past = await forge.guest.get(`${repo.api}/wiki/revisions/Home-page?page=2`)
  assert.deepEqual([past.json, past.headers.get('x-total-count')], [{ commits: [], count: 2 }, '2'])
})

test('repoGetWikiPages: the number of statements does not depend on the number of pages', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const names = Array.from({ length: 120 }, (_, index) => `Page-${String(index).padStart(3, '0')}`)
  await pushFiles(forge, repo, Object.fromEntries(names.map((name) => [`${name}.md`, name])))
  const list = (query: string) => forge.guest.get(`${repo.api}/wiki/pages${query}`)
  assert.equal((await list('')).json.length, 30)
  assert.equal((await list('?limit=1')).json.length, 30, 'one counts as none')
  assert.equal((await list('?limit=5000')).json.length, 120)
  assert.equal((await list('?limit=50&page=3')).json.length, 20)
  assert.equal((await list('?limit=50&page=9')).headers.get('x-total-count'), '120')
  const counts = []
  for (const limit of [2, 100]) {
    using queries = await countQueries(forge)
    await list(`?limit=${limit}`)
    counts.push(queries.count)
  }
  assert.equal(counts[0], counts[1])
})

test('repoGetWikiPage: a wiki follows the renaming, transfer, visibility and deletion of its repository', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await add(alice, repo, 'Home')
  const key = (await forge.services.db.selectFrom('repo').select('wiki_git_key').executeTakeFirstOrThrow()).wiki_git_key
  await alice.must('PATCH', repo.api, { name: 'renamed' })
  const moved = await forge.guest.get(`${repo.api}/wiki/page/Home?x=1`)
  assert.deepEqual(
    [moved.status, moved.headers.get('location')],
    [301, '/api/v1/repos/alice/renamed/wiki/page/Home?x=1'],
  )
  assert.equal((await forge.guest.get('/repos/alice/renamed/wiki/page/Home')).status, 200)
  await alice.must('POST', '/repos/alice/renamed/transfer', { new_owner: 'bob' })
  await forge.as('bob').must('POST', '/repos/alice/renamed/transfer/accept')
  const there = '/repos/bob/renamed'
  assert.equal((await forge.guest.get(`${there}/wiki/page/Home`)).status, 200)
  assert.equal((await alice.patch(`${there}/wiki/page/Home`, { content_base64: '' })).status, 403)
  await forge.as('bob').must('PATCH', there, { private: true })
  assert.equal((await forge.guest.get(`${there}/wiki/page/Home`)).status, 404)
  assert.equal((await forge.as('bob').get(`${there}/wiki/page/Home`)).status, 200)
  await forge.as('bob').must('DELETE', there)
  await forge.settle()
  assert.ok(key)
  assert.equal(await forge.services.git.exists(key), false)
  assert.deepEqual(await examined(forge.services), [])
})

test('repoEditWikiPage: renaming the branch during concurrent changes keeps one history', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await add(alice, repo, 'Home')
  const writes = Array.from({ length: 12 }, (_, index) => add(alice, repo, `Page ${index}`))
  const renames = ['one', 'two', 'three'].map((branch) => alice.patch(repo.api, { wiki_branch: branch }))
  const [written] = await Promise.all([Promise.all(writes), Promise.all(renames)])
  assert.deepEqual(
    written.filter(({ status }) => status !== 201 && status !== 409),
    [],
  )
  const made = written.filter(({ status }) => status === 201).length
  const listed = await alice.get(`${repo.api}/wiki/pages?limit=50`)
  assert.equal(titlesOf(listed).length, made + 1)
  const refs = await runProgram('git', ['ls-remote', '--heads', `${forge.url}/${repo.fullName}.wiki.git`])
  const branch = (await alice.get(repo.api)).json.wiki_branch
  assert.equal(refs.out.trim().split('\t')[1], `refs/heads/${branch}`)
})

test('repoGetWikiPage: large pages are presented without their content', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await pushFiles(forge, repo, { 'Large.md': 'x'.repeat(10 * 1024 * 1024 + 1), 'Home.md': 'home\n' })
  const large = await forge.guest.get(`${repo.api}/wiki/page/Large`)
  assert.deepEqual([large.status, large.json.content_base64, large.json.commit_count], [200, '', 1])
})
