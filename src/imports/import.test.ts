import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { Forge } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'
import { examined } from '../testing/doctor.ts'
import { upload } from '../testing/upload.ts'
import { withServer } from '../testing/server.ts'
import { until } from '../testing/until.ts'
import { everything, inFrontOf, openForge } from './imports.test-support.ts'

/** A repository with one of everything, by alice and bob. */
async function fill(source: Forge): Promise<GivenRepo> {
  const repo = await source.given.repo({ default_branch: 'trunk', description: 'the original' })
  const [alice, bob] = [source.as('alice'), source.as('bob')]
  await alice.must('PUT', `${repo.api}/topics`, { topics: ['forge', 'git'] })
  const label = (
    await alice.must('POST', `${repo.api}/labels`, { name: 'bug', color: '#ff0000', description: 'wrong' })
  ).json
  const milestone = (await alice.must('POST', `${repo.api}/milestones`, { title: 'one', description: 'first' })).json
  const issue = await source.given.issue({
    repo,
    title: 'it breaks',
    body: 'badly',
    labels: [label.id],
    milestone: milestone.id,
  })
  const comment = (await bob.must('POST', `${issue.api}/comments`, { body: 'indeed' })).json
  const attach = async (to: string, name: string, content: string): Promise<string> =>
    (await alice.must('POST', `${to}/assets`, undefined, upload(name, content))).json.uuid
  const seen = await attach(issue.api, 'seen.txt', 'what was seen')
  await alice.must('PATCH', issue.api, {
    body: `badly: ![seen](/attachments/${seen}) and ${source.url}/attachments/${seen}`,
  })
  await attach(`${repo.api}/issues/comments/${comment.id}`, 'proof.txt', 'a proof')
  await alice.must('POST', `${issue.api}/comments`, { body: 'thanks' })
  await bob.must('POST', `${issue.api}/reactions`, { content: '+1' })
  await alice.must('POST', `${issue.api}/reactions`, { content: '+1' })
  await alice.must('POST', `${repo.api}/issues/comments/${comment.id}/reactions`, { content: 'heart' })
  await alice.must('PATCH', issue.api, { state: 'closed' })
  await alice.must('POST', `${repo.api}/contents/new.txt`, {
    content: Buffer.from('one\ntwo\n').toString('base64'),
    new_branch: 'topic',
    message: 'new',
  })
  const pull = (await alice.must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'trunk', title: 'add' })).json
  await attach(`${repo.api}/issues/${pull.number}`, 'plan.txt', 'a plan')
  await bob.must('POST', `${repo.api}/pulls/${pull.number}/reviews`, {
    event: 'COMMENT',
    body: 'look here',
    comments: [{ path: 'new.txt', new_position: 2, body: 'why two?' }],
  })
  await bob.must('POST', `${repo.api}/issues/${pull.number}/comments`, { body: 'fine' })
  const release = (
    await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v1', name: 'First', body: 'notes', prerelease: true })
  ).json
  const form = new FormData()
  form.append('attachment', new Blob(['the bytes']), 'file.txt')
  assert.equal(
    (await alice.send('POST', `${repo.api}/releases/${release.id}/assets`, undefined, { raw: form })).status,
    201,
  )
  await alice.must('POST', `${repo.api}/wiki/new`, {
    title: 'Home',
    content_base64: Buffer.from('welcome').toString('base64'),
  })
  await source.settle()
  return repo
}

/** What is asked for to have everything of a repository; its server may be spoken to through another one. */
const copyOf = async (
  source: Forge,
  repo: { readonly fullName: string },
  { url = source.url, service = 'gitea' }: { readonly url?: string; readonly service?: string } = {},
) => ({
  clone_addr: `${url}/${repo.fullName}.git`,
  auth_token: (await source.account('alice')).token,
  service,
  repo_name: 'copy',
  ...everything,
})

