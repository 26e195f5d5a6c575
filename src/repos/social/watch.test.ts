import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { eventsNamed } from '../../testing/events.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { withMail } from '../../testing/mail.ts'
import { watchLevels } from '../watch-level.ts'

type Repo = Awaited<ReturnType<Forge['given']['repo']>>

const choose = (forge: Forge, name: string, repo: Pick<Repo, 'api'>, level: string) =>
  forge.as(name).put(`${repo.api}/subscription/level`, { level })

/** A person for each level, who chose it for the repository. */
async function chosen(forge: Forge, repo: Repo): Promise<void> {
  for (const level of watchLevels) assert.equal((await choose(forge, level, repo, level)).status, 200)
}

test('userCurrentSetWatchLevel, userCurrentGetWatchLevel: guests, strangers and unknown levels are refused', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const hidden = await forge.given.repo({ owner: 'alice', private: true })
  const at = `${repo.api}/subscription/level`
  assert.equal((await forge.guest.get(at)).status, 401)
  assert.equal((await forge.guest.put(at, { level: 'all' })).status, 401)
  assert.equal((await choose(forge, 'bob', hidden, 'all')).status, 404)
  assert.equal((await forge.as('bob').get(`${hidden.api}/subscription/level`)).status, 404)
  for (const body of [{ level: 'auto' }, {}]) assert.equal((await forge.as('bob').put(at, body)).status, 422)
  assert.deepEqual((await forge.as('bob').must('GET', at)).json, { level: 'participating' })
})

test('userCurrentSetWatchLevel: only the level "all" makes a watcher; the operations of the family keep their meaning', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const bob = forge.as('bob')
  const state = async () => ({
    level: (await bob.must('GET', `${repo.api}/subscription/level`)).json.level,
    subscription: (await bob.get(`${repo.api}/subscription`)).status,
    watchers: (await bob.must('GET', repo.api)).json.watchers_count,
    subscribers: (await bob.must('GET', `${repo.api}/subscribers`)).json.length,
    own: (await bob.must('GET', '/user/subscriptions')).json.length,
  })
  const watching = { level: 'all', subscription: 200, watchers: 2, subscribers: 2, own: 1 }
  const without = { subscription: 404, watchers: 1, subscribers: 1, own: 0 }
  for (const level of ['releases', 'nothing', 'participating']) {
    assert.equal((await choose(forge, 'bob', repo, level)).status, 200)
    assert.deepEqual(await state(), { level, ...without })
    await bob.must('PUT', `${repo.api}/subscription`)
    assert.deepEqual(await state(), watching)
  }
  await bob.must('DELETE', `${repo.api}/subscription`)
  assert.deepEqual(await state(), { level: 'participating', ...without })
  await choose(forge, 'bob', repo, 'nothing')
  await bob.must('DELETE', `${repo.api}/subscription`)
  assert.deepEqual(await state(), { level: 'nothing', ...without }, 'the end of a watch makes nobody hear more')
  assert.equal((await eventsNamed(forge, 'repo.watched')).length, 3)
  assert.equal((await eventsNamed(forge, 'repo.unwatched')).length, 3)
})

test('userCurrentSetWatchLevel: an automatic watch leaves the chosen level', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const org = await forge.given.org({ owner: 'alice' })
  await forge.as('alice').must('POST', `/orgs/${org}/repos`, { name: 'r' })
  const api = `/repos/${org}/r`
  await choose(forge, 'bob', { api }, 'nothing')
  const { json: team } = await forge
    .as('alice')
    .must('POST', `/orgs/${org}/teams`, { name: 'devs', permission: 'write', units: ['repo.code'] })
  await forge.as('alice').must('PUT', `/teams/${team.id}/repos/${org}/r`)
  await forge.as('alice').must('PUT', `/teams/${team.id}/members/bob`)
  await forge.settle()
  assert.equal((await forge.as('bob').must('GET', `${api}/subscription/level`)).json.level, 'nothing')
})

