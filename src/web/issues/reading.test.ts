import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import type { Feature } from '../../access/feature.ts'
import { transaction } from '../../db/database.ts'
import { job } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { IssueId } from '../../lib/ids.ts'
import { laneOfIssue } from '../../notifications/thread.rules.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { givenPull } from '../../testing/given-pull.ts'

async function world(features: readonly Feature[] = []) {
  const forge = await startForge({ users: ['alice', 'bob'], features })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'Anvil cracks' })
  const comment = (name: string) => forge.as(name).must('POST', `${repo.api}/issues/1/comments`, { body: 'hello' })
  const statuses = async (name: string): Promise<string[]> =>
    (await forge.as(name).must('GET', '/notifications?all=true')).json.map(
      (thread: { unread: boolean; pinned: boolean }) => (thread.pinned ? 'pinned' : thread.unread ? 'unread' : 'read'),
    )
  return { forge, repo, path: `/${repo.fullName}/issues/1`, comment, statuses }
}

test('issuePage: opening it marks the notification of its reader as read, not that of others, and no pinned one', async () => {
  const { forge, repo, path, comment, statuses } = await world()
  await using _ = forge
  await comment('bob')
  await comment('alice')
  await forge.settle()
  assert.deepEqual([await statuses('alice'), await statuses('bob')], [['unread'], ['unread']])
  await forge.as('alice').must('GET', `${repo.api}/issues/1`)
  await new Browser(forge).get(path)
  assert.deepEqual(await statuses('alice'), ['unread'])
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(`/${repo.fullName}`)).text, /1 unread/)
  assert.doesNotMatch((await alice.get(path)).text, /1 unread/)
  assert.deepEqual([await statuses('alice'), await statuses('bob')], [['read'], ['unread']])
  const [{ id }] = (await forge.as('bob').must('GET', '/notifications')).json
  await forge.as('bob').must('PATCH', `/notifications/threads/${id}?to-status=pinned`)
  await (await Browser.of(forge, 'bob')).get(path)
  assert.deepEqual(await statuses('bob'), ['pinned'])
})

test('issuePage: a comment that its reader has seen before the notification exists is read; a later one is not', async () => {
  const gate = Promise.withResolvers<void>()
  const holdLane = job({
    name: 'holdLane',
    input: Type.Object({ issueId: Type.Unsafe<IssueId>(Type.Integer()) }),
    lane: ({ issueId }) => laneOfIssue(issueId),
    whenFailing: 'pass',
    run: () => gate.promise,
  })
  const { forge, repo, path, comment, statuses } = await world([{ jobs: [holdLane] }])
  await using _ = forge
  const alice = await Browser.of(forge, 'alice')
  await forge.settle()
  const { id: issueId } = (await forge.as('alice').must('GET', `${repo.api}/issues/1`)).json
  // The recipients of the comment wait behind this job.
  await transaction(forge.services.db, (tx) => enqueue(tx, holdLane, { issueId }))
  await comment('bob')
  assert.match((await alice.get(path)).text, /hello/)
  assert.deepEqual(await statuses('alice'), [])
  gate.resolve()
  await forge.settle()
  assert.deepEqual(await statuses('alice'), ['read'])
  await comment('bob')
  await forge.settle()
  assert.deepEqual(await statuses('alice'), ['unread'])
})

test('pullPage: opening it marks the notification of its reader as read', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const pull = await givenPull(forge)
  await forge.as('bob').must('POST', `${pull.repo.api}/issues/${pull.number}/comments`, { body: 'hello' })
  await forge.settle()
  const unread = async () => (await forge.as('alice').must('GET', '/notifications/new')).json.new
  assert.equal(await unread(), 1)
  await (await Browser.of(forge, 'alice')).get(`/${pull.repo.fullName}/pulls/${pull.number}`)
  assert.equal(await unread(), 0)
})
