import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { commitFiles } from '../../testing/given-pull.ts'
import { drop } from './drop.test-support.ts'

async function world() {
  const forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/issues`, { title: 'Anvil <i>cracks</i>', body: '- [ ] ü\n- [ ] two' })
  const comment = await alice.must('POST', `${repo.api}/issues/1/comments`, { body: 'first <script>x</script>' })
  const path = `/${repo.fullName}/issues/1`
  const issue = async () => (await alice.get(`${repo.api}/issues/1`)).json
  return { forge, repo, alice, path, issue, commentId: comment.json.id as number }
}

test('issuePage: shows texts as text, and acts only to those who may use them', async () => {
  const { forge, repo, path, commentId } = await world()
  await using _ = forge
  const guest = await new Browser(forge).get(path)
  assert.equal(guest.status, 200)
  assert.match(guest.text, /Anvil &lt;i>cracks/)
  assert.match(guest.text, new RegExp(`id="issuecomment-${commentId}"`))
  assert.doesNotMatch(guest.text, /<script>x/)
  assert.doesNotMatch(guest.text, /<form[^>]*\/issues\/1\//)
  const bob = (await (await Browser.of(forge, 'bob')).get(path)).text
  assert.match(bob, /action="[^"]*\/issues\/1\/comments"/)
  assert.doesNotMatch(bob, /\/issues\/1\/(?:labels|content|delete|lock)"/)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await (await Browser.of(forge, 'bob')).get(path)).status, 404)
})

test('issuePage: a long conversation shows its end and the way to earlier entries', async () => {
  const { forge, repo, alice, path } = await world()
  await using _ = forge
  for (let count = 0; count < 65; count++) {
    await alice.must('POST', `${repo.api}/issues/1/comments`, { body: `comment ${count}` })
  }
  const browser = new Browser(forge)
  const { text } = await browser.get(path)
  assert.match(text, /comment 64/)
  assert.doesNotMatch(text, /comment 3</)
  assert.match(text, /Show 6 earlier entries/)
  const before = /before=(\d+)/.exec(text)?.[1]
  assert.match((await browser.get(`${path}?before=${before}`)).text, /comment 3</)
})

test('commentOnIssue: an empty comment is refused, a comment is added, and a button closes the issue', async () => {
  const { forge, path, issue } = await world()
  await using _ = forge
  const bob = await Browser.of(forge, 'bob')
  const empty = await bob.submit(path, '/issues/1/comments"', { content: ' ' })
  assert.equal(empty.status, 422)
  assert.match(empty.text, /Write a comment first/)
  assert.equal((await bob.submit(path, '/issues/1/comments"', { content: 'hello' })).status, 303)
  assert.equal((await bob.submit(path, '/issues/1/comments"', { content: '', state: 'closed' })).status, 403)
  const alice = await Browser.of(forge, 'alice')
  await alice.submit(path, '/issues/1/comments"', { content: 'done', state: 'closed' })
  assert.deepEqual([(await issue()).comments, (await issue()).state], [3, 'closed'])
})

test('commentOnIssue, commentOnPull: closing with a comment does both or neither, and a refused one keeps the text', async () => {
  const { forge, repo, alice, path, issue } = await world()
  await using _ = forge
  const [owner, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const csrf = await owner.csrf(path)
  const send = (to: string, fields: Record<string, string>) => owner.post(`${to}/comments`, { ...fields, _csrf: csrf })
  const entries = async (index: number) =>
    (await alice.get(`${repo.api}/issues/${index}/timeline`)).json.map(({ type }: { type: string }) => type)
  // A dependency that is open.
  await alice.must('POST', `${repo.api}/issues`, { title: 'first this' })
  await alice.must('POST', `${repo.api}/issues/1/dependencies`, { owner: 'alice', repo: repo.name, index: 2 })
  await alice.must('POST', `${repo.api}/issues/1/stopwatch/start`)
  const before = await entries(1)
  const blocked = await send(path, { content: 'closing *now*', state: 'closed' })
  assert.equal(blocked.status, 412)
  assert.match(blocked.text, />closing \*now\*<\/textarea>/)
  assert.match(blocked.text, /role="alert"/)
  assert.deepEqual([await entries(1), (await issue()).state, (await issue()).comments], [before, 'open', 1])
  assert.equal((await alice.get('/user/stopwatches')).json.length, 1)
  // Closed meanwhile: the comment is added, and the state changes once.
  await alice.must('PATCH', `${repo.api}/issues/2`, { state: 'closed' })
  const closed = await send(`/${repo.fullName}/issues/2`, { content: 'done', state: 'closed' })
  assert.match(closed.headers.get('location') ?? '', /issues\/2#issuecomment-\d+$/)
  assert.deepEqual((await entries(2)).slice(-2), ['close', 'comment'])
  const reopened = await send(`/${repo.fullName}/issues/2`, { content: 'not yet', state: 'open' })
  assert.equal(reopened.status, 303)
  assert.deepEqual((await entries(2)).slice(-2), ['comment', 'reopen'])
  // Words are not needed to close.
  assert.equal((await send(`/${repo.fullName}/issues/2`, { content: ' ', state: 'closed' })).status, 303)
  assert.deepEqual((await entries(2)).slice(-2), ['reopen', 'close'])
  // An author who may not comment on a locked conversation may close it only without words.
  const own = (await forge.as('bob').must('POST', `${repo.api}/issues`, { title: "bob's" })).json.number
  const at = `/${repo.fullName}/issues/${own}`
  const token = await bob.csrf(at)
  await owner.post(`${at}/lock`, { on: 'true', _csrf: csrf })
  const locked = await bob.post(`${at}/comments`, { content: 'closing', state: 'closed', _csrf: token })
  assert.equal(locked.status, 403)
  assert.equal((await alice.get(`${repo.api}/issues/${own}`)).json.state, 'open')
  assert.equal((await bob.post(`${at}/comments`, { content: '', state: 'closed', _csrf: token })).status, 303)
  // A merged pull request.
  await commitFiles(forge, repo, 'topic', { 'a.txt': 'a' })
  const pull = (await alice.must('POST', `${repo.api}/pulls`, { title: 't', head: 'topic', base: 'main' })).json.number
  await alice.must('POST', `${repo.api}/pulls/${pull}/merge`, { Do: 'merge' })
  const merged = await send(`/${repo.fullName}/pulls/${pull}`, { content: 'too late', state: 'closed' })
  assert.equal(merged.status, 412)
  assert.match(merged.text, />too late<\/textarea>/)
  assert.equal((await alice.get(`${repo.api}/issues/${pull}`)).json.comments, 0)
})

test('retitleIssue, rewriteIssue, tickIssueTask: change the issue, and refuse an edit of an older version', async () => {
  const { forge, path, issue } = await world()
  await using _ = forge
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf(path)
  await alice.submit(`${path}?edit=title`, '/issues/1/title', { title: 'New title' })
  assert.equal((await alice.submit(`${path}?edit=title`, '/issues/1/title', { title: ' ' })).status, 422)
  const html = (await alice.get(path)).text
  const positions = [...html.matchAll(/data-source-position="(\d+)"/g)].map(([, at = '']) => at)
  const tick = (position: string, version: string) =>
    alice.post(`${path}/tasks`, { position, checked: 'true', version, _csrf: csrf })
  assert.equal((await tick(positions[1] ?? '', '0')).status, 303)
  assert.equal((await issue()).body, '- [ ] ü\n- [x] two')
  assert.equal((await tick('1', '1')).status, 409)
  const late = await alice.post(`${path}/content`, { content: 'mine', version: '0', _csrf: csrf })
  assert.equal(late.status, 409)
  assert.match(late.text, /Somebody changed this text meanwhile/)
  assert.match(late.text, />mine</)
  assert.equal((await alice.submit(`${path}?edit=issue-1`, '/issues/1/content', { content: 'mine' })).status, 303)
  assert.deepEqual([(await issue()).title, (await issue()).body], ['New title', 'mine'])
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.post(`${path}/title`, { title: 'x', _csrf: await bob.csrf(path) })).status, 403)
})

test('rewriteComment, tickCommentTask, removeCommentOfIssue: only authors and writers change a comment', async () => {
  const { forge, repo, alice, path, commentId } = await world()
  await using _ = forge
  const [owner, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const at = `/issues/1/comments/${commentId}`
  const of = async (browser: Browser, act: string, fields: Record<string, string>) =>
    (await browser.post(`/${repo.fullName}${at}/${act}`, { ...fields, _csrf: await browser.csrf(path) })).status
  assert.equal(await of(bob, 'content', { content: 'x' }), 403)
  assert.equal(await of(bob, 'delete', {}), 403)
  assert.equal(await of(owner, 'content', { content: '* [ ] task', version: '0' }), 303)
  assert.equal(await of(owner, 'tasks', { position: '2', checked: 'true', version: '1' }), 303)
  assert.equal((await alice.get(`${repo.api}/issues/comments/${commentId}`)).json.body, '* [x] task')
  await alice.must('POST', `${repo.api}/issues`, { title: 'other' })
  const foreign = await owner.post(`/${repo.fullName}/issues/2/comments/${commentId}/delete`, {
    _csrf: await owner.csrf(path),
  })
  assert.equal(foreign.status, 404)
  assert.equal((await owner.submit(path, `${at}/delete`)).status, 303)
  assert.equal((await alice.get(`${repo.api}/issues/comments/${commentId}`)).status, 404)
})

test('issueHistoryPage, commentHistoryPage: show the versions of a text', async () => {
  const { forge, repo, alice, path, commentId } = await world()
  await using _ = forge
  await alice.must('PATCH', `${repo.api}/issues/1`, { body: 'second text' })
  await alice.must('PATCH', `${repo.api}/issues/comments/${commentId}`, { body: 'second comment' })
  const guest = new Browser(forge)
  assert.match((await guest.get(`${path}/history`)).text, /second text[\s\S]*- \[ \] ü/)
  assert.match((await guest.get(`${path}/comments/${commentId}/history`)).text, /second comment[\s\S]*first &lt;script/)
  assert.equal((await guest.get(`/${repo.fullName}/issues/2/history`)).status, 404)
})

test('reactToIssue, reactToComment: a reaction is added and taken back', async () => {
  const { forge, repo, alice, path, commentId } = await world()
  await using _ = forge
  const bob = await Browser.of(forge, 'bob')
  const csrf = await bob.csrf(path)
  await bob.post(`${path}/reactions`, { content: '+1', _csrf: csrf })
  await bob.post(`${path}/comments/${commentId}/reactions`, { content: 'heart', _csrf: csrf })
  assert.equal((await alice.get(`${repo.api}/issues/1/reactions`)).json.length, 1)
  assert.equal((await alice.get(`${repo.api}/issues/comments/${commentId}/reactions`)).json[0].content, 'heart')
  assert.match((await bob.get(path)).text, /aria-pressed="true"/)
  await bob.post(`${path}/reactions`, { content: '+1', remove: 'true', _csrf: csrf })
  assert.equal((await alice.get(`${repo.api}/issues/1/reactions`)).json, null)
})

test('labelIssue, assignIssue, setIssueMilestone, setIssueDueDate, changeIssueDependency: writers change the side', async () => {
  const { forge, repo, alice, path, issue } = await world()
  await using _ = forge
  const label = (await alice.must('POST', `${repo.api}/labels`, { name: 'bug', color: '#ff0000' })).json.id
  const milestone = (await alice.must('POST', `${repo.api}/milestones`, { title: 'v1' })).json.id
  await alice.must('POST', `${repo.api}/issues`, { title: 'other' })
  const bob = await Browser.of(forge, 'bob')
  const refused = { _csrf: await bob.csrf(path) }
  for (const act of ['labels', 'assignees', 'milestone', 'deadline', 'dependencies', 'lock', 'pin', 'delete']) {
    const { status } = await bob.post(`${path}/${act}`, { ...refused, assignee: 'bob', other: '2' })
    // An edit without a right to the field changes nothing in the API, too.
    assert.ok([403, 404].includes(status), `${act}: ${status}`)
  }
  const owner = await Browser.of(forge, 'alice')
  const send = async (act: string, fields: Record<string, string>) =>
    assert.equal((await owner.submit(path, `/issues/1/${act}"`, fields)).status, 303, act)
  await send('labels', { label: String(label) })
  await send('assignees', { assignee: 'alice' })
  await send('milestone', { milestone: String(milestone) })
  await send('deadline', { due: '2030-01-31' })
  await send('dependencies', { other: '#2' })
  const now = await issue()
  assert.deepEqual(
    [now.labels[0].name, now.assignees[0].login, now.milestone.title, now.due_date.slice(0, 10)],
    ['bug', 'alice', 'v1', '2030-01-31'],
  )
  assert.equal((await alice.get(`${repo.api}/issues/1/dependencies`)).json[0].number, 2)
})

