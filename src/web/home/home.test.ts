import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { landingOf } from './landing.rules.ts'

const settingsOf = (landing: string) => ({ server: { LANDING_PAGE: landing } })

test('home: guests see public repositories and the way in, and nothing private', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const open = await forge.given.repo({ owner: 'alice', description: 'Casts <b>iron</b>' })
  const hidden = await forge.given.repo({ owner: 'alice', private: true })
  const { status, text } = await new Browser(forge).get('/')
  assert.equal(status, 200)
  assert.ok(text.includes(`href="/${open.fullName}"`))
  assert.match(text, /Casts &lt;b>iron/)
  assert.ok(!text.includes(hidden.name))
  assert.match(text, /href="\/user\/login"[^>]*class="button primary"|class="button primary"[^>]*href="\/user\/login"/)
})

test('home: LANDING_PAGE decides what guests see, and members keep their page', async () => {
  for (const [landing, target] of [
    ['explore', '/explore/repos'],
    ['organizations', '/explore/organizations'],
    ['login', '/user/login'],
    ['alice/handbook', '/alice/handbook'],
  ] as const) {
    await using forge = await startForge({ users: ['alice'], settings: settingsOf(landing) })
    const guest = await new Browser(forge).get('/')
    assert.deepEqual([guest.status, guest.headers.get('location')], [303, target], landing)
    assert.equal((await (await Browser.of(forge, 'alice')).get('/')).status, 200)
  }
})

test('landingOf: a path stays on this site', () => {
  assert.equal(landingOf('/org/repo?tab=a'), '/org/repo?tab=a')
  assert.equal(landingOf('//evil.example'), '/evil.example')
  for (const text of ['https://evil.example', '\\\\evil.example', 'a b', 'constructor:x']) {
    assert.equal(landingOf(text), '/', text)
  }
})

test('home: guests of an instance that requires a sign-in are sent there', async () => {
  await using forge = await startForge({ settings: { service: { REQUIRE_SIGNIN_VIEW: true } } })
  const { status, headers } = await new Browser(forge).get('/')
  assert.deepEqual([status, headers.get('location')], [303, '/user/login'])
})

test('home: guests see no repositories where exploring requires a sign-in', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { 'service.explore': { REQUIRE_SIGNIN_VIEW: true } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  const { text } = await new Browser(forge).get('/')
  assert.ok(!text.includes(repo.fullName) && !text.includes('Nothing is public yet'))
})

test('home: members see assigned issues, requested reviews, their repositories and activity', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const foreign = await forge.given.repo({ owner: 'bob', private: true })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'Cool the anvil', assignees: ['alice'] })
  await forge.as('bob').must('POST', `${foreign.api}/issues`, { title: 'A secret' })
  await forge.as('bob').must('POST', `${repo.api}/contents/new.txt`, {
    content: '',
    new_branch: 'topic',
    message: 'add a file',
  })
  await forge.as('bob').must('POST', `${repo.api}/pulls`, { title: 'Forge a nail', head: 'topic', base: 'main' })
  await forge.as('bob').must('POST', `${repo.api}/pulls/2/requested_reviewers`, { reviewers: ['alice'] })
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get('/')
  assert.match(text, /Assigned to you[\s\S]*Cool the anvil/)
  assert.match(text, /Reviews requested from you[\s\S]*Forge a nail/)
  assert.match(text, /pushed to[\s\S]*add a file/)
  assert.ok(text.includes(`href="/${repo.fullName}"`))
  assert.ok(!text.includes('A secret') && !text.includes(foreign.fullName))
})

test('home: a person without repositories sees how to begin', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { text } = await (await Browser.of(forge, 'alice')).get('/')
  assert.match(text, /href="\/repo\/create"/)
  assert.match(text, /Begin here/)
})