test('repoMigrate: a repository of the same family is imported completely, without an event per object', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  const repo = await fill(source)
  const carol = forge.as('carol')
  await forge.account('carol')
  const made = await carol.post('/repos/migrate', await copyOf(source, repo))
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(
    [made.json.full_name, made.json.description, made.json.default_branch, made.json.topics],
    ['carol/copy', 'the original', 'trunk', ['forge', 'git']],
  )
  const get = async (path: string) => (await carol.must('GET', `/repos/carol/copy${path}`)).json
  const [issue] = await get('/issues?state=all&type=issues')
  assert.deepEqual(
    [issue.number, issue.title, issue.state, issue.comments, issue.user.login, issue.original_author],
    [1, 'it breaks', 'closed', 2, 'carol', ''],
  )
  const [seen] = await get('/issues/1/assets')
  assert.equal(issue.body, `badly: ![seen](/attachments/${seen.uuid}) and /attachments/${seen.uuid}`)
  const contentAt = async (uuid: string) =>
    (await carol.must('GET', `/attachments/${uuid}`, undefined, { site: true })).text
  assert.deepEqual([seen.name, await contentAt(seen.uuid)], ['seen.txt', 'what was seen'])
  assert.deepEqual([issue.labels[0].name, issue.labels[0].color, issue.milestone.title], ['bug', 'ff0000', 'one'])
  const original = (await source.as('alice').must('GET', `${repo.api}/issues/1`)).json
  assert.deepEqual([issue.created_at, issue.closed_at], [original.created_at, original.closed_at])
  const comments = await get('/issues/1/comments')
  assert.deepEqual(
    comments.map((each: { body: string; original_author: string; user: { login: string } }) => [
      each.body,
      each.original_author,
      each.user.login,
    ]),
    [
      ['indeed', 'bob', 'Ghost'],
      ['thanks', '', 'carol'],
    ],
  )
  assert.equal(await contentAt(comments[0].assets[0].uuid), 'a proof')
  assert.equal(await contentAt((await get('/issues/2/assets'))[0].uuid), 'a plan')
  const reactors = (list: { user: { login: string; full_name: string }; content: string }[]) =>
    list.map((each) => `${each.user.full_name || each.user.login} ${each.content}`).sort()
  assert.deepEqual(reactors(await get('/issues/1/reactions')), ['bob +1', 'carol +1'])
  assert.deepEqual(reactors(await get(`/issues/comments/${comments[0].id}/reactions`)), ['carol heart'])
  const pull = await get('/pulls/2')
  assert.deepEqual(
    [pull.title, pull.state, pull.head.ref, pull.base.ref, pull.mergeable, pull.additions, pull.comments],
    ['add', 'open', 'topic', 'trunk', true, 2, 2],
  )
  const [review] = await get('/pulls/2/reviews')
  assert.deepEqual(
    [review.user.full_name, review.body, review.state, review.official],
    ['bob', 'look here', 'COMMENT', false],
  )
  const [line] = await get(`/pulls/2/reviews/${review.id}/comments`)
  assert.deepEqual([line.body, line.path, line.position, line.user.full_name], ['why two?', 'new.txt', 2, 'bob'])
  const [release] = await get('/releases')
  assert.deepEqual([release.tag_name, release.name, release.body, release.prerelease], ['v1', 'First', 'notes', true])
  const file = await carol.get(new URL(release.assets[0].browser_download_url).pathname, { site: true })
  assert.equal(file.text, 'the bytes')
  assert.equal(Buffer.from((await get('/wiki/page/Home')).content_base64, 'base64').toString(), 'welcome')
  await forge.settle()
  const names = (await forge.services.db.selectFrom('event').select('name').execute()).map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => /^(issue|pull|comment|release|review|attachment|wiki)\./.test(name)),
    [],
  )
  assert.equal((await carol.must('GET', '/notifications')).json.length, 0)
  const [listed] = (await carol.must('GET', '/user/imports')).json
  assert.deepEqual([listed.state, listed.problem, listed.counts.issues, listed.counts.comments], ['done', '', 1, 3])
  const row = await forge.services.db.selectFrom('repo_import').selectAll().executeTakeFirstOrThrow()
  assert.equal(row.sealed_credentials, '')

  // What is made afterwards goes on counting.
  assert.equal((await carol.must('POST', '/repos/carol/copy/issues', { title: 'next' })).json.number, 3)
  assert.equal((await carol.must('POST', '/repos/carol/copy/pulls/2/merge', { Do: 'merge' })).status, 200)
})

