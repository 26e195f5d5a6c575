import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Type } from 'typebox'
import { transaction } from '../db/database.ts'
import { GiveUp, job } from '../jobs/job.ts'
import { enqueue, listJobs } from '../jobs/queue.ts'
import { startWorkers } from '../jobs/workers.ts'
import type { UploadId } from '../storage/blobs.ts'
import { startForge } from '../testing/forge.ts'
import { until } from '../testing/until.ts'

test('adminCronList and adminCronRun: only administrators, unknown tasks are 404', async () => {
  await using forge = await startForge({ users: ['alice'] })
  assert.equal((await forge.guest.get('/admin/cron')).status, 401)
  assert.equal((await forge.as('alice').get('/admin/cron')).status, 403)
  assert.equal((await forge.as('alice').post('/admin/cron/anything')).status, 403)
  assert.equal((await forge.as('root').post('/admin/cron/no_such_task')).status, 404)
  const list = await forge.as('root').get('/admin/cron')
  assert.equal(list.status, 200)
  assert.equal(list.headers.get('x-total-count'), String(list.json.length))
  assert.equal(list.headers.get('link'), null)
})

test('metrics: is 404 when disabled, and requires the configured token', async () => {
  await using off = await startForge()
  assert.equal((await off.guest.get('/metrics', { site: true })).status, 404)

  await using on = await startForge({ settings: { metrics: { ENABLED: true, TOKEN: 'let-me-see' } } })
  assert.equal((await on.guest.get('/metrics', { site: true })).status, 401)
  const wrong = { site: true, headers: { authorization: 'Bearer let-me-in' } }
  assert.equal((await on.guest.get('/metrics', wrong)).status, 401)
  await on.as('root').get('/user')
  await on.settle()
  const reply = await on.guest.get('/metrics', { site: true, headers: { authorization: 'Bearer let-me-see' } })
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(reply.text, /^ingot_http_request_duration_seconds_count\{operation="userGetCurrent",status="2xx"\} 1$/m)
  assert.match(reply.text, /^ingot_oldest_due_job_seconds 0$/m)
  assert.match(reply.text, /^ingot_rows\{kind="users"\} 1$/m)
  assert.match(reply.text, /^process_resident_memory_bytes \d+$/m)
})

test('metrics: all caches share one budget, and answers do not depend on them', async () => {
  const settings = { metrics: { ENABLED: true }, ingot: { CACHE_SIZE: '24 KiB' } }
  await using forge = await startForge({ users: ['alice'], settings })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  await alice.must('POST', `${repo.api}/contents/docs/a.md`, { content: 'YQ==' })
  for (const title of ['one', 'two', 'three']) {
    await alice.must('POST', `${repo.api}/issues`, { title, body: `*${title}*` })
  }
  const paths = ['issues', 'issues/1', 'commits', 'contents', 'contents/docs/a.md', 'git/trees/main?recursive=true']
  const read = () => Promise.all(paths.map(async (path) => (await alice.must('GET', `${repo.api}/${path}`)).text))
  const { caches } = forge.services
  const first = await read()
  assert.deepEqual(await read(), first)
  assert.ok(caches.usedBytes > 0 && caches.usedBytes <= 24 * 1024, String(caches.usedBytes))
  assert.ok([...caches.usedByName().values()].filter((bytes) => bytes > 0).length > 1, 'several have some of it')
  const { text } = await forge.guest.get('/metrics', { site: true })
  const sizes = [...text.matchAll(/^ingot_cache_bytes\{cache="[a-z ]+"\} (\d+)$/gm)].map(([, bytes]) => Number(bytes))
  assert.equal(sizes.length, caches.usedByName().size)
  assert.ok(sizes.reduce((sum, bytes) => sum + bytes, 0) <= 24 * 1024)
})