test('home: a failing run is shown until a newer run of its workflow replaces it', async () => {
  await using forge = await startForge({ users: ['alice'], runner: true })
  const repo = await forge.given.repo({ owner: 'alice' })
  const workflow = (command: string) =>
    Buffer.from(`on: [push]\njobs:\n  a:\n    runs-on: host\n    steps:\n      - run: ${command}\n`).toString('base64')
  const path = `${repo.api}/contents/.forgejo/workflows/check.yaml`
  const { json } = await forge
    .as('alice')
    .must('POST', path, { content: workflow('exit 1'), message: 'Break the build' })
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get('/')).text, /Failing runs[\s\S]*\/actions\/runs\/1"/)
  await forge.as('alice').must('PUT', path, { content: workflow('exit 0'), message: 'Mend it', sha: json.content.sha })
  await forge.settle()
  assert.doesNotMatch((await alice.get('/')).text, /Failing runs/)
})

test('home: own pull requests say what blocks them, and unread mentions are listed', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'bob' })
  await forge.as('bob').must('PUT', `${repo.api}/collaborators/alice`, { permission: 'write' })
  const change = (user: string, branch: string, content: string) =>
    forge.as(user).must('POST', `${repo.api}/contents/nail.txt`, {
      content: Buffer.from(content).toString('base64'),
      message: 'add a nail',
      ...(branch === 'main' ? {} : { new_branch: branch }),
    })
  await change('alice', 'long', 'long\n')
  await change('alice', 'short', 'short\n')
  await forge.as('alice').must('POST', `${repo.api}/pulls`, { title: 'A long nail', head: 'long', base: 'main' })
  await forge.as('alice').must('POST', `${repo.api}/pulls`, { title: 'A short nail', head: 'short', base: 'main' })
  await forge.as('bob').must('POST', `${repo.api}/pulls/2/reviews`, { event: 'REQUEST_CHANGES', body: 'Bend it.' })
  await change('bob', 'main', 'other\n')
  await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'Which nail', body: 'Ask @alice' })
  await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'Nobody is named', body: 'Nothing' })
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get('/')
  assert.match(text, /Your pull requests[\s\S]*A short nail[\s\S]*Changes requested[\s\S]*Conflicts with its base/)
  const mentions = /Mentions you have not read[\s\S]*?<\/section>/.exec(text)?.[0] ?? ''
  assert.match(mentions, /Which nail/)
  assert.doesNotMatch(mentions, /Nobody is named/)
  await alice.get(`/${repo.fullName}/issues/3`)
  await forge.settle()
  assert.doesNotMatch((await alice.get('/')).text, /Mentions you have not read/)
})

test('home: news are the acts of others in watched repositories and organizations that the person may read', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const bob = forge.as('bob')
  await bob.must('POST', '/orgs', { username: 'foundry' })
  const team = await bob.must('POST', '/orgs/foundry/teams', {
    name: 'readers',
    permission: 'read',
    units: ['repo.code', 'repo.issues'],
    includes_all_repositories: false,
  })
  await bob.must('PUT', `/teams/${team.json.id}/members/alice`)
  const inFoundry = async (name: string) => {
    await bob.must('POST', '/orgs/foundry/repos', { name, private: true })
    return { fullName: `foundry/${name}`, api: `/repos/foundry/${name}` }
  }
  const repos = {
    watched: await forge.given.repo({ owner: 'bob', name: 'watched' }),
    unwatched: await forge.given.repo({ owner: 'bob', name: 'unwatched' }),
    ofTeam: await inFoundry('of-team'),
    closed: await inFoundry('closed'),
    left: await forge.given.repo({ owner: 'bob', name: 'left' }),
  }
  await bob.must('PUT', `/teams/${team.json.id}/repos/foundry/of-team`)
  for (const repo of [repos.watched, repos.left]) {
    await forge.as('alice').must('PUT', `${repo.api}/subscription`)
  }
  await forge.as('alice').must('DELETE', `${repos.left.api}/subscription`)
  for (const [name, repo] of Object.entries(repos)) {
    await bob.must('POST', `${repo.api}/issues`, { title: `Seen in ${name}` })
  }
  await forge.as('alice').must('POST', `${repos.watched.api}/issues`, { title: 'My own act' })
  await forge.settle()
  const { text } = await (await Browser.of(forge, 'alice')).get('/')
  const news = /<h2>News<\/h2>[\s\S]*/.exec(text)?.[0] ?? ''
  assert.match(news, /Seen in watched/)
  assert.match(news, /Seen in ofTeam/)
  assert.doesNotMatch(news, /Seen in (unwatched|closed|left)|My own act/)
})
