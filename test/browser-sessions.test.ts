import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { commitFiles, TestRunner, workflow } from '../src/actions/actions.test-support.ts'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import type { GivenRepo } from '../src/testing/given.ts'
import { base64 } from '../src/testing/samples.ts'
import { upload } from '../src/testing/upload.ts'

/** Surfaces for programs, which keep no cookies. */
const ofPrograms = new Set(['git', 'lfs', 'runner', 'federation', 'oauth2'])

/** Returns whether a browser opens the operation, outside of the API and the pages, to read a repository. */
const readsRepository = (operation: NamedOperation): boolean => {
  const { base, family, method, path, reply } = operation
  return (
    base === 'site' &&
    !isPage(operation) &&
    // Other addresses of pages only lead to them.
    Object.keys(reply).some((status) => status.startsWith('2')) &&
    method === 'GET' &&
    !ofPrograms.has(family) &&
    !family.endsWith('-registry') &&
    (path.includes('{reponame}') || path === '/attachments/{uuid}')
  )
}

/** Fills a repository and returns an address of each operation that reads it. */
async function fill(forge: Forge, repo: GivenRepo): Promise<Record<string, string>> {
  const alice = forge.as('alice')
  const post = async (path: string, body: object) => (await alice.must('POST', `${repo.api}${path}`, body)).json
  const attach = async (path: string) =>
    (await alice.must('POST', `${repo.api}${path}/assets`, undefined, upload('file.txt', 'attached'))).json
  const { commit, content } = await post('/contents/dir/file.txt', { content: base64('content'), new_branch: 'topic' })
  const pull = await post('/pulls', { head: 'topic', base: 'main', title: 'add' })
  const release = await post('/releases', { tag_name: 'v1' })
  await attach(`/releases/${release.id}`)
  const issue = await post('/issues', { title: 'issue' })
  const note = await attach(`/issues/${issue.number}`)
  await post('/wiki/new', { title: 'Home', content_base64: base64('welcome') })
  const run = await finishedRun(forge, repo)
  const paths: Record<string, string> = {
    webArchive: '/archive/topic.zip',
    webMediaFile: '/media/branch/topic/dir/file.txt',
    webRawBlob: `/raw/blob/${content.sha}`,
    webRawFile: '/raw/branch/topic/dir/file.txt',
    webCommitDiffOrPatch: `/commit/${commit.sha}.diff`,
    downloadRepoAttachment: `/attachments/${note.uuid}`,
    downloadPullDiffOrPatch: `/pulls/${pull.number}.diff`,
    webLatestReleaseDownload: '/releases/latest/download/file.txt',
    webReleaseDownload: '/releases/download/v1/file.txt',
    webWikiFile: '/wiki/raw/Home.md',
    downloadJobLog: `${run}/jobs/0/logs`,
    downloadRunArtifact: `${run}/artifacts/built`,
    listRunArtifacts: `${run}/artifacts`,
    workflowBadge: '/actions/workflows/a.yml/badge.svg',
    webReleaseFeed: '/releases.rss',
    webBranchFeed: '/rss/branch/topic',
    webTagFeed: '/tags.rss',
    webRepoFeed: '.rss',
  }
  const addresses = Object.entries(paths).map(([id, path]) => [id, `/${repo.fullName}${path}`])
  return { ...Object.fromEntries(addresses), downloadAttachment: `/attachments/${note.uuid}` }
}

/** Runs a workflow that logs a line and leaves an artifact; returns the path of the run's page. */
async function finishedRun(forge: Forge, repo: GivenRepo): Promise<string> {
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.forgejo/workflows/a.yml': workflow('push') })
  const task = await runner.must()
  await runner.log(task, 0, ['one'])
  const service = '/twirp/github.actions.results.api.v1.ArtifactService'
  const about = { workflow_run_backend_id: String(task.context['run_id']), name: 'built' }
  const asJob = { site: true, headers: { authorization: `Bearer ${task.context.gitea_runtime_token}` } }
  const { json } = await forge.guest.must('POST', `${service}/CreateArtifact`, { ...about, version: 4 }, asJob)
  await fetch(`${json.signedUploadUrl}&comp=appendBlock`, { method: 'PUT', body: 'built' })
  await forge.guest.must('POST', `${service}/FinalizeArtifact`, { ...about, size: '5' }, asJob)
  await runner.finish(task)
  await forge.settle()
  return '/actions/runs/1'
}

/** Sends a request as a browser does; `fetch` writes its own `Sec-Fetch-Mode`. */
async function statusFor(browser: Browser, path: string, headers: Record<string, string>, method = 'GET') {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const sent = request(browser.forge.url + path, { method, headers: { ...headers, cookie } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

test('each address outside of the API that reads a repository recognizes a signed-in browser', async () => {
  await using forge = await startForge({ users: ['alice', 'stranger'] })
  const addresses = await fill(forge, await forge.given.repo({ owner: 'alice', name: 'hidden', private: true }))
  const operations = forge.services.operations().filter(readsRepository)
  assert.deepEqual(operations.map(({ id }) => id).toSorted(), Object.keys(addresses).toSorted())
  const [owner, stranger] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'stranger')]
  for (const [id, address] of Object.entries(addresses)) {
    const seen = await owner.get(address)
    assert.equal(seen.status, 200, `${id} ${address} for its owner: ${seen.text}`)
    assert.match(String(seen.headers.get('cache-control')), /private|no-cache/, id)
    assert.equal(seen.headers.get('x-content-type-options'), 'nosniff', id)
    assert.equal((await stranger.get(address)).status, 404, `${id} for a stranger`)
    assert.equal((await forge.guest.get(address, { site: true })).status, 404, `${id} for a guest`)
  }
})

test('a private account shows its feed to its own browser only', async () => {
  await using forge = await startForge({ users: ['alice', 'stranger'] })
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, visibility: 'private' })
  const statuses: number[] = []
  for (const login of ['alice', 'stranger']) {
    statuses.push((await (await Browser.of(forge, login)).get('/alice.atom')).status)
  }
  assert.deepEqual(statuses, [200, 404])
})

test('a foreign page cannot use the session of a browser: it can only lead a person to an address', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const addresses = await fill(forge, repo)
  const owner = await Browser.of(forge, 'alice')
  const led = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const causes: [cause: string, headers: Record<string, string>, isRecognized: boolean][] = [
    ['the person typed the address', { ...led, 'sec-fetch-site': 'none' }, true],
    ['an own page embeds it', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' }, true],
    ['a foreign page links to it', led, true],
    ['a foreign page embeds an image', { ...led, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, false],
    ['a foreign page frames it', { ...led, 'sec-fetch-dest': 'iframe' }, false],
    ['a page of a neighbouring site fetches it', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, false],
    ['an old browser fetches it', { origin: 'https://evil.example' }, false],
  ]
  for (const [id, address] of Object.entries(addresses)) {
    for (const [cause, headers, isRecognized] of causes) {
      assert.equal(await statusFor(owner, address, headers), isRecognized ? 200 : 404, `${id}: ${cause}`)
    }
  }
  const artifact = addresses['downloadRunArtifact'] ?? ''
  assert.equal(await statusFor(owner, artifact, led, 'DELETE'), 404, 'a foreign page deletes nothing')
  assert.equal(await statusFor(owner, artifact, {}, 'DELETE'), 204)
})

test('an account that must change its password downloads nothing with its session', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const browser = await Browser.of(forge, 'alice')
  const address = `/${repo.fullName}/raw/branch/main/README.md`
  assert.equal((await browser.get(address)).status, 200)
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, must_change_password: true })
  assert.equal((await browser.get(address)).status, 404)
})