test('issuePage: what is set is said in one line, which is missing for guests when nothing is set', async () => {
  const { forge, repo, alice, path } = await world()
  await using _ = forge
  const guest = new Browser(forge)
  const line = async () =>
    /<details class="side-details"><summary>(.*?)<\/summary>/s.exec((await guest.get(path)).text)?.[1] ?? ''
  const isBare = /<aside class="issue-side is-bare"/
  assert.match((await guest.get(path)).text, isBare)
  assert.match((await (await Browser.of(forge, 'bob')).get(path)).text, /<aside class="issue-side"/)
  const labels = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => ({ name, color: '#ff0000' }))
  const made = await Promise.all(labels.map((label) => alice.must('POST', `${repo.api}/labels`, label)))
  await alice.must('PUT', `${repo.api}/issues/1/labels`, { labels: made.map(({ json }) => json.id) })
  await alice.must('PATCH', `${repo.api}/issues/1`, { assignees: ['alice'], due_date: '2020-01-31T00:00:00Z' })
  await alice.must('POST', `${repo.api}/issues`, { title: 'other' })
  await alice.must('POST', `${repo.api}/issues/1/dependencies`, { owner: 'alice', repo: repo.name, index: 2 })
  assert.doesNotMatch((await guest.get(path)).text, isBare)
  const text = (await line()).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  for (const words of [/alice/, /\+2/, /Jan 31, 2020 \(overdue\)/, /waits for 1 issue/]) assert.match(text, words)
  // Links in the line would be in the way of opening it.
  assert.doesNotMatch(await line(), /<a\b/)
})

