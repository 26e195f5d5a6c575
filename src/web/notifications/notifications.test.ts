import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { commitFiles, givenPull } from '../../testing/given-pull.ts'

test('notifications: guests are asked to sign in', async () => {
  await using forge = await startForge()
  const { status, headers } = await new Browser(forge).get('/notifications')
  assert.deepEqual([status, headers.get('location')], [303, '/user/login?redirect_to=%2Fnotifications'])
})

test('notifications, markNotifications, readNotifications: threads are read, pinned and read together, never those of others', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  for (const title of ['First <i>', 'Second', 'Third']) {
    await forge.as('bob').must('POST', `${repo.api}/issues`, { title, body: '@carol look' })
  }
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get('/notifications')
  assert.match(text, /First &lt;i>/)
  assert.ok(text.includes(`href="/${repo.fullName}/issues/3"`))
  const threads = async (name: string, status = 'unread') =>
    (await forge.as(name).must('GET', `/notifications?status-types=${status}`)).json as {
      id: number
      subject: { title: string }
    }[]
  const [third, second] = await threads('alice')
  const [ofCarol] = await threads('carol')
  const csrf = await alice.csrf('/notifications')
  const mark = (ids: readonly string[], status: string) =>
    alice.post('/notifications/mark', { _csrf: csrf, ids, status })
  assert.equal((await mark([String(third?.id), String(ofCarol?.id)], 'read')).status, 303)
  await mark([String(second?.id)], 'pinned')
  assert.deepEqual(
    (await threads('alice')).map(({ subject }) => subject.title),
    ['First <i>'],
  )
  assert.equal((await threads('carol')).length, 3)
  assert.match((await alice.get('/notifications?q=pinned')).text, /Second/)
  assert.match((await alice.get('/notifications?q=read')).text, /Third/)
  await alice.submit('/notifications', '/notifications/read')
  assert.deepEqual(await threads('alice'), [])
  assert.equal((await threads('alice', 'pinned')).length, 1)
  assert.match((await alice.get('/notifications')).text, /All caught up/)
})

test('notifications: each one says what happened last, and to whom it was said', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/carol`, { permission: 'write' })
  const [carol, alice] = [await Browser.of(forge, 'carol'), await Browser.of(forge, 'alice')]
  const shown = async (browser: Browser, query = ''): Promise<(string | undefined)[]> => {
    await forge.settle()
    const { text } = await browser.get(`/notifications${query}`)
    return [...text.matchAll(/<div class="row-facts"><span>[^<#]*#(\d+)<\/span>(?:<span[^>]*>([^<]*)<\/span>)?/g)].map(
      ([, index, reason]) => `${index} ${reason}`,
    )
  }
  const issue = (await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'One', body: '@carol look' })).json
  const at = `${repo.api}/issues/${issue.number}`
  assert.deepEqual(await shown(carol), ['1 Mentioned you'])
  assert.deepEqual(await shown(alice), ['1 Opened'], 'she owns and watches the repository')
  await forge.as('alice').must('PATCH', at, { assignees: ['carol'] })
  assert.deepEqual(await shown(carol), ['1 Assigned to you'])
  assert.deepEqual(await shown(alice), ['1 Opened'], 'the assignment told carol alone')
  await forge.as('alice').must('POST', `${at}/comments`, { body: 'hello' })
  const comment = (await forge.as('bob').must('POST', `${at}/comments`, { body: 'see, @alice and @carol' })).json
  assert.deepEqual(await shown(alice), ['1 Mentioned you'])
  assert.match((await alice.get('/notifications')).text, new RegExp(`issues/1#issuecomment-${comment.id}"`))
  await forge.as('bob').must('DELETE', `${repo.api}/issues/comments/${comment.id}`)
  assert.deepEqual(await shown(alice), ['1 undefined'], 'a deleted comment is no reason')
  await forge.as('bob').must('PATCH', at, { state: 'closed' })
  assert.deepEqual(await shown(alice), ['1 Closed'])
  const pull = await givenPull(forge, { repo, poster: 'alice' })
  await forge.as('alice').must('POST', `${pull.api}/requested_reviewers`, { reviewers: ['carol'] })
  assert.ok((await shown(carol)).includes('2 Review requested'))
  await forge.as('carol').must('POST', `${pull.api}/reviews`, { event: 'COMMENT', body: 'good' })
  assert.ok((await shown(alice)).includes('2 New review'))
  await forge.as('carol').must('POST', `${pull.api}/merge`, { Do: 'merge' })
  assert.ok((await shown(alice)).includes('2 Merged'))
})

test('notifications: new commits lead a reviewer to the changes since their review, which marks them as read', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  for (const name of ['bob', 'carol']) {
    await forge.as('alice').must('PUT', `${repo.api}/collaborators/${name}`, { permission: 'write' })
    await forge.as(name).must('PUT', `${repo.api}/subscription`)
  }
  const pull = await givenPull(forge, { repo })
  const at = `/${repo.fullName}/pulls/${pull.number}`
  await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'COMMENT', body: 'read' })
  await forge.settle()
  const [bob, carol] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'carol')]
  for (const person of [bob, carol]) await person.get(at)
  await commitFiles(forge, repo, pull.branch, { 'more.txt': 'more\n' })
  await forge.settle()
  const linkFor = async (person: Browser) =>
    /class="row-title"[^>]*|href="([^"]*)" class="row-title"/.exec((await person.get('/notifications')).text)?.[0] ?? ''
  assert.ok((await linkFor(bob)).includes(`${at}/files?since=review"`))
  assert.ok((await linkFor(carol)).includes(`${at}"`), 'carol has not reviewed it')
  assert.match((await bob.get(`${at}/files?since=review`)).text, /These are the changes since you reviewed/)
  assert.match((await bob.get('/notifications')).text, /All caught up/)
})