/** How much of repositories there is: rows, hidden or not, and rows of issues. */
async function countRows(forge: Forge): Promise<number[]> {
  const { db } = forge.services
  const [repos, issues] = await Promise.all([
    db.selectFrom('repo').select('id').execute(),
    db.selectFrom('issue').select('id').execute(),
  ])
  return [repos.length, issues.length]
}

test('repoMigrate: an import from a source that fails half-way leaves only the reason', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  const repo = await fill(source)
  const carol = forge.as('carol')
  await forge.account('carol')
  const nonsense: Record<string, [RegExp, (response: ServerResponse) => void]> = {
    'cannot request comments': [/issues.comments\?/, (response) => void response.destroy()],
    'are not JSON': [/.pulls\?/, (response) => void response.end('<html>sorry</html>')],
    'are not a list': [/.labels\?/, (response) => void response.end('{"message":"no"}')],
    'without a number': [/.issues\?/, (response) => void response.end('[{"title":"x","number":-4}]')],
    'an unknown form': [/.milestones\?/, (response) => void response.end('[7,"x"]')],
    'outside its API': [
      /.labels\?/,
      (response) =>
        void response.setHeader('link', '<http://127.0.0.1:1/elsewhere?page=2>; rel="next"').end('[{"name":"a"}]'),
    ],
    'accept the credentials': [/.issues\?/, (response) => void response.writeHead(401).end('{}')],
    'could not be downloaded completely': [
      /releases\?|cut/,
      (response) => {
        const assets = [{ name: 'a', size: 9, browser_download_url: `http://${response.req.headers.host}/cut` }]
        if (response.req.url === '/cut') response.setHeader('content-length', 9).write('oth', () => response.destroy())
        else response.end(JSON.stringify([{ tag_name: 'v1', assets }]))
      },
    ],
  }
  for (const [why, [where, answer]] of Object.entries(nonsense)) {
    const listener = inFrontOf(source, ({ url = '' }, response) => {
      if (!where.test(url)) return false
      response.setHeader('content-type', 'application/json')
      answer(response)
      return true
    })
    await withServer(listener, async (url) => {
      const reply = await carol.post('/repos/migrate', await copyOf(source, repo, { url, service: 'forgejo' }))
      assert.equal(reply.status, 422, `${why}: ${reply.text}`)
      assert.match(reply.json.message, new RegExp(why))
      const [listed] = (await carol.must('GET', '/user/imports')).json
      assert.deepEqual([listed.state, listed.problem], ['failed', reply.json.message])
    })
    await forge.settle()
    assert.deepEqual(await countRows(forge), [0, 0], why)
  }
  const blobs: string[] = []
  for await (const { key } of forge.services.blobs.attachments.list('')) blobs.push(key)
  assert.deepEqual(blobs, [])
})

/** Forwards requests to a source, and holds its answers about comments. */
function holdingComments(source: Forge) {
  const reached = Promise.withResolvers<void>()
  const held: ServerResponse[] = []
  const listener = inFrontOf(source, ({ url = '' }, response) => {
    if (!/issues.comments\?/.test(url)) return false
    held.push(response)
    reached.resolve()
    return true
  })
  return { listener, held, reached: reached.promise }
}

