import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import type { GivenRepo } from '../../testing/given.ts'
import { collaborator, givenPull } from '../../testing/given-pull.ts'
import { until } from '../../testing/until.ts'
import { answerWith, Receiver } from '../receiver.test-support.ts'

interface Made {
  readonly id: number
  /** Path of the webhook below the API root. */
  readonly api: string
}

async function givenHook(forge: Forge, repo: GivenRepo, url: string, more: object = {}, config = {}): Promise<Made> {
  const { json } = await forge.as(repo.owner).must('POST', `${repo.api}/hooks`, {
    ...{ type: 'gitea', active: true, events: ['issues_only'] },
    ...more,
    config: { url, content_type: 'json', ...config },
  })
  return { id: json.id, api: `${repo.api}/hooks/${json.id}` }
}

const openIssues = async (forge: Forge, repo: GivenRepo, ...titles: string[]): Promise<void> => {
  for (const title of titles) await forge.given.issue({ repo, title })
}

const titlesOf = (receiver: Receiver): string[] => receiver.got.map(({ json }) => json.issue.title)

const hour = 3_600_000
const now = Date.UTC(2026, 0, 1)

test('a delivery carries the headers of all prefixes and signatures that its receiver can verify', async () => {
  await using forge = await startForge()
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  await givenHook(forge, repo, `${receiver.url}?a=b`, { authorization_header: 'Bearer of-news' }, { secret: 'hush' })
  await openIssues(forge, repo, 'one')
  await forge.settle()
  const [got] = receiver.got
  assert.equal(got?.path, '/hook?a=b')
  assert.equal(got?.headers['authorization'], 'Bearer of-news')
  const mac = (algorithm: string): string =>
    createHmac(algorithm, 'hush')
      .update(got?.body ?? '')
      .digest('hex')
  for (const family of ['gitea', 'forgejo', 'gogs', 'service']) {
    assert.equal(got?.headers[`x-${family}-event`], 'issues')
    assert.equal(got?.headers[`x-${family}-event-type`], 'issues')
    assert.equal(got?.headers[`x-${family}-delivery`], got?.headers['x-github-delivery'])
    assert.equal(got?.headers[`x-${family}-signature`], mac('sha256'))
  }
  assert.equal(got?.headers['x-hub-signature'], `sha1=${mac('sha1')}`)
  assert.equal(got?.headers['x-hub-signature-256'], `sha256=${mac('sha256')}`)
})

test('a payload shows the state at its event, not at its delivery', async () => {
  await using forge = await startForge({ standAt: now })
  await using receiver = await Receiver.start(answerWith(503))
  const issue = await forge.given.issue({ title: 'first', body: 'text' })
  await givenHook(forge, issue.repo, receiver.url, { events: ['issues', 'issue_comment', 'repository', 'push'] })
  const alice = forge.as('alice')
  await alice.must('PATCH', issue.api, { title: 'second' })
  await alice.must('PATCH', issue.api, { title: 'third' })
  const { json: comment } = await alice.must('POST', `${issue.api}/comments`, { body: 'said' })
  await alice.must('PATCH', `/repos/alice/${issue.repo.name}/issues/comments/${comment.id}`, { body: 'unsaid' })
  await alice.must('DELETE', `/repos/alice/${issue.repo.name}/issues/comments/${comment.id}`)
  await alice.must('PATCH', issue.api, { state: 'closed' })
  await forge.settle()
  await alice.must('DELETE', issue.api)
  receiver.got.length = 0
  receiver.answer = answerWith(200)
  forge.clock.advance(hour)
  await forge.settle()
  assert.deepEqual(
    receiver.got.map(({ json }) => [json.action, json.issue.title, json.changes?.title?.from, json.comment?.body]),
    [
      ['edited', 'second', 'first', undefined],
      ['edited', 'third', 'second', undefined],
      ['created', 'third', undefined, 'said'],
      ['edited', 'third', undefined, 'unsaid'],
      ['deleted', 'third', undefined, 'unsaid'],
      ['closed', 'third', undefined, undefined],
    ],
  )
  assert.deepEqual(
    receiver.got.map(({ json }) => json.issue.state),
    ['open', 'open', 'open', 'open', 'open', 'closed'],
  )
})

