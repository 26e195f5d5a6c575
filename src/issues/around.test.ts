import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'
import { upload } from '../testing/upload.ts'
import { base64 } from '../testing/samples.ts'

test('issueCreateIssueAttachment, issueListIssueAttachments, issueGetIssueAttachment, issueEditIssueAttachment, issueDeleteIssueAttachment, downloadRepoAttachment: a file is kept, shown, downloaded whole and in part, renamed and deleted', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const path = `${issue.api}/assets`
  const alice = forge.as('alice')
  const file = (await alice.must('POST', path, undefined, upload('notes.txt', 'some notes\n'))).json
  assert.deepEqual([file.name, file.size, file.type], ['notes.txt', 11, 'attachment'])
  assert.deepEqual((await alice.must('GET', issue.api)).json.assets, [file])
  const url = new URL(file.browser_download_url).pathname
  const guest = forge.as('guest', {})
  const whole = await guest.get(url, { site: true })
  assert.deepEqual([whole.status, whole.text], [200, 'some notes\n'])
  assert.match(whole.headers.get('content-type') ?? '', /^text\/plain/)
  const part = await guest.get(url, { site: true, headers: { range: 'bytes=5-9' } })
  assert.deepEqual([part.status, part.text, part.headers.get('content-range')], [206, 'notes', 'bytes 5-9/11'])
  assert.equal((await guest.get(`/${issue.repo.fullName}${url}`, { site: true })).status, 200)
  assert.equal((await alice.must('GET', `${path}/${file.id}`)).json.download_count, 3)
  assert.equal((await alice.must('PATCH', `${path}/${file.id}`, { name: 'other.md' })).json.name, 'other.md')
  assert.equal((await forge.as('bob').patch(`${path}/${file.id}`, { name: 'x.md' })).status, 403)
  assert.equal((await forge.as('bob').delete(`${path}/${file.id}`)).status, 403)
  await alice.must('DELETE', `${path}/${file.id}`)
  assert.equal((await guest.get(url, { site: true })).status, 404)
  assert.deepEqual((await alice.must('GET', path)).json, [])
})

test('issueCreateIssueAttachment: what is refused leaves nothing behind', async () => {
  await using forge = await startForge({ settings: { attachment: { MAX_SIZE: 1 } } })
  const issue = await forge.given.issue()
  const path = `${issue.api}/assets`
  const alice = forge.as('alice')
  assert.equal((await alice.post(path, undefined, upload('setup.exe', 'MZ\0\0'))).status, 422)
  assert.equal((await alice.post(path, undefined, upload('large.txt', 'x'.repeat(2 * 1024 * 1024)))).status, 413)
  const dated = upload('a.txt', 'a')
  dated.raw.set('updated_at', '1999-01-01T00:00:00Z')
  assert.equal((await alice.post(path, undefined, dated)).status, 403)
  assert.equal((await alice.post(path, undefined, { raw: new FormData() })).status, 400)
  assert.equal((await forge.as('bob').post(path, undefined, upload('a.txt', 'a'))).status, 403)
  for await (const { key } of forge.services.blobs.attachments.list('')) assert.fail(`${key} is left`)
  assert.equal((await alice.must('POST', path, undefined, upload('empty.txt', ''))).json.size, 0)
})

test('issueCreateIssueAttachment: the body may be the file itself, under the name of the query', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const headers = { 'content-type': 'application/octet-stream' }
  const made = await forge
    .as('alice')
    .must('POST', `${issue.api}/assets?name=raw.log`, undefined, { raw: 'line\n', headers })
  assert.deepEqual([made.json.name, made.json.size], ['raw.log', 5])
})

