import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../events/catalogue.ts'
import { Clone } from '../testing/clone.ts'
import { countQueries } from '../testing/count-queries.ts'
import { idOf } from '../testing/events.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { collaborator, commitFiles, givenPull } from '../testing/given-pull.ts'
import type { EventId, Oid, RepoId, UserId } from '../lib/ids.ts'
import { recordPush } from './push.service.ts'

interface Act {
  readonly user_id: number
  readonly op_type: string
  readonly act_user: { readonly login: string }
  readonly repo: { readonly full_name: string }
  readonly comment: { readonly body: string; readonly user: unknown } | null
  readonly ref_name: string
  readonly is_private: boolean
  readonly content: string
}

const userFeed = (name: string): string => `/users/${name}/activities/feeds`

/** Returns the entries of a feed for an account ('' is a guest), newest first, and the total. */
async function acts(forge: Forge, who: string, path: string): Promise<Act[]> {
  await forge.settle()
  const client = who === '' ? forge.guest : forge.as(who)
  const { json, headers } = await client.must('GET', path)
  if (!path.includes('limit=')) assert.equal(Number(headers.get('x-total-count')), json.length, `the total of ${path}`)
  return json
}

const kinds = async (...parameters: Parameters<typeof acts>): Promise<string[]> =>
  (await acts(...parameters)).map((act) => act.op_type)

const contents = async (...parameters: Parameters<typeof acts>): Promise<string[]> =>
  (await acts(...parameters)).map((act) => `${act.op_type} ${act.content}`)

async function tokenFor(forge: Forge, name: string, scopes: readonly string[]): Promise<string> {
  const client = forge.as(name, { basic: { login: name, password: 'Passw0rd!' } })
  return (await client.must('POST', `/users/${name}/tokens`, { name: forge.given.name('t'), scopes })).json.sha1
}

const contributions = async (forge: Forge, who: string, name: string): Promise<number> => {
  const client = who === '' ? forge.guest : forge.as(who)
  const { json } = await client.must('GET', `/users/${name}/heatmap`)
  return json.reduce((sum: number, cell: { contributions: number }) => sum + cell.contributions, 0)
}

test('repoListActivityFeeds: acts on issues, pull requests and releases appear with their current texts', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const feed = `${repo.api}/activities/feeds`
  const issue = await forge.given.issue({ repo, poster: 'bob', title: 'first title' })
  const firstComment = await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'before' })
  await forge.as('alice').must('PATCH', issue.api, { state: 'closed' })
  await forge.as('alice').must('PATCH', issue.api, { state: 'open' })
  assert.deepEqual(await contents(forge, '', feed), [
    'reopen_issue 1|',
    'close_issue 1|',
    'comment_issue 1|before',
    'create_issue 1|first title',
    'create_repo ',
  ])
  // Feeds do not keep the text of a deleted comment.
  await forge.as('bob').must('PATCH', `${repo.api}/issues/comments/${firstComment.json.id}`, { body: 'x'.repeat(300) })
  await forge.as('bob').must('PATCH', issue.api, { title: 'second title' })
  const [reopened, , comment, opened] = await acts(forge, '', feed)
  assert.equal(comment?.content, `1|${'x'.repeat(200)}…`)
  assert.deepEqual([comment?.comment?.body, comment?.comment?.user], ['x'.repeat(300), null])
  assert.deepEqual([opened?.content, reopened?.comment?.body], ['1|second title', ''])
  await forge.as('bob').must('DELETE', `${repo.api}/issues/comments/${firstComment.json.id}`)
  assert.deepEqual(await kinds(forge, '', feed), ['reopen_issue', 'close_issue', 'create_issue', 'create_repo'])
  await forge.as('alice').must('DELETE', issue.api)
  assert.deepEqual(await kinds(forge, '', feed), ['create_repo'])

  await collaborator(forge, repo, 'bob')
  const pull = await givenPull(forge, { repo, title: 'WIP: change' })
  await forge.as('alice').must('PATCH', pull.api, { title: 'change' })
  await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'REQUEST_CHANGES', body: 'no' })
  const review = await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'APPROVED', body: 'fine' })
  await forge.as('alice').must('POST', `${pull.api}/reviews/${review.json.id}/dismissals`, { message: 'too soon' })
  await forge.as('bob').must('POST', `${repo.api}/issues/${pull.number}/comments`, { body: 'well' })
  await forge.as('alice').must('POST', `${pull.api}/merge`, { Do: 'merge' })
  const n = pull.number
  assert.deepEqual(
    (await contents(forge, '', feed)).filter((text) => !text.startsWith('commit_repo')),
    [
      `merge_pull_request ${n}|change`,
      `comment_pull ${n}|well`,
      `pull_review_dismissed ${n}|bob|too soon`,
      `approve_pull_request ${n}|fine`,
      `reject_pull_request ${n}|no`,
      `pull_request_ready_for_review ${n}|change`,
      `create_pull_request ${n}|change`,
      'create_repo ',
    ],
  )

  const draft = { tag_name: 'v1', target_commitish: 'main', name: 'One', draft: true }
  const release = await forge.as('alice').must('POST', `${repo.api}/releases`, draft)
  assert.equal((await kinds(forge, 'alice', feed)).includes('publish_release'), false)
  await forge.as('alice').must('PATCH', `${repo.api}/releases/${release.json.id}`, { draft: false })
  const published = (await acts(forge, '', feed)).filter((act) => act.op_type === 'publish_release')
  assert.deepEqual(
    published.map((act) => [act.ref_name, act.content]),
    [['v1', 'One']],
  )
})

