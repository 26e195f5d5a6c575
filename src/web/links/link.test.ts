import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Clone } from '../../testing/clone.ts'
import type { Answer, ForgeClient } from '../../testing/client.ts'
import { startForge } from '../../testing/forge.ts'
import { collaborator, givenPull } from '../../testing/given-pull.ts'
import { base64 } from '../../testing/samples.ts'

const site = { site: true }

/** Follows redirects with the same credentials; returns the last reply and the visited addresses. */
async function follow(client: ForgeClient, url: string): Promise<{ answer: Answer; way: string[] }> {
  const way: string[] = []
  let path = url.replace(client.url, '').replace(/#.*/, '')
  for (;;) {
    const answer = await client.get(path, site)
    const location = answer.headers.get('location')
    if (answer.status !== 303 || location === null) return { answer, way }
    assert.ok(way.push(location) < 5, `${url} leads round and round`)
    path = location
  }
}

test('links: what records, and messages of pushes, lead to is there for whoever may see it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'stranger'] })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  await collaborator(forge, repo, 'bob')
  const pull = await givenPull(forge, { repo })
  const file = (await alice.must('POST', `${repo.api}/contents/dir/a%20b.txt`, { content: base64('text') })).json
  const request = (await alice.get(pull.api)).json

  using clone = await Clone.of(forge, 'bob', repo.fullName)
  await clone.must('checkout', '-q', '-b', 'topic/ü')
  await clone.commit('file')
  const pushed = await clone.git('push', 'origin', 'topic/ü')
  const [compare] = /http\S+/.exec(pushed.err) ?? []
  assert.ok(compare, pushed.err)

  const links: Record<string, (body: Answer) => unknown> = {
    [request.diff_url]: ({ text }) => assert.match(text, /^diff --git/),
    [request.patch_url]: ({ text }) => assert.match(text, /^From /),
    [file.content.download_url]: ({ text }) => assert.equal(text, 'text'),
    [`${file.commit.html_url}.diff`]: ({ text }) => assert.match(text, /^diff --git a\/dir\/a b.txt/),
    [`${file.commit.html_url}.patch`]: ({ text }) => assert.match(text, /^From [0-9a-f]{40} /),
  }
  for (const [url, check] of Object.entries(links)) {
    const { answer } = await follow(forge.as('bob'), url)
    assert.equal(answer.status, 200, `${url}: ${answer.text}`)
    check(answer)
    for (const client of [forge.guest, forge.as('stranger')]) {
      const { answer: hidden, way } = await follow(client, url)
      assert.deepEqual([hidden.status, way], [404, []], url)
    }
  }
})

test('issuePage: an issue is found under its name only, and only where its unit is read', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const pull = await givenPull(forge, { repo })
  const issue = await forge.given.issue({ repo })
  const at = async (path: string) => {
    const answer = await forge.guest.get(`/${repo.fullName}/${path}`, site)
    return [answer.status, answer.headers.get('location')]
  }
  const { number } = (await forge.guest.get(pull.api)).json
  assert.equal((await at(`issues/${issue.number}`))[0], 200)
  assert.deepEqual(await at(`issues/${number}`), [303, `/${repo.fullName}/pulls/${number}`])
  assert.deepEqual(await at(`pulls/${issue.number}`), [303, `/${repo.fullName}/issues/${issue.number}`])
  for (const path of ['issues/99', 'issues/0', 'issues/one', 'pulls/99', 'issues/-1']) {
    assert.equal((await at(path))[0], 404, path)
  }
  await forge.as('alice').must('PATCH', repo.api, { has_issues: false })
  assert.equal((await at(`issues/${issue.number}`))[0], 404)
  await forge.as('alice').must('PATCH', repo.api, { name: 'renamed' })
  assert.deepEqual(await at(`pulls/${number}`), [301, `/alice/renamed/pulls/${number}`])
})

test('webCommitDiffOrPatch: by a former name, and what is not there', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const at = async (path: string) => {
    const answer = await forge.guest.get(`/${repo.fullName}/${path}`, site)
    return [answer.status, answer.headers.get('location')]
  }
  await forge.as('alice').must('PATCH', `${repo.api}/branches/main`, { name: 'a#b' })
  assert.equal((await at(`commit/${'1'.repeat(40)}.diff`))[0], 404)
  assert.equal((await at('commit/a%23b.diff'))[0], 200)
  assert.equal((await at('commit/--help.patch'))[0], 404)
})

test('webWikiFile: files of a wiki are served to whoever reads it, and nothing runs', async () => {
  await using forge = await startForge({ users: ['alice', 'stranger'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  using clone = await Clone.begin('alice')
  await clone.commit('image.svg', '<svg onload="alert(1)"/>')
  await clone.commit('Über uns.md', '<script>alert(1)</script>\n')
  await clone.must('push', '-q', await forge.gitUrl('alice', `${repo.fullName}.wiki`), 'main')
  const alice = forge.as('alice')
  const raw = (path: string, client: ForgeClient = alice, headers: Record<string, string> = {}) =>
    client.get(`/${repo.fullName}/wiki/raw/${path}`, { site: true, headers })
  const image = await raw('image.svg')
  assert.equal(image.status, 200)
  assert.match(image.headers.get('content-security-policy') ?? '', /sandbox/)
  const etag = image.headers.get('etag') ?? ''
  assert.equal((await raw('image.svg', alice, { 'if-none-match': etag })).status, 304)
  assert.equal((await raw('image.svg', alice, { range: 'bytes=0-3' })).text, '<svg')
  const page = await raw('%C3%9Cber%20uns.md')
  assert.equal(page.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal((await raw('%C3%9Cber-uns')).text, page.text, 'a page by its name')
  for (const path of ['nothing', '..%2fimage.svg', '.git/config']) assert.equal((await raw(path)).status, 404, path)
  for (const client of [forge.guest, forge.as('stranger')]) assert.equal((await raw('image.svg', client)).status, 404)
  await alice.must('PATCH', repo.api, { has_wiki: false })
  assert.equal((await raw('image.svg')).status, 404)
  const there = await alice.get(`/${repo.fullName}/wiki/Home`, site)
  assert.equal(there.status, 404)
})