test('issueCreateIssueCommentAttachment, issueListIssueCommentAttachments, issueGetIssueCommentAttachment, issueEditIssueCommentAttachment, issueDeleteIssueCommentAttachment: the author of a comment attaches files; by the issue a file is found, not listed', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const { id } = (await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'x' })).json
  const path = `${issue.repo.api}/issues/comments/${id}/assets`
  assert.equal((await forge.as('carol').post(path, undefined, upload('a.txt', 'a'))).status, 403)
  const own = (await forge.as('bob').must('POST', path, undefined, upload('own.txt', 'a'))).json
  assert.equal((await forge.as('bob').patch(`${path}/${own.id}`, { name: 'mine.txt' })).status, 201)
  assert.equal((await forge.as('bob').delete(`${path}/${own.id}`)).status, 204)
  const file = (await forge.as('alice').must('POST', path, undefined, upload('a.txt', 'a'))).json
  assert.deepEqual((await forge.as('bob').must('GET', path)).json, [file])
  assert.deepEqual((await forge.as('bob').must('GET', `${issue.api}/assets`)).json, [])
  assert.equal((await forge.as('bob').get(`${issue.api}/assets/${file.id}`)).status, 200)
  assert.equal((await forge.as('alice').patch(`${path}/${file.id}`, { name: 'b.txt' })).json.name, 'b.txt')
  assert.equal((await forge.as('alice').get(`${path}/${file.id}`)).json.name, 'b.txt')
  assert.equal((await forge.as('carol').patch(`${path}/${file.id}`, { name: 'c.txt' })).status, 403)
  assert.equal((await forge.as('carol').delete(`${path}/${file.id}`)).status, 403)
  assert.equal((await forge.as('alice').delete(`${path}/${file.id}`)).status, 204)
  assert.equal((await forge.as('alice').get(`${path}/${file.id}`)).status, 404)
  assert.deepEqual((await forge.as('alice').must('GET', path)).json, [])
})

test('downloadAttachment, downloadRepoAttachment: files of a private repository are not there for strangers', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue({ repo: await forge.given.repo({ private: true }) })
  const file = (await forge.as('alice').must('POST', `${issue.api}/assets`, undefined, upload('a.txt', 'a'))).json
  const url = new URL(file.browser_download_url).pathname
  const ofRepo = `/${issue.repo.fullName}${url}`
  assert.equal((await forge.as('bob').get(url, { site: true })).status, 404)
  assert.equal((await forge.as('bob').get(ofRepo, { site: true })).status, 404)
  assert.equal((await forge.as('alice').get(ofRepo, { site: true })).status, 200)
  assert.equal((await forge.as('alice').get(url, { site: true })).status, 200)
})

test('pinIssue, unpinIssue, moveIssuePin, repoListPinnedIssues, repoNewPinAllowed: three at most, moved in order', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const issues = [
    await forge.given.issue({ repo }),
    await forge.given.issue({ repo }),
    await forge.given.issue({ repo }),
  ]
  const fourth = await forge.given.issue({ repo })
  const alice = forge.as('alice')
  for (const issue of issues) await alice.must('POST', `${issue.api}/pin`)
  assert.equal((await alice.post(`${fourth.api}/pin`)).status, 400)
  assert.deepEqual((await alice.must('GET', `${repo.api}/new_pin_allowed`)).json, {
    issues: false,
    pull_requests: true,
  })
  const order = async () =>
    (await alice.must('GET', `${repo.api}/issues/pinned`)).json.map((issue: { number: number }) => issue.number)
  await alice.must('PATCH', `${issues[2]?.api}/pin/1`)
  assert.deepEqual(await order(), [3, 1, 2])
  assert.equal((await alice.patch(`${issues[2]?.api}/pin/0`)).status, 400)
  assert.equal((await forge.as('bob').delete(`${issues[0]?.api}/pin`)).status, 403)
  await alice.must('DELETE', `${issues[0]?.api}/pin`)
  assert.deepEqual(await order(), [3, 2])
})

