import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles, TestRunner, workflow } from '../actions.test-support.ts'

async function begin(forge: Forge) {
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  const task = await runner.must()
  const run = String(task.context['run_id'])
  const bearer = { authorization: `Bearer ${task.context.gitea_runtime_token}` }
  const call = async (method: string, body: object, headers: Record<string, string> = bearer) => {
    const response = await fetch(`${forge.url}/twirp/github.actions.results.api.v1.ArtifactService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ workflow_run_backend_id: run, workflow_job_run_backend_id: '1', ...body }),
    })
    // oxlint-disable-next-line typescript/no-explicit-any -- replies of many shapes
    const json: any = response.headers.get('content-type')?.includes('json') ? await response.json() : undefined
    return { status: response.status, json }
  }
  const put = async (url: string, text: string) => (await fetch(url, { method: 'PUT', body: text })).status
  return {
    repo,
    runner,
    task,
    run,
    bearer,
    call,
    put,
    page: `${forge.url}/${repo.api.slice(7)}/actions/runs/1/artifacts`,
  }
}

const artifactBytes = (forge: Forge) =>
  forge.services.db.selectFrom('usage').select('size_bytes').where('kind', '=', 'artifacts').executeTakeFirst()

test('createArtifactV4, uploadArtifactV4, finalizeArtifactV4, listArtifactsV4, signArtifactV4, downloadArtifactV4, deleteArtifactV4', async () => {
  await using forge = await startForge()
  const { runner, task, call, put } = await begin(forge)
  assert.equal((await call('ListArtifacts', {}, {})).status, 401)
  assert.equal((await call('ListArtifacts', {})).status, 404)
  assert.equal((await call('CreateArtifact', { name: 'x', workflow_run_backend_id: '999' })).status, 400)
  for (const name of ['', '../x', 'a:b', 'x'.repeat(300)]) {
    assert.equal((await call('CreateArtifact', { name })).status, 400, name)
  }
  const { signedUploadUrl: up } = (await call('CreateArtifact', { name: 'bundle', version: 4 })).json
  assert.equal(await put(up.replace('sig=', 'sig=A'), 'x'), 401)
  assert.equal(
    (await fetch(up.replace('UploadArtifact', 'DownloadArtifact'))).status,
    401,
    'a signed address permits one operation',
  )
  assert.equal(await put(`${up}&comp=block&blockid=Mg%3D%3D`, 'two'), 201)
  assert.equal(await put(`${up}&comp=block&blockid=MQ%3D%3D`, 'wrong'), 201)
  assert.equal(await put(`${up}&comp=block&blockid=MQ%3D%3D`, 'one '), 201, 'a part may be sent again')
  assert.equal(await put(`${up}&comp=blocklist`, '<BlockList><Latest>none</Latest></BlockList>'), 400)
  assert.equal(
    await put(`${up}&comp=blocklist`, '<BlockList><Latest>MQ==</Latest><Latest>Mg==</Latest></BlockList>'),
    201,
  )
  assert.equal((await call('FinalizeArtifact', { name: 'bundle', size: '8' })).status, 422, 'another size')
  const hash = `sha256:${createHash('sha256').update('one two').digest('hex')}`
  const wrong = `sha256:${'0'.repeat(64)}`
  assert.equal((await call('FinalizeArtifact', { name: 'bundle', hash: wrong })).status, 422, 'other bytes')
  assert.equal((await call('FinalizeArtifact', { name: 'bundle', size: '7', hash })).status, 200)
  assert.equal(await put(`${up}&comp=appendBlock`, 'x'), 404, 'a complete artifact does not change')
  const { signedUrl: down } = (await call('GetSignedArtifactURL', { name: 'bundle' })).json
  assert.equal(await (await fetch(down)).text(), 'one two')
  assert.equal((await fetch(down.replace('bundle', 'other'))).status, 401)
  const again = (await call('CreateArtifact', { name: 'bundle' })).json.signedUploadUrl
  assert.equal(await put(`${again}&comp=appendBlock`, 'newer'), 201)
  assert.equal((await call('FinalizeArtifact', { name: 'bundle', size: '5' })).status, 200)
  const { artifacts } = (await call('ListArtifacts', { name_filter: 'bundle' })).json
  assert.deepEqual(
    artifacts.map(({ name, size }: { name: string; size: string }) => [name, size]),
    [['bundle', '5']],
    'the newer artifact replaces the older one',
  )
  assert.equal((await artifactBytes(forge))?.size_bytes, 5)
  const keys: string[] = []
  for await (const { key } of forge.services.blobs.actionsArtifacts.list('')) keys.push(key)
  assert.equal(keys.length, 1, 'the parts and the older artifact are deleted')
  assert.equal((await call('DeleteArtifact', { name: 'bundle' })).status, 200)
  assert.equal((await call('DeleteArtifact', { name: 'bundle' })).status, 404)
  assert.equal((await artifactBytes(forge))?.size_bytes, 0)
  await runner.finish(task)
  assert.equal((await call('ListArtifacts', {})).status, 401)
  assert.equal(await put(again, 'x'), 401)
})

test('beginArtifactV3, uploadArtifactV3, finishArtifactV3, listArtifactsV3, listArtifactFilesV3, downloadArtifactV3', async () => {
  await using forge = await startForge()
  const { run, bearer } = await begin(forge)
  const base = `${forge.url}/api/actions_pipeline/_apis/pipelines/workflows/${run}/artifacts`
  const send = async (method: string, url: string, body?: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, {
      method,
      headers: { ...bearer, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    // oxlint-disable-next-line typescript/no-explicit-any -- replies of many shapes
    const json: any = text.startsWith('{') ? JSON.parse(text) : undefined
    return { status: response.status, text, json }
  }
  assert.equal((await send('GET', base)).status, 404)
  assert.equal((await fetch(base)).status, 401)
  const created = await send('POST', base, '{"Name":"logs"}', { 'content-type': 'application/json' })
  const up = (path: string) => `${created.json.fileContainerResourceUrl}&itemPath=${encodeURIComponent(path)}`
  const md5 = (text: string) => createHash('md5').update(text).digest('base64')
  const part = async (path: string, text: string, start: number, total: number, sum = md5(text)) =>
    (
      await send('PUT', up(path), text, {
        'content-range': `bytes ${start}-${start + text.length - 1}/${total}`,
        'x-actions-results-md5': sum,
      })
    ).status
  assert.equal(await part('other/a.txt', 'x', 0, 1), 400)
  assert.equal((await send('PUT', up('logs/a.txt'), 'x')).status, 400, 'without a range')
  assert.equal(await part('logs/a.txt', 'abc', 0, 6), 200)
  assert.equal(await part('logs/a.txt', 'def', 3, 6, md5('other')), 422)
  assert.equal(await part('logs/a.txt', 'def', 3, 6), 200)
  assert.equal(await part('logs/a.txt', 'def', 3, 6), 200, 'the same part again')
  assert.equal(await part('logs/deep/b.txt', 'zz', 0, 2), 200)
  assert.equal((await send('PATCH', base)).status, 400)
  assert.equal((await send('PATCH', `${base}?artifactName=logs`)).status, 200)
  const list = (await send('GET', base)).json
  assert.deepEqual([list.count, list.value[0].name], [1, 'logs'])
  const files = (await send('GET', `${list.value[0].fileContainerResourceUrl}?itemPath=logs`)).json.value
  assert.deepEqual(
    files.map(({ path }: { path: string }) => path),
    ['logs/a.txt', 'logs/deep/b.txt'],
  )
  assert.equal((await send('GET', files[0].contentLocation)).text, 'abcdef')
  assert.equal((await send('GET', `${base}/99999/download`)).status, 404)
})

test('listRunArtifacts, downloadRunArtifact, deleteRunArtifact, listRepoArtifacts, listArtifactsOfRun, getRepoArtifact, downloadRepoArtifact, deleteRepoArtifact: access follows the actions unit, and artifacts expire', async () => {
  await using forge = await startForge({ users: ['bob'], settings: { actions: { ARTIFACT_RETENTION_DAYS: 2 } } })
  const { repo, runner, task, call, put, page } = await begin(forge)
  for (const name of ['one', 'two', 'three']) {
    await put(`${(await call('CreateArtifact', { name })).json.signedUploadUrl}&comp=appendBlock`, name)
    await call('FinalizeArtifact', { name, size: String(name.length) })
  }
  assert.deepEqual(await (await fetch(page)).json(), {
    artifacts: ['one', 'two', 'three'].map((name) => ({ name, size: name.length, status: 'completed' })),
  })
  const listed = await forge.guest.must('GET', `${repo.api}/actions/artifacts?limit=2`)
  const third = `${repo.api}/actions/artifacts/${listed.json.artifacts[0].id}`
  const zip = await forge.guest.must('GET', `${third}/zip`)
  assert.deepEqual(
    [zip.text, zip.headers.get('content-disposition')],
    ['three', 'inline; filename="three.zip"; filename*=UTF-8\'\'three.zip'],
  )
  assert.equal((await forge.guest.delete(third)).status, 401)
  assert.equal((await forge.as('bob').delete(third)).status, 403)
  assert.equal((await forge.as('alice').delete(`${repo.api}/actions/artifacts/9999`)).status, 404)
  assert.deepEqual(
    [listed.json.total_count, listed.json.artifacts.map(({ name }: { name: string }) => name)],
    [3, ['three', 'two']],
  )
  const runPath = `${repo.api}/actions/runs/${String(task.context['run_id'])}`
  const ofRun = (await forge.guest.must('GET', `${runPath}/artifacts?name=one`)).json
  assert.deepEqual([ofRun.total_count, ofRun.artifacts[0].size_in_bytes], [1, 3])
  const [one] = ofRun.artifacts
  assert.equal(await (await fetch(one.archive_download_url)).text(), 'one')
  assert.deepEqual((await forge.guest.must('GET', `${repo.api}/actions/artifacts/${one.id}`)).json, one)
  const other = await forge.given.repo({ owner: 'bob' })
  assert.equal((await forge.as('bob').get(`${other.api}/actions/artifacts/${one.id}`)).status, 404)
  assert.equal((await forge.as('bob').get(`${other.api}/actions/runs/${one.workflow_run.id}/artifacts`)).status, 404)
  assert.equal(await (await fetch(`${page}/one`)).text(), 'one')
  assert.equal((await fetch(`${page}/none`)).status, 404)
  assert.equal((await fetch(`${page}/one`, { method: 'DELETE' })).status, 401)
  const as = async (name: string) => ({ authorization: `token ${(await forge.account(name)).token}` })
  assert.equal((await fetch(`${page}/one`, { method: 'DELETE', headers: await as('bob') })).status, 403)
  assert.equal((await fetch(`${page}/one`, { method: 'DELETE', headers: await as('alice') })).status, 204)
  assert.equal((await artifactBytes(forge))?.size_bytes, 8)
  assert.equal((await forge.as('alice').delete(third)).status, 204)
  assert.equal((await forge.as('alice').delete(third)).status, 404)
  assert.equal((await artifactBytes(forge))?.size_bytes, 3)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await fetch(page)).status, 404)
  assert.equal((await forge.guest.get(`${repo.api}/actions/artifacts`)).status, 404)
  await runner.finish(task)
  forge.clock.advance(3 * 86_400_000)
  await forge.as('root').must('POST', '/admin/cron/cleanup_actions')
  await forge.settle()
  assert.equal((await artifactBytes(forge))?.size_bytes, 0)
  const keys: string[] = []
  for await (const { key } of forge.services.blobs.actionsArtifacts.list('')) keys.push(key)
  assert.deepEqual(keys, [])
})
