import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { Clone } from '../../../testing/clone.ts'
import { startForge } from '../../../testing/forge.ts'
import { base64 } from '../../../testing/samples.ts'

const site = { site: true }

test('sourcePage, repositoryHomePage: a private repository does not exist for strangers and guests', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const bob = await Browser.of(forge, 'bob')
  const alice = await Browser.of(forge, 'alice')
  for (const path of ['', '/src/branch/main', '/src/branch/main/README.md']) {
    assert.equal((await bob.get(`/${repo.fullName}${path}`)).status, 404, path)
    assert.equal((await forge.guest.get(`/${repo.fullName}${path}`, site)).status, 404, path)
    assert.equal((await alice.get(`/${repo.fullName}${path}`)).status, 200, path)
  }
})

test('repositoryHomePage: files, README, topics and branches are shown; an empty repository says what to push', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  await alice.must('POST', `${repo.api}/contents/dir/a.txt`, { content: base64('text'), message: 'Add <b>' })
  await alice.must('PUT', `${repo.api}/contents/README.md`, {
    content: base64('# Title\n\n[link](dir/a.txt) <script>alert(1)</script>'),
    sha: (await alice.get(`${repo.api}/contents/README.md`)).json.sha,
  })
  await alice.must('PUT', `${repo.api}/topics`, { topics: ['forge'] })
  const { text, status } = await forge.guest.get(`/${repo.fullName}`, site)
  assert.equal(status, 200)
  assert.match(text, new RegExp(`href="/${repo.fullName}/src/branch/main/dir">dir</a>`))
  assert.match(text, /Add &lt;b>/)
  assert.match(text, /<h1[^>]*>Title/)
  assert.doesNotMatch(text, /<script>alert/)
  assert.match(text, new RegExp(`href="[^"]*/${repo.fullName}/src/branch/main/dir/a.txt"`))
  assert.match(text, />forge<\/a>/)
  assert.match(text, />3 commits</)
  assert.doesNotMatch(text, /Add file/)
  assert.match((await (await Browser.of(forge, 'alice')).get(`/${repo.fullName}`)).text, /Add file/)

  await alice.must('POST', '/user/repos', { name: 'empty' })
  const empty = await forge.guest.get('/alice/empty', site)
  assert.equal(empty.status, 200)
  assert.match(empty.text, /This repository is empty/)
})

test('sourcePage: a file has numbered lines, a rendered form, and the addresses of others lead to it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  const files: Readonly<Record<string, string>> = {
    'a.ts': 'const a = "<i>"\n',
    'table.csv': 'a,b\n1,2\n',
    'zero.bin': 'a\0b',
    'long.txt': 'x\n'.repeat(9000),
  }
  const made = await alice.must('POST', `${repo.api}/contents`, {
    files: Object.entries(files).map(([path, content]) => ({ operation: 'create', path, content: base64(content) })),
  })
  const web = `/${repo.fullName}`
  const get = (path: string) => forge.guest.get(`${web}/${path}`, site)
  assert.equal(made.json.files[0].html_url, `${forge.url}${web}/src/branch/main/a.ts`)
  const code = await get('src/branch/main/a.ts')
  assert.match(code.text, /<tr id="L1"><td class="num"><a href="#L1">1<\/a>/)
  assert.match(code.text, /<span class="hljs-keyword">const<\/span>/)
  assert.match(code.text, /&lt;i&gt;/)
  assert.match((await get('src/branch/main/table.csv')).text, /<td>2<\/td>/)
  assert.match((await get('src/branch/main/table.csv?display=source')).text, /<td class="text">1,2<\/td>/)
  assert.match((await get('src/branch/main/zero.bin')).text, /This file is binary/)
  const long = await get('src/branch/main/long.txt')
  assert.ok(long.text.includes('id="L4000"') && !long.text.includes('id="L4001"'))
  assert.ok((await get('src/branch/main/long.txt?page=3')).text.includes('id="L9000"'))

  const location = async (path: string) => {
    const { status, headers } = await get(path)
    return [status, headers.get('location')]
  }
  assert.deepEqual(await location('src/main/a.ts'), [303, `${web}/src/branch/main/a.ts`])
  assert.equal((await get('src/branch/main/nothing')).status, 404)
  assert.equal((await get('src/branch/nothing/a.ts')).status, 404)
  assert.equal((await get('src/branch/main/..%2f..%2fa.ts')).status, 404)
  await alice.must('PATCH', `${repo.api}/branches/main`, { name: 'a#b' })
  assert.deepEqual(await location('src/branch/main/a.ts'), [303, `${web}/src/branch/a%23b/a.ts`])
  assert.equal((await get('src/branch/a%23b')).status, 200)
})

