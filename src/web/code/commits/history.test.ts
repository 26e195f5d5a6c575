import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { base64 } from '../../../testing/samples.ts'

const site = { site: true }

test('commitsPage, blamePage, findFilePage, activityPage, contributorsPage, forksPage: hidden from strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  const paths = [
    'commits/branch/main',
    'blame/branch/main/README.md',
    'find/branch/main',
    'activity',
    'graphs/contributors',
    'stars',
    'watchers',
    'forks',
  ]
  for (const path of paths) {
    assert.equal((await bob.get(`/${repo.fullName}/${path}`)).status, 404, path)
    assert.equal((await alice.get(`/${repo.fullName}/${path}`)).status, 200, path)
  }
})

test('commitsPage, defaultCommitsPage, blamePage, findFilePage: what was committed is found', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  const made = await alice.must('POST', `${repo.api}/contents/src/deep/a.ts`, {
    content: base64('one\ntwo\n'),
    message: 'Add one & two\n\nBecause of <b>\n',
  })
  await alice.must('PUT', `${repo.api}/contents/src/deep/a.ts`, {
    content: base64('one\nthree\n'),
    sha: made.json.content.sha,
    message: 'Change two',
  })
  const get = (path: string) => forge.guest.get(`/${repo.fullName}/${path}`, site)
  const { status, headers } = await get('commits')
  assert.deepEqual([status, headers.get('location')], [303, `/${repo.fullName}/commits/branch/main`])
  const all = await get('commits/branch/main')
  assert.match(all.text, /3 commits/)
  assert.match(all.text, /Add one &amp; two/)
  assert.match(all.text, /Because of &lt;b>/)
  const ofPath = await get('commits/branch/main/src/deep')
  assert.match(ofPath.text, /2 commits/)
  assert.equal((await get('commits/branch/main/nothing')).status, 404)
  assert.equal((await get('commits/main')).headers.get('location'), `/${repo.fullName}/commits/branch/main/`)

  const blame = await get('blame/branch/main/src/deep/a.ts')
  assert.equal(blame.status, 200)
  const [, first = '', second = ''] = blame.text.split('<tr id="L')
  assert.match(first, /Add one &amp; two/)
  assert.match(second, /Change two/)
  assert.match(second, new RegExp(`/blame/commit/${made.json.commit.sha}/src/deep/a.ts#L2`))
  assert.equal((await get('blame/branch/main/src')).status, 404)

  assert.match((await get('find/branch/main?q=deep%20a')).text, />src\/deep\/a\.ts<\/a>/)
  assert.match((await get('find/branch/main?q=zzz')).text, /No file found/)
})

test('starsPage, watchersPage, forksPage, activityPage, contributorsPage: people and what they did', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const issue = await forge.given.issue({ repo })
  await forge.as('bob').must('PUT', `/user/starred/${repo.fullName}`)
  await forge.as('bob').must('PUT', `${repo.api}/subscription`)
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  await forge.as('alice').must('POST', `${repo.api}/contents/x`, { content: base64('x') })
  await forge.settle()
  const get = (path: string) => forge.guest.get(`/${repo.fullName}/${path}`, site)
  assert.match((await get('stars')).text, /href="\/bob" class="row-title"/)
  assert.match((await get('watchers')).text, /href="\/bob" class="row-title"/)
  assert.match((await get('forks')).text, new RegExp(`>bob/${repo.name}</a>`))
  const { title, number } = (await forge.guest.get(issue.api)).json
  const activity = (await get('activity')).text
  assert.match(activity, new RegExp(`/issues/${number}"[^>]*>${title}`))
  assert.match(activity, /Issues opened/)
  assert.match((await get('graphs/contributors')).text, /2 commits by/)
})
