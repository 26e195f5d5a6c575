import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

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