test('notifications, readNotifications: the list is filtered by reason and repository, grouped by either, and read by the filter', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const [one, two] = [await forge.given.repo({ owner: 'alice' }), await forge.given.repo({ owner: 'alice' })]
  const hidden = await forge.given.repo({ owner: 'alice', private: true })
  const open = (repo: typeof one, title: string, more: object = {}) =>
    forge.as('bob').must('POST', `${repo.api}/issues`, { title, ...more })
  await open(one, 'Named in one', { body: '@alice' })
  await open(one, 'Plain in one')
  await open(two, 'Named in two', { body: '@alice' })
  await forge.as('alice').must('POST', `${hidden.api}/issues`, { title: 'hidden' })
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const titles = async (query: string) =>
    [...(await alice.get(`/notifications${query}`)).text.matchAll(/((?:Named|Plain) in \w+)<\/a>/g)].map(
      ([, title]) => title,
    )
  const heads = async (query: string) =>
    [
      ...((await alice.get(`/notifications${query}`)).text.split('<footer')[0] ?? '').matchAll(
        /<h2>(?:<a[^>]*>)?([^<]+)/g,
      ),
    ].map(([, head]) => head)
  assert.deepEqual(await heads(''), ['Mentions', 'Watched'])
  assert.deepEqual(await heads('?group=repository'), [two.fullName, one.fullName])
  assert.deepEqual(await titles('?reason=mentioned'), ['Named in two', 'Named in one'])
  assert.deepEqual(await titles(`?repo=${one.fullName}`), ['Named in one', 'Plain in one'])
  assert.deepEqual(await titles(`?repo=${one.fullName}&reason=mentioned`), ['Named in one'])
  assert.deepEqual(await titles('?repo=nobody/nothing'), [])
  assert.deepEqual((await titles('?reason=unheard')).length, 3, 'an unknown reason is no filter')
  const carol = await Browser.of(forge, 'carol')
  assert.doesNotMatch((await carol.get(`/notifications?repo=${hidden.fullName}`)).text, /hidden<\/a>/)

  const csrf = await alice.csrf('/notifications')
  const read = (fields: Readonly<Record<string, string>>) =>
    alice.post('/notifications/read', { _csrf: csrf, last_read_at: '2999-01-01T00:00:00Z', ...fields })
  const { headers } = await read({ reason: 'mentioned', of_reason: 'mentioned', of_repo: one.fullName })
  assert.equal(headers.get('location'), '/notifications?reason=mentioned')
  assert.deepEqual(await titles(''), ['Named in two', 'Plain in one'])
  await read({ of_repo: 'nobody/nothing' })
  await read({ of_reason: 'mentioned' })
  assert.deepEqual(await titles(''), ['Plain in one'])
  const [thread] = (await forge.as('alice').must('GET', '/notifications')).json
  assert.equal(thread.reason, 'watching')
  assert.equal(
    (
      await alice.post('/notifications/mark', {
        _csrf: csrf,
        ids: [String(thread.id)],
        status: 'pinned',
        group: 'repository',
      })
    ).headers.get('location'),
    '/notifications?group=repository',
  )
})

test('notifyGetList: an unread notification keeps its strongest reason, a read one gets that of the next event', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/carol`, { permission: 'write' })
  const issue = (await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'One' })).json
  const at = `${repo.api}/issues/${issue.number}`
  const say = async (body: string) => (await forge.as('bob').must('POST', `${at}/comments`, { body })).json.id as number
  const reasons = async (name: string) => {
    await forge.settle()
    return (await forge.as(name).must('GET', '/notifications?all=true')).json.map(
      (each: { reason: string }) => each.reason,
    )
  }
  assert.deepEqual(await reasons('alice'), ['watching'])
  const mention = await say('@alice')
  assert.deepEqual(await reasons('alice'), ['mentioned'])
  await forge.as('bob').must('DELETE', `${repo.api}/issues/comments/${mention}`)
  assert.deepEqual(await reasons('alice'), ['watching'], 'a deleted comment gives no reason')
  await say('@alice')
  await say('more')
  assert.deepEqual(await reasons('alice'), ['mentioned'])
  await forge.as('alice').must('PUT', '/notifications')
  await say('even more')
  assert.deepEqual(await reasons('alice'), ['watching'])
  await forge.as('alice').must('POST', `${at}/comments`, { body: 'I answer' })
  assert.deepEqual(await reasons('bob'), ['author'])
  await forge.as('alice').must('PUT', '/notifications')
  await say('thanks')
  assert.deepEqual(await reasons('alice'), ['participating'])
  await forge.as('alice').must('PATCH', at, { assignees: ['carol'] })
  assert.deepEqual(await reasons('carol'), ['assigned'])
  await forge.as('carol').must('PUT', '/notifications')
  await forge.as('carol').must('PUT', `${repo.api}/subscription`)
  await say('for the assignee')
  assert.deepEqual(await reasons('carol'), ['assigned'], 'still assigned')
  const pull = await givenPull(forge, { repo, poster: 'alice' })
  await forge.as('alice').must('POST', `${pull.api}/requested_reviewers`, { reviewers: ['carol'] })
  await forge.settle()
  await forge.as('carol').must('PUT', '/notifications?all=true')
  await forge.as('bob').must('POST', `/repos/${repo.fullName}/issues/${pull.number}/comments`, { body: 'hm' })
  assert.deepEqual(await reasons('carol'), ['review_requested', 'assigned'], 'the review is still awaited')
})