test('subscribeToIssue, pinIssueOfPage, lockIssue, runIssueStopwatch, addIssueTime, removeIssueOfPage: act on the issue', async () => {
  const { forge, repo, alice, path, issue } = await world()
  await using _ = forge
  const owner = await Browser.of(forge, 'alice')
  const csrf = await owner.csrf(path)
  const send = async (act: string, fields: Record<string, string> = {}) =>
    (await owner.post(`${path}/${act}`, { ...fields, _csrf: csrf })).status
  assert.equal(await send('subscription', { on: 'false' }), 303)
  assert.equal((await alice.get(`${repo.api}/issues/1/subscriptions/check`)).json.subscribed, false)
  assert.equal(await send('pin', { on: 'true' }), 303)
  assert.equal(await send('lock', { on: 'true' }), 303)
  assert.deepEqual([(await issue()).pin_order, (await issue()).is_locked], [1, true])
  assert.equal(await send('stopwatch', { act: 'start' }), 303)
  assert.equal(await send('stopwatch', { act: 'stop' }), 303)
  assert.equal(await send('time', { time: 'long' }), 422)
  assert.equal(await send('time', { time: '1h 30m' }), 303)
  const times = (await alice.get(`${repo.api}/issues/1/times`)).json as { time: number }[]
  assert.ok(times.some(({ time }) => time === 5400))
  assert.equal(await send('delete'), 303)
  assert.equal((await alice.get(`${repo.api}/issues/1`)).status, 404)
})