test('issueAddSubscription, issueDeleteSubscription, issueCheckSubscription, issueSubscriptions', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const bob = forge.as('bob')
  const path = `${issue.api}/subscriptions`
  assert.equal((await bob.must('GET', `${path}/check`)).json.subscribed, false)
  assert.equal((await bob.put(`${path}/bob`)).status, 201)
  assert.equal((await bob.put(`${path}/bob`)).status, 200)
  assert.equal((await bob.must('GET', `${path}/check`)).json.subscribed, true)
  assert.deepEqual(
    (await bob.must('GET', path)).json.map((user: { login: string }) => user.login),
    ['bob'],
  )
  assert.equal((await bob.put(`${path}/alice`)).status, 403)
  assert.equal((await bob.put(`${path}/nobody-here`)).status, 404)
  assert.equal((await bob.delete(`${path}/bob`)).status, 201)
  await bob.must('POST', `${issue.api}/comments`, { body: 'a comment does not undo an explicit no' })
  assert.equal((await bob.must('GET', `${path}/check`)).json.subscribed, false)
})

test('issueCreateIssueDependencies, issueRemoveIssueDependencies, issueListIssueDependencies, issueCreateIssueBlocking, issueRemoveIssueBlocking, issueListBlocks: not on itself, not twice, not in a ring of two; readers of both sides only', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const [one, two] = [await forge.given.issue({ repo }), await forge.given.issue({ repo })]
  const hidden = await forge.given.issue({ repo: await forge.given.repo({ private: true }), title: 'secret' })
  const meta = ({ repo: { name }, number }: typeof one) => ({ owner: 'alice', repo: name, index: number })
  const alice = forge.as('alice')
  const add = (issue: typeof one, other: typeof one) => alice.post(`${issue.api}/dependencies`, meta(other))
  assert.equal((await add(one, two)).json.number, one.number)
  assert.deepEqual(
    [(await add(one, one)).status, (await add(one, two)).status, (await add(two, one)).status],
    [422, 409, 409],
  )
  assert.equal((await forge.as('bob').post(`${one.api}/dependencies`, meta(two))).status, 404)
  assert.equal((await forge.as('bob').delete(`${one.api}/dependencies`, meta(two))).status, 404)
  assert.equal((await forge.as('bob').post(`${two.api}/blocks`, meta(one))).status, 404)
  assert.equal((await alice.post(`${hidden.api}/blocks`, meta(one))).status, 201)
  const seen = async (as: string) =>
    (await forge.as(as).must('GET', `${one.api}/dependencies`)).json.map((issue: { title: string }) => issue.title)
  assert.equal((await seen('alice')).includes('secret'), true)
  assert.equal((await seen('bob')).includes('HIDDEN'), true)
  assert.equal((await alice.must('GET', `${two.api}/blocks`)).json[0].number, one.number)
  assert.equal((await alice.delete(`${one.api}/dependencies`, meta(two))).status, 201)
  assert.equal((await alice.delete(`${one.api}/dependencies`, meta(two))).status, 404)
  assert.equal((await alice.delete(`${hidden.api}/blocks`, meta(one))).status, 201)
})

test('issueAddTime, issueTrackedTimes, issueResetTime, issueDeleteTime, repoTrackedTimes, userTrackedTimes, userCurrentTrackedTimes: who tracks and who sees what', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const issue = await forge.given.issue({ repo, poster: 'bob' })
  const path = `${issue.api}/times`
  const add = (as: string, body: object) => forge.as(as).post(path, body)
  assert.equal((await add('carol', { time: 60 })).status, 403)
  assert.equal((await add('bob', { time: 0 })).status, 422)
  const own = (await add('bob', { time: 60 })).json
  assert.equal((await add('alice', { time: 3661, user_name: 'carol' })).json.user_name, 'carol')
  const seen = async (as: string, query = '') =>
    (await forge.as(as).must('GET', path + query)).json.map((time: { time: number }) => time.time)
  assert.deepEqual([await seen('alice'), await seen('bob'), await seen('dave')], [[60, 3661], [60], []])
  assert.equal((await forge.as('bob').get(`${path}?user=carol`)).status, 403)
  assert.equal((await forge.as('alice').delete(`${path}/${own.id}`)).status, 403)
  assert.equal((await forge.as('bob').delete(`${path}/${own.id}`)).status, 204)
  assert.equal((await forge.as('bob').delete(path)).status, 404)
  assert.equal((await forge.guest.get(`${repo.api}/times`)).status, 401)
  assert.equal((await forge.guest.get('/user/times')).status, 401)
  assert.equal((await forge.as('alice').get(`${repo.api}/times/nobody-here`)).status, 404)
  assert.deepEqual((await forge.as('dave').must('GET', '/user/times')).json, [])
  assert.equal((await forge.as('alice').must('GET', `${repo.api}/times`)).json.length, 1)
  assert.equal((await forge.as('alice').must('GET', `${repo.api}/times/carol`)).json.length, 1)
  assert.equal((await forge.as('carol').must('GET', '/user/times')).json.length, 1)
  const words = (await forge.as('alice').must('GET', `${issue.api}/timeline`)).json.map(
    (each: { body: string }) => each.body,
  )
  assert.deepEqual(words, ['1 minute', '1 hour 1 minute', '1 minute'])
})

