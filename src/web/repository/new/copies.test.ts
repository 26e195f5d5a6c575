import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'

test('forkPage, forkAct: who may read the code forks it once; a stranger of a private repository does not find it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const hidden = await forge.given.repo({ private: true })
  const repo = await forge.given.repo()
  const at = `/${repo.fullName}/fork`
  assert.equal(
    (await new Browser(forge).get(at)).headers.get('location'),
    `/user/login?redirect_to=${encodeURIComponent(at)}`,
  )
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.get(`/${hidden.fullName}/fork`)).status, 404)
  const csrf = await bob.csrf(at)
  assert.equal((await bob.post(`/${hidden.fullName}/fork`, { _csrf: csrf })).status, 404)

  const made = await bob.submit(at, at, { owner: 'bob', name: 'copy' })
  assert.deepEqual([made.status, made.headers.get('location')], [303, '/bob/copy'])
  assert.equal((await forge.as('bob').get('/repos/bob/copy')).json.parent.full_name, repo.fullName)
  const again = await bob.submit(at, at, { owner: 'bob', name: 'other' })
  assert.equal(again.status, 409)
  assert.match(again.text, /id="owner_problem"/)
})

test('forkPage: is absent where forks are switched off', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { repository: { DISABLE_FORKS: true } } })
  const repo = await forge.given.repo()
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.get(`/${repo.fullName}/fork`)).status, 404)
})

test('generatePage, generateAct: a template gives its files and labels; other repositories are no template', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const plain = await forge.given.repo()
  const template = await forge.given.repo({ template: true, issue_labels: 'Default' })
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.get(`/${plain.fullName}/generate`)).status, 404)
  const at = `/${template.fullName}/generate`
  const nothing = await bob.submit(at, at, { name: 'made', default_branch: 'main' })
  assert.equal(nothing.status, 422)
  const made = await bob.submit(at, at, {
    owner: 'bob',
    name: 'made',
    default_branch: 'main',
    git_content: 'true',
    labels: 'true',
  })
  assert.deepEqual([made.status, made.headers.get('location')], [303, '/bob/made'])
  assert.equal((await forge.as('bob').get('/repos/bob/made/contents/README.md')).status, 200)
  assert.ok((await forge.as('bob').get('/repos/bob/made/labels')).json.length > 3)
})

test('migratePage, migrateAct: copies plain git in the request and refuses bad addresses beside the field', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { migrations: { ALLOW_LOCALNETWORKS: true } },
  })
  const source = await forge.given.repo()
  const bob = await Browser.of(forge, 'bob')
  const at = '/repo/migrate'
  const guest = await new Browser(forge).get(at)
  assert.equal(guest.status, 303)
  const bad = await bob.submit(at, at, { clone_addr: 'file:///etc', name: 'copy', auth_token: 'secret-token' })
  assert.equal(bad.status, 422)
  assert.match(bad.text, /id="clone_addr_problem"/)
  assert.doesNotMatch(bad.text, /secret-token/)
  const silent = await bob.submit(at, at, { clone_addr: 'http://127.0.0.1:9/x.git', service: 'git', name: 'copy' })
  assert.equal(silent.status, 422)
  assert.match(silent.text, /id="clone_addr_problem"[^>]*>This server cannot be reached/)
  const made = await bob.submit(at, at, {
    clone_addr: `${forge.url}/${source.fullName}.git`,
    service: 'git',
    name: 'copy',
  })
  assert.deepEqual([made.status, made.headers.get('location')], [303, '/bob/copy'], made.text.slice(0, 4000))
  assert.equal((await forge.as('bob').get('/repos/bob/copy/contents/README.md')).status, 200)
})

test('importsPage, importPage, endImportAct: an import is shown to who began it until it is removed', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { migrations: { ALLOW_LOCALNETWORKS: true } },
  })
  const source = await forge.given.repo()
  await forge.as('alice').must('POST', `${source.api}/wiki/new`, { title: 'Home', content_base64: '' })
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get('/repo/migrate/imports')).text, /No imports yet/)
  const begun = await bob.submit('/repo/migrate', '/repo/migrate', {
    clone_addr: `${forge.url}/${source.fullName}.git`,
    service: 'git',
    name: 'copy',
    wiki: 'true',
  })
  const to = begun.headers.get('location') ?? ''
  assert.match(to, /^\/repo\/migrate\/imports\/\d+$/)
  await forge.settle()
  const shown = await bob.get(to)
  assert.match(shown.text, /bob\/copy/)
  assert.match(shown.text, /Open the repository/)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.get(to)).status, 404)
  assert.equal((await alice.post(`${to}/end`, { _csrf: await alice.csrf('/repo/create') })).status, 404)
  assert.match((await bob.get('/repo/migrate/imports')).text, /bob\/copy/)
  const removed = await bob.submit(to, `${to}/end`)
  assert.equal(removed.headers.get('location'), '/repo/migrate/imports')
  assert.equal((await bob.get(to)).status, 404)
})

test('migrateAct: a repository that needs credentials is a mistake in the address, and the fields for them are open', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { migrations: { ALLOW_LOCALNETWORKS: true } },
  })
  const hidden = await forge.given.repo({ private: true })
  const bob = await Browser.of(forge, 'bob')
  const address = `${forge.url}/${hidden.fullName}.git`
  const refused = await bob.submit('/repo/migrate', '/repo/migrate', { clone_addr: address, service: 'git', name: 'x' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /The other server asks for credentials, or the repository does not exist there\./)
  assert.match(refused.text, /<details class="more-options" open/)
  assert.ok(refused.text.includes(`value="${address}"`))
})

test('importPage: an import that failed marks the step that failed', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { migrations: { ALLOW_LOCALNETWORKS: true } },
  })
  const source = await forge.given.repo()
  const bob = await Browser.of(forge, 'bob')
  await using broken = await brokenCopyOf(forge.url)
  const begun = await bob.submit('/repo/migrate', '/repo/migrate', {
    clone_addr: `${broken.url}/${source.fullName}`,
    service: 'gitea',
    name: 'copy',
    labels: 'true',
  })
  const to = begun.headers.get('location') ?? ''
  assert.match(to, /imports/, begun.text.slice(0, 300))
  await forge.settle()
  const { text } = await bob.get(to)
  assert.match(text, /aria-label="Failed"/)
  assert.match(text, /The source server answered 400 to the request for labels\./)
})

/** Serves what another server does, but no labels. */
async function brokenCopyOf(url: string): Promise<AsyncDisposable & { readonly url: string }> {
  const passed = ['content-type', 'content-encoding', 'git-protocol', 'accept']
  const answerTo = async (request: IncomingMessage): Promise<Response> => {
    if (request.url?.includes('/labels')) return new Response('broken', { status: 400 })
    const body = await buffer(request)
    const headers = passed.flatMap((name) => {
      const value = request.headers[name]
      return typeof value === 'string' ? [[name, value] as [string, string]] : []
    })
    const { method = 'GET' } = request
    return fetch(`${url}${request.url}`, { method, headers, ...(body.length === 0 ? {} : { body }) })
  }
  const server = createServer((request, response) => {
    answerTo(request)
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
        response.end(Buffer.from(await answer.arrayBuffer()))
      })
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
