import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('subscribedIssuesPage, endIssueSubscription: a person ends a subscription; hidden issues are not listed', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const made = await forge.as('alice').must('POST', `/repos/${repo.fullName}/issues`, { title: 'Leak <b>' })
  const { number } = made.json as { number: number }
  const subscription = `/repos/${repo.fullName}/issues/${number}/subscriptions`
  await forge.as('bob').must('PUT', `${subscription}/bob`)
  const path = '/notifications/subscriptions'
  assert.equal((await new Browser(forge).get(path)).status, 303)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.match((await alice.get(path)).text, /No subscriptions/)
  assert.match((await bob.get(path)).text, /Leak &lt;b/)
  const isSubscribed = async () => (await forge.as('bob').get(`${subscription}/check`)).json.subscribed as boolean
  assert.equal(await isSubscribed(), true)
  assert.equal((await bob.submit(path, `${path}/end`)).headers.get('location'), path)
  assert.equal(await isSubscribed(), false)
  assert.doesNotMatch((await bob.get(path)).text, /Leak/)
  await forge.as('bob').must('PUT', `${subscription}/bob`)
  await forge.as('alice').must('PATCH', `/repos/${repo.fullName}`, { private: true })
  assert.doesNotMatch((await bob.get(path)).text, /Leak/)
})

test('watchedReposPage, chooseWatchLevel: a person chooses what they hear of a repository, in its head and in the list', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const path = '/notifications/watching'
  assert.equal((await new Browser(forge).get(path)).status, 303)
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get(path)).text, /You watch no repositories/)
  const home = `/${repo.fullName}`
  const csrf = await bob.csrf(path)
  const choose = (level: string, more: Readonly<Record<string, string>> = {}) =>
    bob.post(`${home}/subscription`, { _csrf: csrf, level, ...more })
  assert.equal((await choose('loud')).status, 422)
  const pressed = async (page: string) => /value="(\w+)" aria-pressed="true"/.exec((await bob.get(page)).text)?.[1]
  assert.equal(await pressed(home), 'participating')
  for (const level of ['releases', 'nothing', 'all']) {
    assert.equal((await choose(level)).headers.get('location'), home)
    assert.deepEqual([await pressed(home), await pressed(path)], [level, level])
    assert.equal((await forge.as('bob').must('GET', `${repo.api}/subscription/level`)).json.level, level)
  }
  assert.equal((await choose('participating', { is_listed: 'true' })).headers.get('location'), path)
  assert.match((await bob.get(path)).text, /You watch no repositories/)
})

test('myMilestonesPage: the milestones of own repositories are listed by due date', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [own, other] = [await forge.given.repo({ owner: 'alice' }), await forge.given.repo({ owner: 'bob' })]
  const milestone = (repo: { fullName: string }, as: string, body: object) =>
    forge.as(as).must('POST', `/repos/${repo.fullName}/milestones`, body)
  await milestone(own, 'alice', { title: 'Late', due_on: '2090-02-01T00:00:00Z' })
  await milestone(own, 'alice', { title: 'Early', due_on: '2090-01-01T00:00:00Z' })
  await milestone(own, 'alice', { title: 'Finished', state: 'closed' })
  await milestone(other, 'bob', { title: 'Foreign' })
  assert.equal((await new Browser(forge).get('/milestones')).status, 303)
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get('/milestones')
  assert.ok(text.indexOf('Early') > 0 && text.indexOf('Early') < text.indexOf('Late'))
  assert.doesNotMatch(text, /Foreign|Finished/)
  assert.match((await alice.get('/milestones?state=closed')).text, /Finished/)
})
