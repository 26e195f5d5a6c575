import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { upload } from '../../testing/upload.ts'

test('issueCreateIssueAttachment, issueListIssueAttachments, issueGetIssueAttachment, issueEditIssueAttachment, issueDeleteIssueAttachment, downloadRepoAttachment: a file can be stored, listed, downloaded in full or in part, renamed and deleted', async () => {
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

test('issueCreateIssueAttachment: a refused upload leaves no file', async () => {
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

test('issueCreateIssueAttachment: the body may be the file, with its name in the query', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const headers = { 'content-type': 'application/octet-stream' }
  const made = await forge
    .as('alice')
    .must('POST', `${issue.api}/assets?name=raw.log`, undefined, { raw: 'line\n', headers })
  assert.deepEqual([made.json.name, made.json.size], ['raw.log', 5])
})

test('issueCreateIssueCommentAttachment, issueListIssueCommentAttachments, issueGetIssueCommentAttachment, issueEditIssueCommentAttachment, issueDeleteIssueCommentAttachment: the author of a comment attaches files; the issue finds but does not list them', async () => {
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

test('downloadAttachment, downloadRepoAttachment: files of a private repository are 404 for accounts without access', async () => {
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
