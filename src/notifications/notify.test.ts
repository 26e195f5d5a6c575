import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getEvent } from '../events/cursor.ts'
import type { EventId } from '../lib/ids.ts'
import { idOf } from '../testing/events.ts'
import { countQueries } from '../testing/count-queries.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { givenPull } from '../testing/given-pull.ts'
import { manyPeople } from '../testing/many-people.ts'
import type { NotifiedEvent } from './audience.service.ts'
import { notifyOf } from './notify.service.ts'

/** Returns the accounts that an action notifies: their threads are read before the action and unread after it. */
async function reached(forge: Forge, names: readonly string[], act: () => Promise<unknown>): Promise<string[]> {
  await forge.settle()
  for (const name of names) await forge.as(name).must('PUT', '/notifications?all=true')
  await act()
  await forge.settle()
  const hears: string[] = []
  for (const name of names) {
    if ((await forge.as(name).must('GET', '/notifications/new')).json.new > 0) hears.push(name)
  }
  return hears
}

test('notifyGetList: team members with read access are notified of review requests and mentions', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave', 'erin'] })
  const people = ['alice', 'bob', 'carol', 'dave', 'erin']
  const org = await forge.given.org({ owner: 'alice' })
  const { json: repo } = await forge.as('alice').must('POST', `/orgs/${org}/repos`, {
    ...{ name: 'r', auto_init: true, private: true },
  })
  const api = `/repos/${repo.full_name}`
  const given = { owner: 'alice', name: 'r', fullName: repo.full_name as string, api }
  const team = async (name: string, units: object, members: readonly string[]): Promise<number> => {
    const { json } = await forge.as('alice').must('POST', `/orgs/${org}/teams`, { name, units_map: units })
    for (const member of members) await forge.as('alice').must('PUT', `/teams/${json.id}/members/${member}`)
    await forge.as('alice').must('PUT', `/teams/${json.id}/repos/${org}/r`)
    return json.id
  }
  const all = { 'repo.code': 'write', 'repo.issues': 'write', 'repo.pulls': 'write' }
  await team('devs', all, ['bob', 'carol'])
  await team('readers', { 'repo.code': 'read', 'repo.issues': 'none', 'repo.pulls': 'none' }, ['dave'])
  for (const name of people.slice(0, 4)) await forge.as(name).must('DELETE', `${api}/subscription`)

  const say = (body: string) => () => forge.as('alice').must('POST', `${api}/issues`, { title: 'T @carol', body })
  assert.deepEqual(await reached(forge, people, say('hello')), [], 'a name in a title calls nobody')
  assert.deepEqual(await reached(forge, people, say(`@${org}/devs`)), ['bob', 'carol'])
  assert.deepEqual(await reached(forge, people, say(`@${org}/readers @dave @erin @bob`)), ['bob'])
  assert.deepEqual(await reached(forge, people, say('`@bob`')), [])

  const pull = await givenPull(forge, { repo: given, poster: 'carol' })
  const ask = () => forge.as('carol').must('POST', `${pull.api}/requested_reviewers`, { team_reviewers: ['devs'] })
  assert.deepEqual(await reached(forge, people, ask), ['bob'], 'not the author')
  const review = (comments: readonly object[]) => () =>
    forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'COMMENT', body: 'look, @alice', comments })
  assert.deepEqual(await reached(forge, people, review([])), ['alice', 'carol'])
  const line = (body: string) => [{ path: `${pull.branch}.txt`, body, new_position: 1 }]
  assert.deepEqual(await reached(forge, people, review(line('and @dave'))), ['alice', 'carol'])
  const { json: reviews } = await forge.as('bob').must('GET', `${pull.api}/reviews`)
  const comment = (body: string) => () =>
    forge.as('bob').must('POST', `${pull.api}/reviews/${reviews.at(-1).id}/comments`, line(body)[0])
  assert.deepEqual(await reached(forge, people, comment('nobody')), [], 'a comment on a line calls nobody else')
  assert.deepEqual(await reached(forge, people, comment('@alice')), ['alice'])
})