test('adminWatchEvents: streams events to administrators and ends when the server stops', async () => {
  await using forge = await startForge({ users: ['alice'] })
  assert.equal((await forge.guest.get('/admin/events')).status, 401)
  assert.equal((await forge.as('alice').get('/admin/events')).status, 403)

  const { token } = await forge.account('root')
  const response = await fetch(`${forge.url}/api/v1/admin/events?only=user.*`, {
    headers: { authorization: `token ${token}` },
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  assert.equal((await reader.read()).value, 'retry: 3000\n\n')
  await forge.addUser('carol')
  const { value = '' } = await reader.read()
  const [event, data] = value.trim().split('\n')
  assert.equal(event, 'event: user.created')
  const { at, id, ...rest } = JSON.parse((data as string).replace('data: ', ''))
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
  const carol = (await forge.account('carol')).user.id
  assert.deepEqual(rest, { name: 'user.created', userId: carol, doerId: carol })
  const log = await forge.as('root').get('/admin/events/log?name=user.created')
  assert.equal(log.json.events.at(-1).id, id)

  const beganMs = performance.now()
  const [end] = await Promise.all([reader.read(), forge.app.close()])
  assert.equal(end.done, true)
  assert.ok(performance.now() - beganMs < 5000)
})

test('adminReadEvents: returns events in order from any position', async () => {
  await using forge = await startForge({ users: ['alice'] })
  assert.equal((await forge.guest.get('/admin/events/log')).status, 401)
  assert.equal((await forge.as('alice').get('/admin/events/log')).status, 403)
  const root = forge.as('root')
  assert.equal((await root.get('/admin/events/log?name=repo.painted')).status, 400)

  const now = (await root.get('/admin/events/log?limit=50')).json
  assert.deepEqual([now.has_more, now.is_incomplete, now.waits_for], [false, false, null])
  const repo = await forge.given.repo({ owner: 'alice' })
  const issue = await forge.as('alice').post(`${repo.api}/issues`, { title: 'first' })
  await forge.as('alice').patch(`${repo.api}/issues/1`, { title: 'renamed' })
  const alice = (await forge.account('alice')).user.id
  const repoId = (await root.get(repo.api)).json.id
  const ofRepo = (await root.get(`/admin/events/log?after=${now.position}&repo_id=${repoId}`)).json
  assert.deepEqual(
    ofRepo.events.map((event: { name: string }) => event.name),
    ['repo.created', 'issue.opened', 'issue.edited'],
  )
  const { id, position, at, ...edited } = ofRepo.events.at(-1)
  assert.ok(id > 0 && position > now.position && Math.abs(Date.parse(at) - Date.now()) < 60_000)
  assert.deepEqual(edited, {
    name: 'issue.edited',
    actor_id: alice,
    owner_id: alice,
    repo_id: repoId,
    issue_id: issue.json.id,
    data: { repoId, issueId: issue.json.id, doerId: alice, isPull: false, posterId: alice, oldTitle: 'first' },
  })
  const one = (await root.get(`/admin/events/log?after=${now.position}&limit=1`)).json
  assert.deepEqual([one.events.length, one.position, one.has_more], [1, one.events[0].position, true])
  const rest = (await root.get(`/admin/events/log?after=${one.position}&owner_id=${alice}`)).json
  assert.deepEqual(
    rest.events.map((event: { name: string }) => event.name),
    ['issue.opened', 'issue.edited'],
  )
})

test('adminWatchEvents: a disconnected client frees its stream', async () => {
  await using forge = await startForge()
  const { token } = await forge.account('root')
  const leave = new AbortController()
  const response = await fetch(`${forge.url}/api/v1/admin/events`, {
    headers: { authorization: `token ${token}` },
    signal: leave.signal,
  })
  assert.equal(response.status, 200)
  assert.equal(forge.services.live.watcherCount, 1)
  await forge.as('root').send('HEAD', '/admin/events')
  assert.equal(forge.services.live.watcherCount, 1)
  leave.abort()
  await until(() => forge.services.live.watcherCount === 0, 'nobody watches')
})

test('adminListJobs, adminRetryJob, adminDeleteJob: failed jobs are listed, retried and deleted', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const root = forge.as('root')
  assert.equal((await forge.guest.get('/admin/jobs')).status, 401)
  assert.equal((await forge.as('alice').get('/admin/jobs')).status, 403)
  assert.equal((await forge.as('alice').post('/admin/jobs/1/retry')).status, 403)
  assert.equal((await forge.as('alice').delete('/admin/jobs/1')).status, 403)
  assert.equal((await root.post('/admin/jobs/999/retry')).status, 404)
  assert.equal((await root.delete('/admin/jobs/999')).status, 404)

  const { db } = forge.services
  const doomed = job({
    name: 'failForTest',
    input: Type.Object({}),
    run: async () => {
      throw new GiveUp('the remote is gone')
    },
  })
  const id = await transaction(db, (tx) => enqueue(tx, doomed, {}))
  assert.equal((await root.delete(`/admin/jobs/${id}`)).status, 409)
  const waiting = await root.get('/admin/jobs?state=waiting')
  assert.deepEqual([waiting.json[0].id, waiting.json[0].last_error], [id, null])

  const failing = startWorkers({
    db,
    jobs: [doomed],
    createContext: () => undefined,
    log: () => {},
    slots: { default: 1 },
  })
  await failing.settle()
  await failing.stop(0)
  const failed = await root.get('/admin/jobs?state=failed')
  assert.equal(failed.headers.get('x-total-count'), '1')
  const [{ name, pool, state, attempt, problem, last_error: lastError }] = failed.json
  assert.deepEqual([name, pool, state, attempt], ['failForTest', 'default', 'failed', 1])
  assert.deepEqual([problem, lastError], ['permanent', 'the remote is gone'])

  assert.equal((await root.post(`/admin/jobs/${id}/retry`)).status, 202)
  assert.deepEqual(
    (await listJobs(db, { limit: 1 })).map((row) => [row.state, row.attempt]),
    [['waiting', 0]],
  )
  const again = startWorkers({
    db,
    jobs: [doomed],
    createContext: () => undefined,
    log: () => {},
    slots: { default: 1 },
  })
  await again.settle()
  await again.stop(0)
  assert.equal((await root.delete(`/admin/jobs/${id}`)).status, 204)
  assert.deepEqual((await root.get('/admin/jobs')).json, [])
  assert.equal((await root.get('/admin/jobs?state=odd')).status, 400)
})

test('adminCronRun: deletes abandoned uploads in every store and keeps active ones', async () => {
  await using forge = await startForge({ standAt: Date.now() })
  const stores = Object.values(forge.services.blobs)
  const ids = await Promise.all(stores.map((blobs) => blobs.uploads.begin()))
  const left = async (): Promise<number> => {
    assert.equal((await forge.as('root').post('/admin/cron/delete_abandoned_uploads')).status, 204)
    await forge.settle()
    const found = await Promise.all(stores.map((blobs, index) => blobs.uploads.find(ids[index] as UploadId)))
    return found.filter((upload) => upload !== undefined).length
  }
  assert.equal(await left(), stores.length)
  forge.clock.advance(25 * 3_600_000)
  assert.equal(await left(), 0)
})

test('adminCronRun: deletes a file without a row after a day', async () => {
  await using forge = await startForge({ standAt: Date.now(), settings: { attachment: { ENABLED: true } } })
  const { attachments } = forge.services.blobs
  const issue = await forge.given.issue()
  const form = new FormData()
  form.append('attachment', new Blob(['kept']), 'kept.txt')
  const kept = await forge.as('alice').send('POST', `${issue.api}/assets`, undefined, { raw: form })
  assert.equal(kept.status, 201)
  await attachments.put('1/aa/aa-stray', Readable.from(['stray']), { maxBytes: 10 })
  const names = async (): Promise<string[]> => {
    assert.equal((await forge.as('root').post('/admin/cron/delete_abandoned_uploads')).status, 204)
    await forge.settle()
    const found: string[] = []
    for await (const { key } of attachments.list('')) found.push(key.split('/').at(-1) as string)
    return found
  }
  assert.deepEqual(new Set(await names()), new Set([kept.json.uuid, 'aa-stray']))
  forge.clock.advance(25 * 3_600_000)
  assert.deepEqual(await names(), [kept.json.uuid])
})