test('repoListActivityFeeds: a push appears once for each branch and tag, with the newest commits', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { ui: { FEED_MAX_COMMIT_NUM: 2 } } })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const feed = `${repo.api}/activities/feeds`
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const first = await clone.must('rev-parse', 'HEAD')
  for (const name of ['a', 'b', 'c']) await clone.commit(name, name, `"${name}" <script>|`)
  const head = await clone.must('rev-parse', 'HEAD')
  await clone.must('tag', '-a', 'v1', '-m', 'first')
  await clone.must('push', '-q', 'origin', 'HEAD:main')
  await clone.must('push', '-q', 'origin', 'HEAD:side', 'v1')
  await clone.must('push', '-q', 'origin', ':side', ':v1')
  const listed = await acts(forge, 'alice', feed)
  assert.deepEqual(listed.map((act) => `${act.op_type} ${act.ref_name}`).sort(), [
    'commit_repo refs/heads/main',
    'commit_repo refs/heads/side',
    'commit_repo refs/heads/side',
    'create_repo ',
    'delete_branch refs/heads/side',
    'delete_tag refs/tags/v1',
    'push_tag refs/tags/v1',
  ])
  const { Commits, HeadCommit, Len, CompareURL } = JSON.parse(
    listed.find((act) => act.ref_name === 'refs/heads/main')?.content ?? '',
  )
  assert.deepEqual(
    [Commits.map((commit: { Message: string }) => commit.Message.trim()), HeadCommit.Sha1, Len, CompareURL],
    [['"c" <script>|', '"b" <script>|'], head, 3, `alice/tool/compare/${first}...${head}`],
  )
  const tag = JSON.parse(listed.find((act) => act.op_type === 'push_tag')?.content ?? '')
  assert.deepEqual([tag.Commits, tag.HeadCommit.Sha1], [null, head])

  // The job may run again after a crash, or after the repository is deleted.
  const event: Event<'refs.updated'> = {
    name: 'refs.updated',
    atMs: Date.now(),
    data: {
      repoId: (await forge.as('alice').must('GET', repo.api)).json.id as RepoId,
      doerId: (await idOf(forge, 'alice')) as UserId,
      kind: 'code',
      origin: 'push',
      updates: [{ ref: 'refs/heads/again', old: '0'.repeat(40) as Oid, new: head as Oid }],
    },
  }
  const run = { eventId: 1_000_000 as EventId, signal: new AbortController().signal }
  for (const _ of [1, 2]) await recordPush(forge.services, event, run)
  assert.equal((await acts(forge, 'alice', feed)).length, listed.length + 2)
  await forge.as('alice').must('DELETE', repo.api)
  await recordPush(forge.services, event, run)
  assert.deepEqual(await acts(forge, 'alice', userFeed('alice')), [])
})

test('repoListActivityFeeds: an act is there when its change is answered, in the order of the changes', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const alice = forge.as('alice')
  await forge.settle()
  const kindsNow = async (path: string): Promise<string[]> =>
    (await alice.must('GET', `${path}/activities/feeds`)).json.map((act: Act) =>
      `${act.op_type} ${act.ref_name}`.trim(),
    )
  await alice.must('POST', `${repo.api}/contents/n.txt`, { content: 'bg==', message: 'add n', branch: 'main' })
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'dev' })
  await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v2', name: 'Two', target_commitish: 'main' })
  await alice.must('DELETE', `${repo.api}/branches/dev`)
  await alice.must('PATCH', repo.api, { name: 'tool2' })
  const now = await kindsNow('/repos/alice/tool2')
  assert.deepEqual(now, [
    'rename_repo',
    'delete_branch refs/heads/dev',
    'push_tag refs/tags/v2',
    'publish_release v2',
    'commit_repo refs/heads/dev',
    'commit_repo refs/heads/dev',
    'commit_repo refs/heads/main',
    'create_repo',
  ])
  await forge.settle()
  assert.deepEqual(await kindsNow('/repos/alice/tool2'), now)
})

