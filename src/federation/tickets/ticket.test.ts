import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { federationSettings, keysOf, Peer, repoIdOf, sendAs, type PeerActor } from '../peer.test-support.ts'

const settings = { federation: { ...federationSettings, ISSUES_ENABLED: true } }

async function settle(...forges: readonly Forge[]): Promise<void> {
  for (let round = 0; round < 4; round++) for (const forge of forges) await forge.settle()
}

test('userOpenIssueElsewhere, userCommentElsewhere, userListIssuesElsewhere, activitypubTicket: an issue between two instances', async () => {
  await using alpha = await startForge({ users: ['ada'], settings })
  await using beta = await startForge({ users: ['ben'], settings })
  const repo = await beta.given.repo({ owner: 'ben', name: 'there' })
  const repository = `${beta.url}/api/v1/activitypub/repository-id/${await repoIdOf(beta, repo.api)}`
  const ada = `ada-${new URL(alpha.url).host.replace(':', '-')}`
  const opened = await alpha
    .as('ada')
    .post('/user/federation/issues', { repository, title: 'it <b>crashes</b>', body: 'see `main.c`\n\n- one\n- two' })
  assert.equal(opened.status, 202)
  await settle(alpha, beta)
  const [issue] = (await beta.as('ben').get(`${repo.api}/issues`)).json
  assert.deepEqual(
    [issue.title, issue.body, issue.user.login],
    ['it <b>crashes</b>', 'see `main.c`\n\n- one\n- two', ada],
  )
  const [mine, ...others] = (await alpha.as('ada').get('/user/federation/issues')).json
  assert.deepEqual(
    [mine.id, mine.title, mine.repository, mine.issue, others.length],
    [opened.json.id, 'it <b>crashes</b>', repository, `${repository}/issues/1`, 0],
  )
  assert.deepEqual((await alpha.as('root').get('/user/federation/issues')).json, [])

  await beta.as('ben').must('POST', `${repo.api}/issues/1/comments`, { body: 'which *version*?' })
  await settle(beta, alpha)
  const [note] = (await alpha.as('ada').get('/user/federation/feed')).json
  assert.ok(note.direct && note.content.includes('which <em>version</em>?'), JSON.stringify(note))
  assert.equal(note.html_url, (await beta.as('ben').get(`${repo.api}/issues/1/comments`)).json[0].html_url)
  const comment = { repository, issue: mine.issue, body: 'the latest' }
  assert.equal((await alpha.as('ada').post('/user/federation/comments', comment)).status, 202)
  await settle(alpha, beta)
  const comments = (await beta.as('ben').get(`${repo.api}/issues/1/comments`)).json
  assert.deepEqual(
    comments.map((one: { body: string; user: { login: string } }) => [one.user.login, one.body]),
    [
      ['ben', 'which *version*?'],
      [ada, 'the latest'],
    ],
  )
  await using peer = await Peer.start()
  const read = (path: string) => sendAs(beta, peer.application(), 'GET', path)
  const path = repository.slice(`${beta.url}/api/v1`.length)
  const ticket = await read(`${path}/issues/1`)
  assert.deepEqual([ticket.status, ticket.json.type, ticket.json.summary], [200, 'Ticket', 'it <b>crashes</b>'])
  assert.equal((await read(`${path}/issues/2`)).status, 404)
  for (const [body, status] of [
    [{ repository: 'x', title: 'a', body: 'b' }, 406],
    [{ repository: `${alpha.url}/api/v1/activitypub/repository-id/1`, title: 'a', body: 'b' }, 406],
    [{ repository: `${beta.url}/api/v1/activitypub/actor`, title: 'a', body: 'b' }, 406],
    [{ repository: 'http://127.0.0.1:1/x', title: 'a', body: 'b' }, 503],
    [{ repository, title: 'a' }, 422],
  ] as const) {
    assert.equal((await alpha.as('ada').post('/user/federation/issues', body)).status, status, JSON.stringify(body))
  }
  const elsewhere = { repository, issue: 'https://other.example/issues/1', body: 'x' }
  assert.equal((await alpha.as('ada').post('/user/federation/comments', elsewhere)).status, 406)
})

interface Surroundings {
  readonly forge: Forge
  readonly peer: Peer
  readonly una: PeerActor
  readonly api: string
  readonly target: string
  readonly send: (activity: object, actor?: PeerActor) => Promise<[number, string | undefined]>
}

async function withUna(use: (around: Surroundings) => Promise<void>, isOn = true): Promise<void> {
  await using peer = await Peer.start('vervis')
  await using forge = await startForge({
    users: ['ada'],
    settings: { federation: { ...federationSettings, ISSUES_ENABLED: isOn } },
  })
  const repo = await forge.given.repo({ owner: 'ada', name: 'open' })
  const path = `/activitypub/repository-id/${await repoIdOf(forge, repo.api)}`
  const una = peer.actor('una', { path: '/people/una' })
  await use({
    forge,
    peer,
    una,
    api: repo.api,
    target: `${forge.url}/api/v1${path}`,
    send: async (activity, actor = una) => {
      const { status, json } = await sendAs(forge, actor, 'POST', `${path}/forgefed/inbox`, activity)
      return [status, json?.code]
    },
  })
}

const offer = (actor: PeerActor, target: string, object: object = {}) => ({
  '@context': ['https://www.w3.org/ns/activitystreams', 'https://forgefed.org/ns'],
  id: `${actor.id}/outbox/1`,
  type: 'Offer',
  actor: actor.id,
  object: {
    id: `${actor.id}/tickets/1`,
    type: 'Ticket',
    attributedTo: actor.id,
    summary: 'Test test test',
    content: '<p>This is a <b>test</b></p>\n\n<script>alert(1)</script>',
    mediaType: 'text/html',
    ...object,
  },
  target,
})