test('repoListHookDeliveries: a receiver that is down pauses its webhook only; waiting deliveries follow in order and under the same ids when an attempt succeeds', async () => {
  await using forge = await startForge({ standAt: now })
  await using away = await Receiver.start(answerWith(502, 'bad gateway'))
  await using well = await Receiver.start()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const hook = await givenHook(forge, repo, away.url)
  await givenHook(forge, repo, well.url)
  await openIssues(forge, repo, 'one', 'two', 'three')
  await forge.settle()
  assert.deepEqual(titlesOf(well), ['one', 'two', 'three'])
  assert.deepEqual(titlesOf(away), ['one'], 'the others wait behind the first')
  const afterOne = (await alice.get(hook.api)).json
  assert.deepEqual(
    [afterOne.active, afterOne.paused_since, afterOne.problem],
    [true, null, 'the receiver answered 502'],
  )

  for (let tries = 0; tries < 4; tries++) {
    forge.clock.advance(hour)
    await forge.settle()
  }
  const paused = (await alice.get(hook.api)).json
  assert.equal(paused.active, true)
  assert.notEqual(paused.paused_since, null)
  assert.notEqual(paused.next_attempt_at, null)
  assert.deepEqual([new Set(away.ids).size, away.got.length], [1, 5], 'one id however often it is tried')
  await openIssues(forge, repo, 'four')
  await forge.settle()
  assert.equal(away.got.length, 5, 'an event is no reason to try earlier')
  const waiting = await alice.get(`${hook.api}/deliveries?state=waiting`)
  assert.deepEqual([waiting.json.length, waiting.headers.get('x-total-count')], [4, '4'])
  assert.deepEqual(
    waiting.json.map((each: { attempts: number; status_code: number | null }) => [each.attempts, each.status_code]),
    [
      [0, null],
      [0, null],
      [0, null],
      [5, 502],
    ],
  )

  away.answer = answerWith(204, '')
  forge.clock.advance(2 * hour)
  await forge.settle()
  assert.deepEqual(titlesOf(away).slice(5), ['one', 'two', 'three', 'four'])
  assert.equal(new Set(away.ids).size, 4)
  const resumed = (await alice.get(hook.api)).json
  assert.deepEqual([resumed.paused_since, resumed.problem, resumed.next_attempt_at], [null, '', null])
  const all = (await alice.get(`${hook.api}/deliveries?limit=50`)).json
  assert.ok(all.every((each: { state: string }) => each.state === 'delivered'))
})

test('a refused delivery delays no other; 410 switches the webhook off; a delivery is given up after a day', async () => {
  await using forge = await startForge({ standAt: now })
  await using receiver = await Receiver.start((request, response) =>
    answerWith(request.json.issue.title === 'bad' ? 422 : 200)(request, response),
  )
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const hook = await givenHook(forge, repo, receiver.url)
  await openIssues(forge, repo, 'bad', 'good')
  await forge.settle()
  assert.deepEqual(titlesOf(receiver), ['bad', 'good'])
  assert.equal((await alice.get(hook.api)).json.problem, '', 'the receiver is well')
  for (let hours = 0; hours < 30; hours++) {
    forge.clock.advance(hour)
    await forge.settle()
  }
  const [given] = (await alice.get(`${hook.api}/deliveries?state=failed`)).json
  assert.match(given.problem, /given up/)
  assert.ok(given.attempts > 10 && given.attempts < 40, `${given.attempts} attempts`)
  const triesBefore = receiver.got.length
  forge.clock.advance(100 * hour)
  await forge.settle()
  assert.equal(receiver.got.length, triesBefore)

  receiver.answer = answerWith(410)
  await openIssues(forge, repo, 'last')
  await forge.settle()
  await openIssues(forge, repo, 'unheard')
  await forge.settle()
  const gone = (await alice.get(hook.api)).json
  assert.deepEqual([gone.active, gone.problem], [false, 'the receiver answered 410'])
  assert.deepEqual(titlesOf(receiver).slice(triesBefore), ['last'])
  assert.equal((await alice.get(`${hook.api}/deliveries?state=failed`)).json.length, 2)
  assert.equal((await alice.post(`${hook.api}/deliveries/attempts`, {})).status, 422, 'it is switched off')
})