test('sourcePage, blamePage: one head has the last commit, the facts and the acts of a file', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const files = { 'a.ts': 'const a = 1\n', 'doc.md': '# Doc\n', 'paper.pdf': '%PDF-1.4\n' }
  await forge.as('alice').must('POST', `${repo.api}/contents`, {
    message: 'Add <three>',
    files: Object.entries(files).map(([path, content]) => ({ operation: 'create', path, content: base64(content) })),
  })
  const headOf = async (page: string, name: string) => {
    const { text } = await (await Browser.of(forge, name)).get(`/${repo.fullName}/${page}`)
    const from = text.indexOf('file-head')
    return text.slice(from, text.indexOf('</details>', from))
  }
  const code = await headOf('src/branch/main/a.ts', 'alice')
  for (const part of [
    'Add &lt;three>',
    '/commits/branch/main/a.ts',
    '1 line',
    '/blame/branch/main/a.ts',
    '/_edit/main/a.ts',
  ]) {
    assert.ok(code.includes(part), part)
  }
  assert.match(code, /data-copy-url="[^"]*\/raw\/branch\/main\/a\.ts"/)
  assert.match(code, /aria-current="page"[^>]*>Code</)
  assert.match(await headOf('src/branch/main/a.ts', 'bob'), /href="[^"]*_edit/, 'readers propose changes')
  const { text: ofGuest } = await new Browser(forge).get(`/${repo.fullName}/src/branch/main/a.ts`)
  assert.doesNotMatch(ofGuest, /href="[^"]*_edit/)
  const blame = await headOf('blame/branch/main/doc.md', 'alice')
  assert.match(blame, /aria-current="page"[^>]*>Blame</)
  assert.match(blame, /doc\.md\?display=source"/)
  assert.ok(blame.includes('Add &lt;three>') && blame.includes('/_edit/main/doc.md'))
  const pdf = await headOf('src/branch/main/paper.pdf', 'alice')
  assert.doesNotMatch(pdf, />Blame<|data-copy-url/)
  const { text } = await forge.guest.get(`/${repo.fullName}/src/branch/main/paper.pdf`, { site: true })
  assert.match(text, /<iframe [^>]*src="[^"]*\/raw\/branch\/main\/paper\.pdf" title="paper\.pdf"/)
})

test('sourcePage: links lead to their target, submodules to their address; workflows and forms without effect say why', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  for (const folder of ['dir', 'lib', '.github/workflows', '.github/ISSUE_TEMPLATE']) {
    mkdirSync(join(clone.path, folder), { recursive: true })
  }
  symlinkSync('../README.md', join(clone.path, 'dir/inside'))
  symlinkSync('../../secret', join(clone.path, 'dir/outside'))
  await clone.must('update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},lib`)
  await clone.commit('.gitmodules', '[submodule "lib"]\n\tpath = lib\n\turl = https://git.example.com/lib.git\n')
  await clone.commit('.github/workflows/bad.yml', 'on: push\njobs: {}\n')
  const good = 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: ls\n'
  await clone.commit('.github/workflows/good.yml', good)
  await clone.commit('.github/ISSUE_TEMPLATE/bug.yml', 'name: Bug\n')
  await clone.commit('.github/pull_request_template.yaml', 'name: Change\n')
  await clone.must('push', '-q', 'origin', 'main')
  const get = async (path: string) => (await forge.guest.get(`/${repo.fullName}/src/branch/main/${path}`, site)).text
  assert.match(await get('dir/inside'), new RegExp(`href="[^"]*/src/branch/main/README.md"[^>]*>../README.md</a>`))
  assert.match(await get('dir/outside'), /<code>\.\.\/\.\.\/secret<\/code>/)
  assert.match(await get('lib'), /href="https:\/\/git\.example\.com\/lib"/)
  assert.match(await get('.github/workflows/bad.yml'), /This workflow does not run: /)
  assert.doesNotMatch(await get('.github/workflows/good.yml'), /This workflow does not run/)
  assert.match(await get('.github/ISSUE_TEMPLATE/bug.yml'), /This template is not offered: /)
  assert.match(await get('.github/pull_request_template.yaml'), /This template is not offered: body is missing/)
})