test('removeIssueFile: a file of the text is deleted by those who may edit it', async () => {
  const { forge, repo, alice, path } = await world()
  await using _ = forge
  const owner = await Browser.of(forge, 'alice')
  const { text } = await drop(owner, path, 'a].txt')
  assert.match(text, /^\[a\\\]\.txt\]\(\/attachments\/[0-9a-f-]+\)$/)
  await owner.submit(`${path}?edit=issue-1`, `/issues/1/content"`, { content: `See ${text}` })
  const [file] = (await alice.get(`${repo.api}/issues/1/assets`)).json
  assert.equal(file.name, 'a].txt')
  assert.doesNotMatch((await (await Browser.of(forge, 'bob')).get(path)).text, /\/attachments\/\d+\/delete"/)
  assert.equal((await owner.submit(path, `/attachments/${file.id}/delete`)).status, 303)
  assert.deepEqual((await alice.get(`${repo.api}/issues/1/assets`)).json, [])
})

test('followIssue: a change between the page and its stream is reported at once', async () => {
  const { forge, path } = await world()
  await using _ = forge
  const browser = await Browser.of(forge, 'alice')
  const stop = new AbortController()
  const headers = { cookie: browser.cookieHeader() }
  const reply = await fetch(`${forge.url}${path}/live?seen=earlier`, { headers, signal: stop.signal })
  const first = await reply.body?.getReader().read()
  stop.abort()
  assert.match(Buffer.from(first?.value ?? []).toString(), /action="refresh"/)
})

test('followIssue: guests and strangers are refused', async () => {
  const { forge, repo, alice, path } = await world()
  await using _ = forge
  assert.equal((await new Browser(forge).get(`${path}/live`)).status, 303)
  await alice.must('PATCH', repo.api, { private: true })
  assert.equal((await (await Browser.of(forge, 'bob')).get(`${path}/live`)).status, 404)
})