test('userListActivityFeeds, orgListActivityFeeds: acts that the viewer may not read are omitted, by unit and credential', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carl'] })
  const open = await forge.given.repo({ owner: 'alice', name: 'open' })
  const shut = await forge.given.repo({ owner: 'alice', name: 'shut', private: true })
  await forge.as('alice').must('PUT', `${shut.api}/collaborators/bob`, { permission: 'write' })
  for (const repo of [open, shut]) await forge.given.issue({ repo, poster: 'bob', title: 'secret' })
  await commitFiles(forge, shut, 'main', { 'a.txt': 'a' }, { as: 'bob' })
  const names = async (who: string, name: string): Promise<string[]> =>
    (await acts(forge, who, userFeed(name))).map((act) => `${act.op_type} ${act.repo.full_name}`)
  const all = ['commit_repo alice/shut', 'create_issue alice/shut', 'create_issue alice/open']
  assert.deepEqual(
    [await names('bob', 'bob'), await names('root', 'bob'), await names('alice', 'bob')],
    [all, all, all],
  )
  for (const who of ['carl', '']) assert.deepEqual(await names(who, 'bob'), ['create_issue alice/open'])
  assert.equal(await contributions(forge, 'bob', 'bob'), 3)
  assert.equal(await contributions(forge, 'carl', 'bob'), 1)

  // A public-only token, and a token with other scopes.
  const limited = forge.as('bob', { token: await tokenFor(forge, 'bob', ['public-only', 'read:user']) })
  const seen = await limited.must('GET', userFeed('bob'))
  assert.deepEqual([seen.headers.get('x-total-count'), seen.text.includes('shut')], ['1', false])
  assert.equal((await limited.must('GET', '/users/bob/heatmap')).json[0].contributions, 1)
  const other = forge.as('bob', { token: await tokenFor(forge, 'bob', ['read:repository']) })
  assert.equal((await other.get(userFeed('bob'))).status, 403)

  // A disabled unit, and revoked access.
  await forge.as('alice').must('PATCH', shut.api, { has_issues: false })
  assert.deepEqual(await names('bob', 'bob'), ['commit_repo alice/shut', 'create_issue alice/open'])
  await forge.as('alice').must('DELETE', `${shut.api}/collaborators/bob`)
  assert.deepEqual(await names('bob', 'bob'), ['create_issue alice/open'])
  assert.equal(await contributions(forge, 'bob', 'bob'), 1)
  await forge.as('alice').must('PATCH', open.api, { private: true })
  for (const who of ['bob', 'carl', '']) assert.deepEqual(await names(who, 'bob'), [])
  assert.equal((await forge.as('carl').get(`${open.api}/activities/feeds`)).status, 404)
})

test('userListActivityFeeds, repoListActivityFeeds, userGetHeatmapData: acts of an account that hides its activity are omitted', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carl'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.given.issue({ repo, poster: 'bob' })
  const actors = async (who: string, path: string): Promise<string[]> =>
    (await acts(forge, who, path)).map((act) => act.act_user.login)
  const feed = `${repo.api}/activities/feeds`
  await forge.as('bob').must('PATCH', '/user/settings', { hide_activity: true })
  for (const path of [feed, userFeed('alice')]) {
    assert.deepEqual(await actors('carl', path), ['alice'])
    assert.deepEqual(await actors('bob', path), ['bob', 'alice'])
    assert.deepEqual(await actors('root', path), ['bob', 'alice'])
  }
  assert.deepEqual(await actors('carl', userFeed('bob')), [])
  assert.deepEqual([await contributions(forge, 'carl', 'bob'), await contributions(forge, 'bob', 'bob')], [0, 1])

  await forge.as('bob').must('PATCH', '/user/settings', { hide_activity: false })
  for (const [visibility, forMember, forGuest] of [
    ['limited', 2, 1],
    ['private', 1, 1],
  ] as const) {
    await forge.as('root').must('PATCH', '/admin/users/bob', { source_id: 0, login_name: 'bob', visibility })
    assert.deepEqual([(await actors('carl', feed)).length, (await actors('', feed)).length], [forMember, forGuest])
    assert.equal((await forge.guest.get(userFeed('bob'))).status, 404)
  }
  await using without = await startForge({ users: ['alice'], settings: { service: { ENABLE_USER_HEATMAP: false } } })
  assert.equal((await without.as('alice').get('/users/alice/heatmap')).status, 404)
})

