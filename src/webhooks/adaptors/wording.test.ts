import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles } from '../../actions/actions.test-support.ts'
import { startForge } from '../../testing/forge.ts'
import { Receiver } from '../receiver.test-support.ts'

const green = 0x1ac600
const lightGreen = 0xbfe5bf
const yellow = 0xffd930
const grey = 0x4f545c
const red = 0xff3232

test('adaptors: reviews, forks, wiki pages and comments on pull requests have the recorded words and colours', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await using receiver = await Receiver.start()
  const { api } = await forge.given.repo({ owner: 'alice', name: 'home' })
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  await alice.must('PUT', `${api}/collaborators/bob`, { permission: 'write' })
  await commitFiles(forge, api, { a: 'a' }, { newBranch: 'topic' })
  for (const type of ['discord', 'feishu', 'slack']) {
    const config = { url: `${receiver.url}/${type}`, content_type: 'json', channel: 'room' }
    const events = ['fork', 'wiki', 'pull_request_only', 'pull_request_comment', 'pull_request_review', 'pull_request']
    await alice.must('POST', `${api}/hooks`, { type, active: true, events, config })
  }
  await alice.must('POST', `${api}/pulls`, { title: 'A change', body: 'why', head: 'topic', base: 'main' })
  await alice.must('POST', `${api}/pulls/1/requested_reviewers`, { reviewers: ['bob'] })
  const reviews = { COMMENT: 'words', REQUEST_CHANGES: 'no', APPROVED: 'yes' }
  for (const [event, body] of Object.entries(reviews)) {
    await bob.must('POST', `${api}/pulls/1/reviews`, { event, body })
  }
  const { json: comment } = await alice.must('POST', `${api}/issues/1/comments`, { body: 'a remark' })
  await alice.must('PATCH', `${api}/issues/comments/${comment.id}`, { body: 'another remark' })
  await alice.must('DELETE', `${api}/issues/comments/${comment.id}`)
  await bob.must('POST', `${api}/forks`, {})
  const page = { title: 'Home', content_base64: 'aGk=' }
  await alice.must('POST', `${api}/wiki/new`, { ...page, message: 'begin\n\nmore' })
  await alice.must('PATCH', `${api}/wiki/page/Home`, { ...page, content_base64: 'aG8=', message: 'go <on>' })
  await alice.must('DELETE', `${api}/wiki/page/Home`)
  await forge.settle()

  const of = (type: string) => receiver.got.filter(({ path }) => path === `/hook/${type}`).map(({ json }) => json)
  assert.deepEqual(
    of('discord').map(({ embeds: [embed] }) => [embed.title, embed.color, embed.description]),
    [
      ['[alice/home] Pull request opened: #1 A change', green, 'why'],
      ['[alice/home] Pull request review requested: #1 A change', yellow, ''],
      ['[alice/home] Pull request review comment: #1 A change', grey, 'words'],
      ['[alice/home] Pull request review rejected: #1 A change', red, 'no'],
      ['[alice/home] Pull request review approved: #1 A change', green, 'yes'],
      ['[alice/home] New comment on pull request #1 A change', lightGreen, 'a remark'],
      ['[alice/home] Comment edited on pull request #1 A change', yellow, 'another remark'],
      ['[alice/home] Comment deleted on pull request #1 A change', red, 'another remark'],
      ['alice/home is forked to bob/home', green, ''],
      [`[alice/home] New wiki page 'Home' (begin)`, green, ''],
      [`[alice/home] Wiki page 'Home' edited (go <on>)`, yellow, ''],
      [`[alice/home] Wiki page 'Home' deleted`, red, ''],
    ],
  )
  assert.equal(
    of('feishu')[3].content.text,
    '[alice/home] Pull request review rejected: #1 A change by bob\r\n\r\nno',
    'Feishu shows what the reviewer wrote',
  )
  const base = forge.url
  assert.deepEqual(
    of('slack')
      .slice(-4)
      .map(({ text }) => text),
    [
      `<${base}/alice/home|alice/home> is forked to <${base}/bob/home|bob/home>`,
      `[alice/home] New wiki page '<${base}/alice/home/wiki/Home|Home>' (begin) by alice`,
      `[alice/home] Wiki page '<${base}/alice/home/wiki/Home|Home>' edited (go &lt;on&gt;) by alice`,
      `[alice/home] Wiki page '<${base}/alice/home/wiki/Home|Home>' deleted by alice`,
    ],
  )
})

test('repoCreatePullReview: the payload of an approval shows the mail of the organization and the permissions', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await using receiver = await Receiver.start()
  const alice = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await alice.must('PATCH', '/orgs/guild', { email: 'guild@example.com' })
  const { json: repo } = await alice.must('POST', '/orgs/guild/repos', { name: 'home', auto_init: true })
  const api = `/repos/${repo.full_name}`
  await alice.must('PUT', `${api}/collaborators/bob`, { permission: 'write' })
  await commitFiles(forge, api, { a: 'a' }, { newBranch: 'topic' })
  await alice.must('POST', `${api}/pulls`, { title: 'A change', head: 'topic', base: 'main' })
  const config = { url: receiver.url, content_type: 'json' }
  await alice.must('POST', `${api}/hooks`, { type: 'gitea', active: true, events: ['pull_request_review'], config })
  await forge.as('bob').must('POST', `${api}/pulls/1/reviews`, { event: 'APPROVED', body: 'yes' })
  await forge.settle()
  const [{ json: payload } = assert.fail('nothing was delivered')] = receiver.got
  const { repository, pull_request: pull } = payload
  assert.deepEqual(
    [repository.owner.email, repository.permissions, pull.base.repo.owner.email, pull.base.repo.permissions],
    [
      'guild@example.com',
      { admin: false, push: false, pull: true },
      'guild@example.com',
      { admin: false, push: true, pull: true },
    ],
  )
})