test('notifyGetList: the level of watching decides who hears of an issue, a mention and an assignment', async () => {
  await using forge = await startForge({ users: ['alice', ...watchLevels] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  for (const level of watchLevels) {
    await alice.must('PUT', `${repo.api}/collaborators/${level}`, { permission: 'write' })
  }
  await chosen(forge, repo)
  const heard = async (): Promise<string[]> => {
    await forge.settle()
    const names: string[] = []
    for (const name of watchLevels) {
      if ((await forge.as(name).must('GET', '/notifications/new')).json.new > 0) names.push(name)
      await forge.as(name).must('PUT', '/notifications?all=true')
    }
    return names
  }
  await alice.must('POST', `${repo.api}/issues`, { title: 'plain' })
  assert.deepEqual(await heard(), ['all'])
  const everybody = watchLevels.map((level) => `@${level}`).join(' ')
  await alice.must('POST', `${repo.api}/issues`, { title: 'for all', body: everybody })
  assert.deepEqual(await heard(), ['all', 'releases', 'participating'])
  await alice.must('PATCH', `${repo.api}/issues/2`, { assignees: [...watchLevels] })
  assert.deepEqual(await heard(), ['all', 'releases', 'participating'])
  await forge.as('nothing').must('POST', `${repo.api}/issues/2/comments`, { body: 'I take part' })
  await heard()
  await alice.must('POST', `${repo.api}/issues/2/comments`, { body: 'an answer' })
  assert.deepEqual(await heard(), ['all'], 'taking part does not undo the choice')
})

test('notifyGetList: the offer of a repository reaches those who hear nothing of it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await choose(forge, 'bob', repo, 'nothing')
  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: 'bob' })
  await forge.settle()
  assert.equal((await forge.as('bob').must('GET', '/notifications/new')).json.new, 1)
})

test('userCurrentSetWatchLevel: mails obey the level, also one that is chosen before they are sent', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice' })
      await chosen(forge, repo)
      const mailed = async (): Promise<string[]> => {
        await forge.settle()
        return caught
          .splice(0)
          .flatMap(({ to }) => to[0]?.split('@')[0] ?? [])
          .sort()
      }
      await forge.as('alice').must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
      assert.deepEqual(await mailed(), ['all', 'releases'])
      await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'x', body: '@releases @nothing' })
      assert.deepEqual(await mailed(), ['all', 'releases'])
    },
    { users: ['alice', ...watchLevels], settings: { service: { ENABLE_NOTIFY_MAIL: true } } },
  ))

test('home: news obey the level of watching, also in repositories of the own organization', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const org = await forge.given.org({ owner: 'alice' })
  const reading = {
    permission: 'read',
    includes_all_repositories: true,
    units: ['repo.code', 'repo.issues', 'repo.releases'],
  }
  const { json: team } = await forge.as('alice').must('POST', `/orgs/${org}/teams`, { name: 'all', ...reading })
  await forge.as('alice').must('PUT', `/teams/${team.id}/members/bob`)
  for (const name of ['unchosen', ...watchLevels]) {
    await forge.as('alice').must('POST', `/orgs/${org}/repos`, { name, auto_init: true })
    const api = `/repos/${org}/${name}`
    if (name !== 'unchosen') await choose(forge, 'bob', { api }, name)
    await forge.as('alice').must('POST', `${api}/issues`, { title: `Issue in ${name}` })
    await forge.as('alice').must('POST', `${api}/releases`, { tag_name: 'v1', name: `Release of ${name}` })
  }
  await forge.settle()
  const { text } = await (await Browser.of(forge, 'bob')).get('/')
  const news = /<h2>News<\/h2>[\s\S]*/.exec(text)?.[0] ?? ''
  const seen = [...new Set(news.match(/(?:Issue in|Release of) \w+/g))].sort()
  assert.deepEqual(seen, [
    'Issue in all',
    'Issue in unchosen',
    'Release of all',
    'Release of releases',
    'Release of unchosen',
  ])
})