test('a delivery at which the receiver always fails does not block the later ones', async () => {
  await using forge = await startForge({ standAt: now })
  await using receiver = await Receiver.start((request, response) =>
    answerWith(request.json.issue.title === 'poison' ? 500 : 200)(request, response),
  )
  const repo = await forge.given.repo()
  const hook = await givenHook(forge, repo, receiver.url)
  await openIssues(forge, repo, 'poison', 'fine', 'good')
  // In steps that are shorter than the waits differ.
  for (let quarters = 0; quarters < 40; quarters++) {
    await forge.settle()
    forge.clock.advance(hour / 4)
  }
  assert.deepEqual(
    titlesOf(receiver).filter((title) => title !== 'poison'),
    ['fine', 'good'],
  )
  assert.equal((await forge.as('alice').get(hook.api)).json.paused_since, null)
})

test('repoGetHookDelivery: requests and answers are shown shortened and without secrets', async () => {
  const logged: string[] = []
  await using forge = await startForge({ log: (...line) => void logged.push(JSON.stringify(line)) })
  const secrets = ['hush-hush', 'Bearer of-bad-news', 'token-in-query', 'pass-in-url']
  const path = '/services/T0123/secret-of-the-channel'
  await using receiver = await Receiver.start((request, response) => {
    const echo = `${String(request.headers['authorization'])} hush-hush ${request.path} ${'x'.repeat(100_000)}`
    response.writeHead(500, { 'x-echo': 'seen', 'set-cookie': 'id=token-in-query' }).end(echo)
  })
  const repo = await forge.given.repo()
  const url = `${receiver.url.replace('//', '//me:pass-in-url@')}${path}?token=token-in-query&room=7`
  const more = { authorization_header: secrets[1] }
  const hook = await givenHook(forge, repo, url, more, { secret: 'hush-hush' })
  await openIssues(forge, repo, 'one')
  await forge.settle()
  const alice = forge.as('alice')
  const [listed] = (await alice.get(`${hook.api}/deliveries`)).json
  const { text, json } = await alice.get(`${hook.api}/deliveries/${listed.id}`)
  for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is not shown`)
  const [attempt] = json.last_attempts
  assert.equal(attempt.status_code, 500)
  assert.match(attempt.request.url, /secret-of-the-channel\?token=\*\*\*&room=7/)
  assert.equal(attempt.request.headers['authorization'], '***')
  assert.equal(attempt.request.headers['x-hub-signature-256'].length, 71, 'signatures are no secrets')
  assert.equal(JSON.parse(attempt.request.body).issue.title, 'one')
  assert.deepEqual([attempt.response.headers['x-echo'], attempt.response.headers['set-cookie']], ['seen', '***'])
  assert.ok(attempt.response.is_cut && attempt.response.body.length < 20_000)
  const rows = await forge.services.db.selectFrom('webhook_attempt').selectAll().execute()
  const stored = JSON.stringify(rows)
  for (const secret of [...secrets, 'secret-of-the-channel']) {
    assert.ok(!stored.includes(secret), `${secret} is not stored`)
  }
  for (const secret of secrets) assert.ok(!logged.join().includes(secret), `${secret} is not logged`)
})

test('repoRedeliverHookDelivery, repoRedeliverHookDeliveries: one delivery or a range is sent again under the same ids, oldest first', async () => {
  await using forge = await startForge()
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const hook = await givenHook(forge, repo, receiver.url)
  await openIssues(forge, repo, 'one', 'two', 'three')
  await forge.settle()
  const deliveries = (await alice.get(`${hook.api}/deliveries`)).json
  assert.deepEqual(
    deliveries.map((each: { uuid: string }) => each.uuid),
    receiver.ids.toReversed(),
  )
  const [three, two] = deliveries
  const one = await alice.post(`${hook.api}/deliveries/${two.id}/attempts`)
  assert.deepEqual([one.status, one.json], [202, { count: 1 }])
  await forge.settle()
  assert.deepEqual([receiver.ids[3], receiver.got[3]?.body], [two.uuid, receiver.got[1]?.body])

  const body = { first_id: two.id, last_id: three.id, states: ['delivered'] }
  assert.deepEqual((await alice.post(`${hook.api}/deliveries/attempts`, body)).json, { count: 2 })
  await forge.settle()
  assert.deepEqual(receiver.ids.slice(4), [two.uuid, three.uuid])
  assert.deepEqual((await alice.post(`${hook.api}/deliveries/attempts`, {})).json, { count: 0 }, 'none has failed')
  assert.equal((await alice.post(`${hook.api}/deliveries/attempts`, { states: [] })).status, 422)
  assert.equal((await alice.post(`${hook.api}/deliveries/99999/attempts`)).status, 404)
  const details = (await alice.get(`${hook.api}/deliveries/${two.id}`)).json
  assert.deepEqual([details.attempts, details.last_attempts.length, details.state], [3, 3, 'delivered'])
  assert.equal((await forge.as('bob').get(`${hook.api}/deliveries`)).status, 403)
})

test('repoRedeliverHookDelivery: a waiting delivery is sent at once, also while its webhook waits for the receiver', async () => {
  await using forge = await startForge({ standAt: now })
  await using receiver = await Receiver.start(answerWith(503))
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const hook = await givenHook(forge, repo, receiver.url)
  await openIssues(forge, repo, 'one', 'two')
  await forge.settle()
  const waiting = async () => (await alice.get(`${hook.api}/deliveries?state=waiting`)).json
  const [two, one] = await waiting()
  assert.deepEqual(titlesOf(receiver), ['one'])
  const hasten = async (id: number) => {
    assert.deepEqual((await alice.post(`${hook.api}/deliveries/${id}/attempts`)).json, { count: 1 })
    await forge.settle()
  }
  await hasten(one.id)
  assert.deepEqual(titlesOf(receiver), ['one', 'one'])
  receiver.answer = answerWith(200)
  await hasten(two.id)
  assert.deepEqual(titlesOf(receiver).slice(2), ['one', 'two'], 'the order stays')
  assert.deepEqual(await waiting(), [])

  // One that the receiver has refused waits by itself.
  receiver.answer = answerWith(422)
  await openIssues(forge, repo, 'three')
  await forge.settle()
  const [three] = await waiting()
  receiver.answer = answerWith(200)
  await hasten(three.id)
  assert.deepEqual(titlesOf(receiver).slice(4), ['three', 'three'])
})

test('orgListHookDeliveries, orgGetHookDelivery, orgRedeliverHookDelivery, orgRedeliverHookDeliveries, userListHookDeliveries, userGetHookDelivery, userRedeliverHookDelivery, userRedeliverHookDeliveries, adminListHookDeliveries, adminGetHookDelivery, adminRedeliverHookDelivery, adminRedeliverHookDeliveries: webhooks of each level have deliveries', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await using receiver = await Receiver.start()
  const org = await forge.given.org()
  const levels = [
    { path: `/orgs/${org}/hooks`, who: 'alice' },
    { path: '/user/hooks', who: 'alice' },
    { path: '/admin/hooks', who: 'root' },
  ]
  const made: { api: string; who: string }[] = []
  for (const { path, who } of levels) {
    const config = { url: receiver.url, content_type: 'json', is_system_webhook: 'true' }
    const body = { type: 'gitea', active: true, events: ['repository'], config }
    const { json } = await forge.as(who).must('POST', path, body)
    made.push({ api: `${path}/${json.id}`, who })
  }
  await forge.given.repo()
  await forge.as('alice').must('POST', `/orgs/${org}/repos`, { name: 'ours' })
  await forge.settle()
  const counts = [1, 1, 2]
  for (const [index, { api, who }] of made.entries()) {
    const client = forge.as(who)
    const list = (await client.get(`${api}/deliveries`)).json
    assert.equal(list.length, counts[index], api)
    const [{ id }] = list
    assert.equal((await client.get(`${api}/deliveries/${id}`)).json.event, 'repository')
    assert.equal((await client.post(`${api}/deliveries/${id}/attempts`)).status, 202)
    assert.equal((await client.post(`${api}/deliveries/attempts`, {})).status, 202)
  }
  await forge.settle()
  assert.equal(receiver.got.length, 7)
})

test('a receiver that hangs delays no other webhook', async () => {
  // They hang for longer than the test looks: who waited for them would not be seen.
  await using forge = await startForge({
    settings: { webhook: { ALLOWED_HOST_LIST: 'loopback', DELIVER_TIMEOUT: 60 }, ingot: { JOB_WORKERS_WEBHOOKS: 16 } },
  })
  await using well = await Receiver.start()
  const repo = await forge.given.repo()
  {
    await using hanging = await Receiver.start(() => {})
    for (let count = 0; count < 3; count++) await givenHook(forge, repo, hanging.url)
    await givenHook(forge, repo, well.url)
    await openIssues(forge, repo, 'one', 'two')
    await until(() => hanging.got.length === 3 && well.got.length === 2, 'both deliveries of the one that is well')
  }
})

test('a receiver that hangs, answers endlessly or redirects to an internal address fails within the timeout', async () => {
  await using forge = await startForge({
    settings: { webhook: { ALLOWED_HOST_LIST: 'loopback', DELIVER_TIMEOUT: 1 }, ingot: { JOB_WORKERS_WEBHOOKS: 16 } },
  })
  await using hanging = await Receiver.start(() => {})
  await using endless = await Receiver.start((_, response) => {
    response.writeHead(200)
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  await using leading = await Receiver.start(answerWith(307, '', { location: 'http://169.254.169.254/latest' }))
  await using well = await Receiver.start()
  const repo = await forge.given.repo()
  const hooks: Made[] = []
  for (const { url } of [hanging, hanging, hanging, endless, leading]) hooks.push(await givenHook(forge, repo, url))
  await givenHook(forge, repo, well.url)
  await openIssues(forge, repo, 'one', 'two')
  await forge.settle()
  const problems: string[] = []
  for (const { api } of hooks) problems.push((await forge.as('alice').get(api)).json.problem)
  assert.deepEqual(problems.slice(0, 3), Array(3).fill('the request took too long'))
  assert.equal(problems[3], '', 'an endless answer is cut')
  assert.match(problems[4] ?? '', /169\.254\.169\.254 are not allowed/)
})

test('a target outside the allow list gets nothing, and the webhook names the problem', async () => {
  await using forge = await startForge({ settings: { webhook: { ALLOWED_HOST_LIST: 'external' } } })
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  const hook = await givenHook(forge, repo, receiver.url)
  await openIssues(forge, repo, 'one')
  await forge.settle()
  assert.deepEqual(receiver.got, [])
  assert.match((await forge.as('alice').get(hook.api)).json.problem, /not allowed/)
})

test('repoTestHook: 404 for an unknown webhook or reference; a webhook without pushes gets nothing', async () => {
  await using forge = await startForge()
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const hook = await givenHook(forge, repo, receiver.url, { events: ['push'] })
  const other = await givenHook(forge, repo, receiver.url)
  assert.equal((await alice.post(`${hook.api}/tests?ref=nope`)).status, 404)
  assert.equal((await alice.post(`${other.api}/tests`)).status, 204)
  assert.equal((await alice.post(`${hook.api}/tests`)).status, 204)
  await forge.settle()
  assert.deepEqual(
    receiver.got.map(({ json }) => [json.ref, json.before === json.after, json.commits.length]),
    [['refs/heads/main', true, 1]],
  )
})

test('payloads hold no private mail addresses and no private repositories of others', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  await givenHook(forge, repo, receiver.url)
  await forge.as('bob').must('PATCH', '/user/settings', { hide_email: true })
  const issue = await forge.given.issue({ repo, poster: 'bob' })
  await forge.settle()
  assert.equal(receiver.got.length, 1)
  // Bob is the actor of each event: his own address is shown to him, in every place where he appears.
  await collaborator(forge, repo, 'bob', 'admin')
  const bob = forge.as('bob')
  await bob.must('POST', `${repo.api}/hooks`, {
    ...{ type: 'gitea', active: true, config: { url: receiver.url, content_type: 'json' } },
    events: ['issues', 'pull_request', 'pull_request_comment', 'issue_comment', 'pull_request_review', 'release'],
  })
  const pull = await givenPull(forge, { repo })
  await bob.must('PATCH', issue.api, { assignees: ['bob'] })
  await bob.must('POST', `${issue.api}/comments`, { body: 'hello' })
  await forge.as('alice').must('POST', `${pull.api}/requested_reviewers`, { reviewers: ['bob'] })
  await bob.must('PATCH', pull.api, { assignees: ['bob'], title: 'Another title' })
  for (const event of ['COMMENT', 'APPROVED', 'REQUEST_CHANGES']) {
    await bob.must('POST', `${pull.api}/reviews`, { event, body: 'see' })
  }
  await forge.settle()
  await bob.must('POST', `${pull.api}/merge`, { Do: 'merge' })
  await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v1', name: 'One' })
  await forge.settle()
  const events = new Set(receiver.got.map(({ headers }) => headers['x-gitea-event-type']))
  for (const event of ['issue_assign', 'pull_request_assign', 'pull_request_review_approved', 'release']) {
    assert.ok(events.has(event), event)
  }
  for (const { body, headers } of receiver.got) {
    assert.ok(!body.includes('bob@example.com'), String(headers['x-gitea-event-type']))
  }
})

test('cleanup_hook_task_table: old deliveries are deleted, waiting ones stay', async () => {
  await using forge = await startForge({ standAt: now })
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  const hook = await givenHook(forge, repo, receiver.url)
  await openIssues(forge, repo, 'one')
  await forge.settle()
  forge.clock.advance(200 * hour)
  receiver.answer = answerWith(500)
  await openIssues(forge, repo, 'two')
  await forge.settle()
  await forge.as('root').must('POST', '/admin/cron/cleanup_hook_task_table')
  await forge.settle()
  const left = (await forge.as('alice').get(`${hook.api}/deliveries`)).json
  assert.deepEqual(
    left.map((each: { state: string }) => each.state),
    ['waiting'],
  )
  const { db } = forge.services
  assert.equal((await db.selectFrom('webhook_payload').select('id').execute()).length, 1)
  assert.equal((await db.selectFrom('webhook_attempt').select('id').execute()).length, 1)
})

test('payloads are deleted soon after their webhook, its repository or its account', async () => {
  await using forge = await startForge({ users: ['bob'], standAt: now })
  await using receiver = await Receiver.start()
  const { db } = forge.services
  const left = async (): Promise<string[]> => {
    forge.clock.advance(60_000)
    await forge.settle()
    const rows = await db.selectFrom('webhook_payload').select('data').orderBy('id').execute()
    return rows.map(({ data }) => (JSON.parse(data) as { issue: { title: string } }).issue.title)
  }
  const [stays, goes] = [await forge.given.repo({ name: 'stays' }), await forge.given.repo({ name: 'goes' })]
  const [kept, alone] = [await givenHook(forge, stays, receiver.url), await givenHook(forge, stays, receiver.url)]
  await givenHook(forge, goes, receiver.url)
  const hook = { type: 'gitea', active: true, events: ['issues_only'] }
  const config = { url: receiver.url, content_type: 'json' }
  await forge.as('bob').must('POST', '/user/hooks', { ...hook, config })
  const bobs = await forge.given.repo({ owner: 'bob' })
  await openIssues(forge, stays, 'one')
  await openIssues(forge, goes, 'two')
  await openIssues(forge, bobs, 'three')
  assert.deepEqual(await left(), ['one', 'two', 'three'])
  await forge.as('alice').must('DELETE', goes.api)
  assert.deepEqual(await left(), ['one', 'three'])
  await forge.as('bob').must('DELETE', bobs.api)
  await forge.as('root').must('DELETE', '/admin/users/bob')
  assert.deepEqual(await left(), ['one'])
  await forge.as('alice').must('DELETE', alone.api)
  assert.deepEqual(await left(), ['one'])
  await forge.as('alice').must('DELETE', kept.api)
  assert.deepEqual(await left(), [])
})

test('a webhook has a limited number of waiting deliveries; further ones are listed as failed', async () => {
  await using forge = await startForge({ settings: { ingot: { MAX_WEBHOOK_BACKLOG: 3 } } })
  const held: (() => void)[] = []
  await using receiver = await Receiver.start((_, response) => void held.push(() => response.end()))
  const repo = await forge.given.repo()
  const hook = await givenHook(forge, repo, receiver.url)
  await openIssues(forge, repo, 'one', 'two', 'three', 'four', 'five')
  const { json } = await forge.as('alice').must('GET', `${hook.api}/deliveries`)
  const states = json.map((each: { state: string; problem: string }) => `${each.state} ${each.problem}`)
  const beyond = 'failed too many deliveries wait for this webhook'
  assert.deepEqual(states, [beyond, beyond, 'waiting ', 'waiting ', 'waiting '])
  receiver.answer = answerWith(200)
  await until(() => held.length > 0)
  for (const answer of held) answer()
  await forge.settle()
  assert.deepEqual(titlesOf(receiver), ['one', 'two', 'three'])
})

test('webhooks of the owner get packages with their linked repository, in each message format', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await using receiver = await Receiver.start()
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ name: 'linked', private: true })
  const config = { url: receiver.url, content_type: 'json' }
  for (const type of ['gitea', 'msteams', 'feishu']) {
    await alice.must('POST', '/user/hooks', { type, active: true, events: ['package'], config })
  }
  const { json: ofRepo } = await alice.must('POST', `${repo.api}/hooks`, {
    type: 'gitea',
    active: true,
    events: ['package'],
    config,
  })
  assert.deepEqual(ofRepo.events, ['package'])
  const upload = (who: string, path: string) =>
    forge.as(who).send('PUT', `/api/packages/${who}/generic/${path}`, undefined, { site: true, raw: Buffer.from('x') })
  assert.equal((await upload('alice', 'Tool/1.0/a')).status, 201)
  assert.equal((await upload('alice', 'Tool/1.0/b')).status, 201)
  assert.equal((await upload('bob', 'tool/1.0/a')).status, 201)
  await alice.must('POST', '/packages/alice/generic/tool/-/link/linked')
  await alice.must('DELETE', '/packages/alice/generic/tool/1.0')
  await forge.settle()
  const own = receiver.got.filter(({ json }) => json.package !== undefined)
  assert.deepEqual(
    own.map(({ json }) => [json.action, json.package.name, json.package.version, json.repository?.full_name ?? null]),
    [
      ['created', 'Tool', '1.0', null],
      ['deleted', 'Tool', '1.0', 'alice/linked'],
    ],
  )
  const [first, last] = own
  assert.deepEqual(
    [first?.headers['x-gitea-event'], first?.headers['x-gitea-event-type'], Object.keys(first?.json)],
    ['', 'package', ['action', 'repository', 'package', 'organization', 'sender']],
  )
  assert.deepEqual([first?.json.organization.login, first?.json.sender.login], ['alice', 'alice'])
  assert.match(last?.json.package.html_url, /\/alice\/-\/packages\/generic\/tool\/1\.0$/)
  const others = receiver.got.filter(({ json }) => json.package === undefined).map(({ body }) => body)
  assert.equal(others.length, 4)
  assert.ok(
    others.every((body) => /\[alice\] Package (?:created|deleted): /.test(body) && body.includes('Tool:1.0')),
    others[0],
  )
})

test('a payload that cannot be built fails no request, and is built after the commit', async () => {
  await using forge = await startForge({ standAt: now })
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  await givenHook(forge, repo, receiver.url)
  const setTopics = (topics: string): Promise<unknown> =>
    transaction(forge.services.db, (tx) => tx.updateTable('repo').set({ topics }).execute())
  await setTopics('damaged')
  await openIssues(forge, repo, 'one')
  await forge.settle()
  assert.deepEqual(receiver.got, [])
  assert.ok(forge.defects.length > 0, 'it is logged')
  forge.defects.length = 0
  await setTopics('[]')
  forge.clock.advance(hour)
  await forge.settle()
  assert.deepEqual(titlesOf(receiver), ['one'])
})

test('two processes of an instance send each delivery once, in order (PostgreSQL)', async (context) => {
  await using shared = await openTestDatabase()
  if (shared.options.kind !== 'postgres') return context.skip('SQLite has one process')
  await using first = await startForge({ database: shared.options })
  const dataFolder = first.services.config.paths.data
  await using second = await startForge({ database: shared.options, dataFolder })
  await using receiver = await Receiver.start()
  const repo = await first.given.repo()
  await givenHook(first, repo, receiver.url)
  await second.account('alice')
  const opened = Array.from({ length: 40 }, (_, index) =>
    (index % 2 === 0 ? first : second).as('alice').must('POST', `${repo.api}/issues`, { title: `issue ${index}` }),
  )
  await Promise.all(opened)
  await Promise.all([first.settle(), second.settle()])
  const numbers = receiver.got.map(({ json }) => json.number as number)
  assert.deepEqual(
    numbers,
    Array.from({ length: 40 }, (_, index) => index + 1),
  )
})

test('the payload of a push names at most 3,000 changed files, those of all commits together', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo()
  await givenHook(forge, repo, receiver.url, { events: ['push'] })
  const alice = forge.as('alice')
  for (const commit of ['a', 'b']) {
    await alice.must('POST', `${repo.api}/contents`, {
      files: Array.from({ length: 2000 }, (_, at) => ({
        operation: 'create',
        path: `${commit}/${at}`,
        content: 'YQ==',
      })),
      message: commit,
      branch: commit === 'a' ? 'main' : 'topic',
      ...(commit === 'a' ? { new_branch: 'topic' } : {}),
    })
  }
  await alice.must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'both' })
  receiver.got.length = 0
  await alice.must('POST', `${repo.api}/pulls/1/merge`, { do: 'rebase' })
  await forge.settle()
  const { json } = receiver.got.find(({ json: { ref } }) => ref === 'refs/heads/main') as { json: PushPayload }
  assert.deepEqual(
    json.commits.map(({ added }) => added.length),
    [2000, 1000],
  )
})

interface PushPayload {
  readonly commits: readonly { readonly added: readonly string[] }[]
}