test('orgListActivityFeeds, orgListTeamActivityFeeds: acts follow a transfer and a rename, and are deleted with the repository', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carl'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  await forge.given.issue({ repo, poster: 'bob', title: 'a' })
  const org = await forge.given.org({ owner: 'alice', name: 'crew' })
  const team = await forge.as('alice').must('POST', `/orgs/${org}/teams`, {
    ...{ name: 'few', permission: 'read', units: ['repo.issues'], includes_all_repositories: false },
  })
  await forge.as('alice').must('PUT', `/teams/${team.json.id}/members/carl`)
  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: org })
  await forge.as('alice').must('PATCH', '/repos/crew/tool', { name: 'tools' })
  const orgFeed = `/orgs/${org}/activities/feeds`
  const teamFeed = `/teams/${team.json.id}/activities/feeds`
  const moved = ['rename_repo tool', 'transfer_repo alice/tool', 'create_issue 1|a', 'create_repo ']
  assert.deepEqual(await contents(forge, '', orgFeed), moved)
  const [newest] = await acts(forge, '', orgFeed)
  assert.deepEqual([newest?.user_id, newest?.repo.full_name], [await idOf(forge, org), 'crew/tools'])
  // Acts of other accounts there are only in the feed of the new owner.
  assert.equal((await kinds(forge, 'alice', userFeed('alice'))).includes('create_issue'), false)
  assert.deepEqual(await kinds(forge, 'carl', teamFeed), [])
  await forge.as('alice').must('PUT', `/teams/${team.json.id}/repos/crew/tools`)
  assert.equal((await kinds(forge, 'carl', teamFeed)).length, 4)
  assert.deepEqual([(await forge.as('bob').get(teamFeed)).status, (await forge.guest.get(teamFeed)).status], [404, 401])
  // Deleting an account deletes its acts.
  await forge.as('root').must('DELETE', '/admin/users/bob?purge=true')
  assert.equal((await kinds(forge, '', orgFeed)).includes('create_issue'), false)
  await forge.as('alice').must('DELETE', '/repos/crew/tools')
  assert.deepEqual(await kinds(forge, '', orgFeed), [])
})

test('userListActivityFeeds: pages and days of own and other acts take a fixed number of queries', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.parse('2026-03-01T12:00:00Z') })
  const repo = await forge.given.repo({ owner: 'alice' })
  const other = await forge.given.repo({ owner: 'bob' })
  for (const [repository, poster] of [
    [repo, 'bob'],
    [other, 'alice'],
    [repo, 'alice'],
    [repo, 'bob'],
  ] as const) {
    forge.clock.advance(1000)
    await forge.given.issue({ repo: repository, poster })
  }
  const feed = userFeed('alice')
  const whole = await acts(forge, 'alice', feed)
  assert.deepEqual(
    whole.map((act) => `${act.act_user.login} ${act.op_type}`),
    ['bob create_issue', 'alice create_issue', 'alice create_issue', 'bob create_issue', 'alice create_repo'],
  )
  const pages = [1, 2, 3, 4].map((page) => acts(forge, 'alice', `${feed}?limit=2&page=${page}`))
  assert.deepEqual((await Promise.all(pages)).flat(), whole)
  assert.equal((await acts(forge, 'alice', `${feed}?only-performed-by=true`)).length, 3)

  using few = await countQueries(forge)
  await forge.as('alice').must('GET', `${feed}?limit=1`)
  const forOne = few.count
  await forge.as('alice').must('GET', feed)
  assert.equal(few.count - forOne, forOne)

  forge.clock.advance(24 * 3_600_000)
  await forge.given.issue({ repo, poster: 'alice' })
  assert.equal((await acts(forge, 'alice', `${feed}?date=2026-03-02`)).length, 1)
  assert.equal((await acts(forge, 'alice', `${feed}?date=2026-03-01`)).length, 5)
  for (const day of ['2026-02-30', '2026-3-1', 'x', '0000-00-00', '']) {
    assert.equal((await acts(forge, 'alice', `${feed}?date=${day}`)).length, 6, day)
  }
  const { json } = await forge.as('alice').must('GET', '/users/alice/heatmap')
  assert.deepEqual(json, [
    { timestamp: Date.parse('2026-03-01T12:00:00Z') / 1000, contributions: 3 },
    { timestamp: Date.parse('2026-03-02T12:00:00Z') / 1000, contributions: 1 },
  ])

  // After 371 days the heatmap omits acts; the task deletes them.
  forge.clock.advance(372 * 24 * 3_600_000)
  assert.deepEqual((await forge.as('alice').must('GET', '/users/alice/heatmap')).json, [])
  assert.equal((await acts(forge, 'alice', feed)).length, 6)
  await forge.as('root').must('POST', '/admin/cron/delete_old_actions')
  assert.deepEqual(await acts(forge, 'alice', feed), [])
})