test('userGetImport, userListImports, userDeleteImport: only the importing account sees the progress, and nobody sees an unfinished repository', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  const repo = await fill(source)
  const [carol, root] = [forge.as('carol'), forge.as('root')]
  await forge.account('carol')
  const { listener, held, reached } = holdingComments(source)
  await withServer(listener, async (url) => {
    const body = await copyOf(source, repo, { url })
    const begun = await carol.post('/repos/migrate', body, { headers: { prefer: 'respond-async' } })
    assert.deepEqual([begun.status, begun.json.repo_name], [202, 'copy'], begun.text)
    const path = `/user/imports/${begun.json.id}`
    await reached
    const under = (await carol.must('GET', path)).json
    assert.deepEqual([under.state, under.step, under.counts.issues], ['running', 'comments', 1])
    assert.equal((await forge.as('dave').get(path)).status, 404)
    assert.equal((await root.get(path)).status, 404)
    assert.equal((await forge.guest.get('/user/imports')).status, 401)
    // The repository has rows, and nobody is shown any of them.
    assert.deepEqual(await countRows(forge), [1, 2])
    const { id } = await forge.services.db.selectFrom('repo').select('id').executeTakeFirstOrThrow()
    for (const who of [carol, root]) {
      assert.equal((await who.get(`/repositories/${id}`)).status, 404)
      assert.equal((await who.get('/repos/carol/copy')).status, 404)
      assert.deepEqual((await who.must('GET', '/repos/search')).json.data, [])
      assert.deepEqual((await who.must('GET', '/user/repos')).json, [])
      assert.deepEqual((await who.must('GET', '/repos/issues/search?state=all')).json, [])
    }
    assert.equal(
      (await root.must('GET', '/admin/users')).json.some((user: { login: string }) => /mport/.test(user.login)),
      false,
    )
    assert.equal((await root.get('/users/(Imports)')).status, 404)
    // The name is taken for as long as the import lasts.
    assert.equal((await carol.post('/repos/migrate', body)).status, 409)

    await carol.must('DELETE', path)
    await until(async () => (await carol.must('GET', path)).json.state === 'cancelled')
    for (const response of held) response.destroy()
  })
  await forge.settle()
  assert.deepEqual(await countRows(forge), [0, 0])
  const [listed] = (await carol.must('GET', '/user/imports')).json
  await carol.must('DELETE', `/user/imports/${listed.id}`)
  assert.deepEqual((await carol.must('GET', '/user/imports')).json, [])
})

test('repoMigrate: a rate limit of the source delays the import, and nothing is imported twice', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  const repo = await fill(source)
  const carol = forge.as('carol')
  await forge.account('carol')
  let refusals = 0
  const listener = inFrontOf(source, ({ url = '' }, response) => {
    if (!/issues.comments\?/.test(url) || refusals >= 2) return false
    refusals += 1
    // The first time a moment, then longer than a worker stands by.
    response.writeHead(429, { 'retry-after': refusals === 1 ? '0' : '3600' }).end('{}')
    return true
  })
  await withServer(listener, async (url) => {
    const begun = await carol.post('/repos/migrate', await copyOf(source, repo, { url }), {
      headers: { prefer: 'respond-async' },
    })
    const path = `/user/imports/${begun.json.id}`
    await until(() => refusals === 2)
    await forge.settle()
    assert.equal((await carol.must('GET', path)).json.state, 'running')
    forge.clock.advance(3_600_000)
    await forge.settle()
    assert.equal((await carol.must('GET', path)).json.state, 'done')
  })
  assert.equal((await carol.must('GET', '/repos/carol/copy/issues/1/comments')).json.length, 2)
  assert.equal((await carol.must('GET', '/repos/carol/copy/releases')).json.length, 1)
})

for (const when of ['writes', 'waits for its source']) {
  test(`adminDeleteUser: an import that ${when} ends with its account and leaves nothing`, async () => {
    await using source = await openForge()
    await using forge = await openForge()
    const repo = await fill(source)
    const carol = forge.as('carol')
    await forge.account('carol')
    const { listener, held, reached } = holdingComments(source)
    await withServer(listener, async (url) => {
      const begun = await carol.post('/repos/migrate', await copyOf(source, repo, { url }), {
        headers: { prefer: 'respond-async' },
      })
      assert.equal(begun.status, 202, begun.text)
      await reached
      assert.equal((await forge.as('root').delete('/admin/users/carol')).status, 204)
      if (when === 'writes') for (const response of held) response.end('[]')
      else await Promise.all(held.map(async (response) => response.closed || (await once(response, 'close'))))
      await forge.settle()
    })
    assert.deepEqual(await countRows(forge), [0, 0])
    assert.deepEqual(await examined(forge.services, { only: ['jobs', 'orphans', 'counters', 'usage'] }), [])
  })
}