test('notifyGetList: a mention of a team without access to the repository notifies nobody', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  const org = await forge.given.org({ owner: 'alice' })
  await forge.as('alice').must('POST', `/orgs/${org}/repos`, { name: 'r', auto_init: true })
  const api = `/repos/${org}/r`
  const team = async (name: string, member: string, more: object): Promise<number> => {
    const { json } = await forge.as('alice').must('POST', `/orgs/${org}/teams`, { name, ...more })
    await forge.as('alice').must('PUT', `/teams/${json.id}/members/${member}`)
    return json.id
  }
  await team('strangers', 'bob', { units_map: { 'repo.code': 'write', 'repo.issues': 'write' } })
  const coders = await team('coders', 'carol', { units_map: { 'repo.code': 'write' } })
  const devs = await team('devs', 'dave', { units_map: { 'repo.code': 'write', 'repo.issues': 'read' } })
  for (const id of [coders, devs]) await forge.as('alice').must('PUT', `/teams/${id}/repos/${org}/r`)
  const people = ['bob', 'carol', 'dave']
  for (const name of people) await forge.as(name).must('DELETE', `${api}/subscription`)
  const body = `@${org}/strangers @${org}/coders @${org}/devs`
  const say = () => forge.as('alice').must('POST', `${api}/issues`, { title: 'T', body })
  assert.deepEqual(await reached(forge, people, say), ['dave'])
})

for (const isToldFirst of [false, true]) {
  const when = isToldFirst ? 'after' : 'before'
  test(`notifyGetList: a comment or review deleted ${when} its job ran leaves no notification`, async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const pull = await givenPull(forge)
    const notes = async () =>
      (await forge.as('bob').must('GET', '/notifications?all=true')).json.map(
        (each: { unread: boolean }) => each.unread,
      )
    const alice = forge.as('alice')
    const issueApi = `${pull.repo.api}/issues/${pull.number}`
    const comment = async () => {
      const { json } = await alice.must('POST', `${issueApi}/comments`, { body: '@bob' })
      return `${pull.repo.api}/issues/comments/${json.id}`
    }
    const review = async () => {
      const { json } = await alice.must('POST', `${pull.api}/reviews`, { event: 'COMMENT', body: '@bob' })
      return `${pull.api}/reviews/${json.id}`
    }
    for (const say of [comment, review]) {
      const at = await say()
      if (isToldFirst) await forge.settle()
      await alice.must('DELETE', at)
      await forge.settle()
      assert.deepEqual(await notes(), [], say.name)
    }
    // A thread from before the comment has its earlier status again.
    await comment()
    await forge.settle()
    await forge.as('bob').must('PUT', '/notifications')
    for (const say of [comment, review]) {
      const at = await say()
      if (isToldFirst) await forge.settle()
      await alice.must('DELETE', at)
      await forge.settle()
      assert.deepEqual(await notes(), [false], say.name)
    }
  })
}

test('notifyGetList: a pending review notifies mentioned accounts when it is submitted', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const pull = await givenPull(forge)
  const people = ['alice', 'bob', 'carol']
  let review = 0
  const begin = async (): Promise<void> => {
    const comments = [{ path: 'a.txt', body: 'see, @carol', new_position: 1 }]
    const { json } = await forge.as('bob').must('POST', `${pull.api}/reviews`, { body: 'draft', comments })
    review = json.id
  }
  assert.deepEqual(await reached(forge, people, begin), [])
  const submit = () => forge.as('bob').must('POST', `${pull.api}/reviews/${review}`, { event: 'COMMENT', body: 'x' })
  assert.deepEqual(await reached(forge, people, submit), ['alice', 'carol'])
})

test('notifyGetList: a transfer offer notifies the accounts that may accept it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  const org = await forge.given.org({ owner: 'bob' })
  const { json: team } = await forge.as('bob').must('POST', `/orgs/${org}/teams`, {
    ...{ name: 'makers', can_create_org_repo: true, units: ['repo.code'] },
  })
  await forge.as('bob').must('PUT', `/teams/${team.id}/members/carol`)
  const repo = await forge.given.repo({ owner: 'alice' })
  const people = ['alice', 'bob', 'carol', 'dave']
  const offer = () => forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: org })
  assert.deepEqual(await reached(forge, people, offer), ['bob', 'carol'])
  const [thread] = (await forge.as('bob').must('GET', '/notifications?subject-type=Repository')).json
  assert.deepEqual([thread.subject.type, thread.subject.title], ['Repository', repo.fullName])
})

