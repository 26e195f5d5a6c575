import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../testing/forge.ts'
import { until } from '../testing/until.ts'
import { commitFiles, TestRunner, workflow, type TestTask } from './actions.test-support.ts'
import { cacheCalls } from './caches/caches.test-support.ts'

const megabyte = 1024 * 1024

/** Starts a forge with a quota of three megabytes and a running job. */
async function begin(mostBytes = 3 * megabyte) {
  const forge = await startForge({
    settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: mostBytes } },
  })
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  return { forge, repo, runner, task: await runner.must() }
}

const usedBytes = async (forge: Forge): Promise<number> =>
  Number(
    (
      await forge.services.db
        .selectFrom('usage')
        .select((select) => select.fn.sum<number | string | null>('size_bytes').as('bytes'))
        .where('kind', 'in', ['artifacts', 'packages'])
        .executeTakeFirstOrThrow()
    ).bytes ?? 0,
  )

/** Creates an artifact. Returns the upload address, or the status of a refusal. */
async function beginArtifact(forge: Forge, task: TestTask, name: string): Promise<string | number> {
  const response = await fetch(`${forge.url}/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${task.context.gitea_runtime_token}` },
    body: JSON.stringify({ workflow_run_backend_id: String(task.context['run_id']), name, version: 4 }),
  })
  if (response.status !== 200) return response.status
  return ((await response.json()) as { signedUploadUrl: string }).signedUploadUrl
}

const put = async (url: string, bytes: number): Promise<number> =>
  (await fetch(url, { method: 'PUT', body: Buffer.alloc(bytes, 1) })).status

test('parts of unfinished caches and artifacts count against the quota, and are deleted when the upload is abandoned', async () => {
  const { forge, task } = await begin()
  await using _ = forge
  const { call } = cacheCalls(forge, task)
  const cacheAddress = async (key: string): Promise<string | number> => {
    const { status, json } = await call('CreateCacheEntry', { key, version: 'v' })
    return status === 200 ? json.signed_upload_url : status
  }
  for (const [kind, address] of [
    ['cache', cacheAddress],
    ['artifact', (name: string) => beginArtifact(forge, task, name)],
  ] as const) {
    const used: number[] = []
    const statuses: number[] = []
    for (let index = 0; index < 6; index++) {
      const url = await address(`${kind}-${index}`)
      statuses.push(typeof url === 'string' ? await put(`${url}&comp=block&blockid=YQ%3D%3D`, megabyte) : url)
      used.push(await usedBytes(forge))
    }
    assert.ok(statuses.includes(413), `${kind}: ${statuses.join()}`)
    assert.ok(Math.max(...used) <= 5 * megabyte, `${kind}: ${used.join()}`)
    assert.equal(used.at(-1), statuses.filter((status) => status === 201).length * megabyte)
    forge.clock.advance(7 * 3600_000)
    await forge.as('root').must('POST', '/admin/cron/cleanup_actions')
    await forge.settle()
    assert.equal(await usedBytes(forge), 0, kind)
  }
  const { db, blobs } = forge.services
  assert.equal((await db.selectFrom('action_artifact').select('id').execute()).length, 0)
  const left = []
  for await (const { key } of blobs.actionsArtifacts.list('')) left.push(key)
  assert.deepEqual(left, [])
})

test('concurrent parts count each other', async () => {
  const { forge, task } = await begin()
  await using _ = forge
  const addresses = []
  for (let index = 0; index < 12; index++) addresses.push(await beginArtifact(forge, task, `a${index}`))
  const statuses = await Promise.all(addresses.map((url) => put(`${String(url)}&comp=appendBlock`, megabyte)))
  assert.ok(statuses.filter((status) => status === 201).length <= 5, statuses.join())
  assert.ok(statuses.includes(413))
})

test('an artifact is charged once, also with replaced and broken parts', async () => {
  const { forge, task, repo } = await begin(100 * megabyte)
  await using _ = forge
  const url = String(await beginArtifact(forge, task, 'one'))
  for (const bytes of [500, 300, 400]) assert.equal(await put(`${url}&comp=block&blockid=YQ%3D%3D`, bytes), 201)
  assert.equal(await usedBytes(forge), 400, 'a part that is sent again replaces the previous one')
  assert.equal(await put(`${url}&comp=block&blockid=Yg%3D%3D`, 100), 201)
  assert.equal(await usedBytes(forge), 500)
  const finish = (method: string, body: object) =>
    fetch(`${forge.url}/twirp/github.actions.results.api.v1.ArtifactService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${task.context.gitea_runtime_token}` },
      body: JSON.stringify({ workflow_run_backend_id: String(task.context['run_id']), name: 'one', ...body }),
    })
  assert.equal((await finish('FinalizeArtifact', { size: '500' })).status, 200)
  assert.equal(await usedBytes(forge), 500)
  // A part without a declared length, and an upload that breaks off.
  const other = String(await beginArtifact(forge, task, 'other'))
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(70))
      controller.close()
    },
  })
  const init = { method: 'PUT', body: stream, duplex: 'half' }
  assert.equal((await fetch(`${other}&comp=appendBlock`, init as RequestInit)).status, 201)
  assert.equal(await usedBytes(forge), 570)
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(70))
    },
    pull(controller) {
      controller.error(new Error('gone'))
    },
  })
  await assert.rejects(fetch(`${other}&comp=appendBlock`, { ...init, body: broken }))
  await until(async () => (await usedBytes(forge)) === 570, 'the reserved bytes are free')
  const [run] = (await forge.as('alice').must('GET', `${repo.api}/actions/runs`)).json.workflow_runs
  await forge.as('alice').must('POST', `${repo.api}/actions/runs/${run.id}/cancel`)
  await forge.as('alice').must('DELETE', `${repo.api}/actions/runs/${run.id}`)
  assert.equal(await usedBytes(forge), 0)
})