const note = (actor: PeerActor, context: string, object: object = {}) => ({
  id: `${actor.id}/outbox/2`,
  type: 'Create',
  actor: actor.id,
  object: {
    id: `${actor.id}/notes/1`,
    type: 'Note',
    attributedTo: actor.id,
    context,
    content: '<p>me too</p>',
    ...object,
  },
})

test('activitypubRepositoryInbox: tickets and notes of other software become issues and comments', () =>
  withUna(async ({ forge, peer, una, api, target, send }) => {
    assert.deepEqual(await send(offer(una, target)), [204, undefined])
    assert.deepEqual(await send(offer(una, target)), [204, undefined], 'what came before changes nothing')
    const issues = (await forge.as('ada').get(`${api}/issues`)).json
    assert.equal(issues.length, 1)
    assert.deepEqual([issues[0].title, issues[0].number], ['Test test test', 1])
    await forge.settle()
    const [accept] = peer.received('Accept')
    assert.deepEqual([accept?.json.object, accept?.json.result], [`${una.id}/outbox/1`, `${target}/issues/1`])

    assert.deepEqual(await send(note(una, `${target}/issues/1`)), [204, undefined])
    assert.deepEqual(await send(note(una, `${una.id}/tickets/1`, { id: `${una.id}/notes/2` })), [204, undefined])
    const comments = async () =>
      (await forge.as('ada').get(`${api}/issues/1/comments`)).json.map((one: { body: string }) => one.body)
    assert.deepEqual(await comments(), ['<p>me too</p>', '<p>me too</p>'])
    const changed = { ...note(una, `${target}/issues/1`, { content: 'never mind' }), type: 'Update' }
    assert.deepEqual(await send(changed), [204, undefined])
    assert.deepEqual(await send({ type: 'Delete', actor: una.id, object: `${una.id}/notes/2` }), [204, undefined])
    assert.deepEqual(await comments(), ['never mind'])
    const renamed = { ...offer(una, target, { summary: 'Better' }), type: 'Update' }
    assert.deepEqual(await send(renamed), [204, undefined])
    assert.equal((await forge.as('ada').get(`${api}/issues/1`)).json.title, 'Better')
    await forge.settle()
  }))

test('activitypubRepositoryInbox: invalid tickets and notes are refused', () =>
  withUna(async ({ forge, peer, una, api, target, send }) => {
    const eve = peer.actor('eve', { path: '/people/eve', keys: keysOf(1) })
    assert.deepEqual(await send(offer(una, target)), [204, undefined])
    const invalid = [406, 'writing_invalid']
    const ticket = `${target}/issues/1`
    const wrong: [string, object, PeerActor?][] = [
      ['another target', offer(una, `${target}9`)],
      ['no title', offer(una, target, { id: `${una.id}/tickets/2`, summary: '\u202e ' })],
      ['no text', offer(una, target, { id: `${una.id}/tickets/2`, content: '' })],
      ['a text that is too long', offer(una, target, { id: `${una.id}/tickets/2`, content: 'x'.repeat(70_000) })],
      ['in the name of another', offer(una, target, { id: `${una.id}/tickets/2`, attributedTo: eve.id })],
      ['of another server', offer(una, target, { id: 'https://other.example/1' })],
      ['of another type', offer(una, target, { id: `${una.id}/tickets/2`, type: 'Patch' })],
      ['a note about nothing', note(una, `${target}/issues/99`)],
      ['a note about the repository', note(una, target)],
      ['a change by another', { ...offer(eve, target), type: 'Update', object: { id: `${una.id}/tickets/1` } }, eve],
      ['taking back what another wrote', { type: 'Delete', actor: eve.id, object: `${una.id}/tickets/1` }, eve],
      ['taking an issue back', { type: 'Delete', actor: una.id, object: `${una.id}/tickets/1` }],
    ]
    for (const [what, activity, actor] of wrong) assert.deepEqual(await send(activity, actor), invalid, what)
    const inTheNameOf = await send(note(una, ticket), eve)
    assert.deepEqual(inTheNameOf, [406, 'activity_not_accepted'])
    const lock = (isLocked: boolean) =>
      transaction(forge.services.db, (tx) => tx.updateTable('issue').set({ is_locked: isLocked }).execute())
    await lock(true)
    assert.equal((await send(note(eve, ticket), eve))[0], 403, 'a locked conversation')
    await lock(false)
    await forge.as('ada').must('PUT', `/user/block/eve-${peer.host.replace(':', '-')}`)
    assert.equal((await send(note(eve, ticket), eve))[0], 403, 'who is blocked')
    await forge.as('ada').must('PATCH', api, { archived: true })
    assert.deepEqual(await send(note(una, ticket)), invalid, 'an archived repository')
    await forge.as('ada').must('PATCH', api, { archived: false })
    await forge.as('ada').must('PATCH', api, { has_issues: false })
    assert.deepEqual(await send(note(una, ticket)), invalid, 'without issues')
    await forge.as('ada').must('PATCH', api, { private: true })
    assert.equal((await send(note(una, ticket)))[0], 404)
    await forge.settle()
  }))

test('[federation].ISSUES_ENABLED: issues of other servers are accepted only when it is on', () =>
  withUna(async ({ forge, una, target, send }) => {
    assert.deepEqual(await send(offer(una, target)), [406, 'activity_not_accepted'])
    const body = { repository: 'http://127.0.0.1:1/x', title: 'a', body: 'b' }
    assert.equal((await forge.as('ada').post('/user/federation/issues', body)).status, 403)
  }, false))