test('notifyGetList: blocked accounts and lost access cause no notifications', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'bob', private: true })
  for (const name of ['alice', 'carol']) {
    await forge.as('bob').must('PUT', `${repo.api}/collaborators/${name}`, { permission: 'write' })
  }
  const issue = await forge.given.issue({ repo })
  await forge.as('alice').must('PUT', `${issue.api}/subscriptions/alice`)
  const say = () => forge.as('carol').must('POST', `${issue.api}/comments`, { body: 'hello @alice' })
  const people = ['alice', 'bob', 'carol']
  assert.deepEqual(await reached(forge, people, say), ['alice', 'bob'])
  await forge.as('alice').must('PUT', '/user/block/carol')
  assert.deepEqual(await reached(forge, people, say), ['bob'])
  await forge.as('alice').must('PUT', '/user/unblock/carol')
  await forge.as('bob').must('DELETE', `${repo.api}/collaborators/alice`)
  assert.deepEqual(await reached(forge, people, say), ['bob'])
  await forge.as('bob').must('PUT', `${repo.api}/collaborators/alice`, { permission: 'write' })
  const silent = () => forge.as('carol').must('POST', `${issue.api}/comments`, { body: 'hello' })
  assert.deepEqual(await reached(forge, people, silent), ['bob'], 'a subscription does not come back by itself')
})

test('notifyGetList: a repeated delivery keeps threads read that were read since the first one', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const issue = await forge.given.issue({ repo, poster: 'bob' })
  await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'hello' })
  await forge.settle()
  await forge.as('alice').must('PUT', '/notifications')
  const { json } = await forge.as('root').must('GET', '/admin/events/log?name=issue.commented')
  const eventId = json.events[0].id as EventId
  const event = (await getEvent(forge.services.db, eventId)) as NotifiedEvent
  await notifyOf(forge.services, event, { eventId, signal: new AbortController().signal })
  assert.equal((await forge.as('alice').must('GET', '/notifications/new')).json.new, 0)
})

test('notifyGetList: notifying 10,000 watchers of a comment takes few statements', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const issue = await forge.given.issue({ repo })
  const comment = () => forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'hello' })
  await manyPeople(forge, { count: 10_000, watching: await repoIdOf(forge, repo.api) })
  await comment()
  const countNotified = async (): Promise<number> => {
    const { count } = await forge.services.db
      .selectFrom('notification')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('user_id', '!=', (await idOf(forge, 'alice')) as never)
      .executeTakeFirstOrThrow()
    return count
  }
  await forge.settle()
  assert.equal(await countNotified(), 10_000)
  using queries = await countQueries(forge, 'all')
  await comment()
  await forge.settle()
  assert.ok(queries.count < 500, `${queries.count} statements`)
})

const repoIdOf = async (forge: Forge, api: string): Promise<number> =>
  (await forge.as('alice').must('GET', api)).json.id

test('an event without recipients enqueues no job', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { db } = forge.services
  const toldOf = async (act: () => Promise<unknown>): Promise<number> => {
    await forge.settle()
    const before = await db.selectFrom('notified_event').select('event_id').execute()
    await act()
    await forge.settle()
    return (await db.selectFrom('notified_event').select('event_id').execute()).length - before.length
  }
  const repo = await forge.given.repo({ owner: 'alice' })
  const [asAlice, asBob] = [forge.as('alice'), forge.as('bob')]
  const issue = await forge.given.issue({ repo })
  const say = (who: typeof asAlice, body: string) => who.must('POST', `${issue.api}/comments`, { body })
  assert.equal(await toldOf(() => say(asAlice, 'to myself')), 0)
  assert.equal(await toldOf(() => asAlice.must('PATCH', issue.api, { state: 'closed' })), 0)
  assert.equal(await toldOf(() => say(asAlice, 'to @bob')), 1)
  assert.equal(await toldOf(() => say(asBob, 'alice is the author')), 1)
  assert.equal(await toldOf(() => say(asAlice, 'bob takes part')), 1)
  const other = await forge.given.issue({ repo })
  assert.equal(await toldOf(() => asAlice.must('POST', `${other.api}/comments`, { body: 'alone' })), 0)
  const assign = (...assignees: readonly string[]) => asAlice.must('PATCH', other.api, { assignees })
  assert.equal(await toldOf(() => assign('alice')), 0)
  assert.equal(await toldOf(() => assign('alice', 'bob')), 1)
  assert.equal(await toldOf(() => assign('bob')), 0)
  await asBob.must('PUT', `${repo.api}/subscription`)
  assert.equal(await toldOf(() => forge.given.issue({ repo })), 1)
})