test('issueStartStopWatch, issueStopStopWatch, issueDeleteStopWatch, userGetStopWatches: one runs at most', async () => {
  await using forge = await startForge({ standAt: Date.parse('2030-01-01T00:00:00Z') })
  const repo = await forge.given.repo()
  const [one, two] = [await forge.given.issue({ repo }), await forge.given.issue({ repo })]
  const alice = forge.as('alice')
  assert.equal((await alice.post(`${one.api}/stopwatch/stop`)).status, 409)
  assert.equal((await forge.as('bob').post(`${one.api}/stopwatch/start`)).status, 403)
  await alice.must('POST', `${one.api}/stopwatch/start`)
  assert.equal((await alice.post(`${one.api}/stopwatch/start`)).status, 409)
  forge.clock.advance(90_000)
  const [watch] = (await alice.must('GET', '/user/stopwatches')).json
  assert.deepEqual([watch.seconds, watch.duration, watch.issue_index], [90, '1 minute 30 seconds', one.number])
  await alice.must('POST', `${two.api}/stopwatch/start`)
  assert.equal((await alice.must('GET', `${one.api}/times`)).json[0].time, 90)
  await alice.must('DELETE', `${two.api}/stopwatch/delete`)
  assert.deepEqual((await alice.must('GET', '/user/stopwatches')).json, [])
  await alice.must('POST', `${one.api}/stopwatch/start`)
  await alice.must('PATCH', one.api, { state: 'closed' })
  assert.deepEqual((await alice.must('GET', '/user/stopwatches')).json, [])
})

test('repoGetIssueTemplates, repoGetIssueConfig, repoValidateIssueConfig: broken files are left out and explained', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  assert.equal((await alice.must('GET', `${repo.api}/issue_templates`)).json, null)
  const folder = '.github/ISSUE_TEMPLATE'
  const files = {
    [`${folder}/bug.yaml`]: 'name: Bug\nabout: broken\nbody:\n  - type: input\n    attributes: {label: Version}\n',
    [`${folder}/none.yaml`]: 'name: None\nabout: no body\n',
    [`${folder}/plain.md`]: 'Just text\n',
    // Keys inside keys took the parser exponential time.
    [`${folder}/keys.yaml`]: `name: Keys\nabout: ${'? '.repeat(400)}\n`,
    [`${folder}/lists.md`]: `---\nname: ${'['.repeat(10_000)}\n---\n`,
    [`${folder}/config.yml`]: 'blank_issues_enabled: maybe\n',
  }
  await alice.must('POST', `${repo.api}/contents`, {
    message: 'templates',
    files: Object.entries(files).map(([path, text]) => ({
      operation: 'create',
      path,
      content: base64(text),
    })),
  })
  const templates = (await alice.must('GET', `${repo.api}/issue_templates`)).json
  assert.deepEqual(
    templates.map((template: { name: string }) => template.name),
    ['Bug', 'plain.md'],
  )
  assert.equal(templates[1].about, 'Just text\n')
  assert.equal(templates[0].body[0].id, '0')
  const broken = (await alice.must('GET', `${repo.api}/issue_config/validate`)).json
  assert.deepEqual([broken.valid, broken.message], [false, 'blank_issues_enabled is neither true nor false'])
  assert.equal((await alice.must('GET', `${repo.api}/issue_config`)).json.blank_issues_enabled, true)
})
