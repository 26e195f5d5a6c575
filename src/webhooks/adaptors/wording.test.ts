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
  for (const type of ['discord', 'feishu', 'slack', 'dingtalk', 'wechatwork']) {
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
  const base = forge.url
  const texts = {
    slack: of('slack').map(({ text }) => text),
    feishu: of('feishu').map(({ content }) => content.text),
    dingtalk: of('dingtalk').map(({ actionCard }) => actionCard.text),
    wechatwork: of('wechatwork').map(({ markdown }) => markdown.content),
  }
  const [words, no, yes] = ['comment', 'rejected', 'approved'].map(
    (verdict) => `[alice/home] Pull request review ${verdict} : #1 A change`,
  )
  const told = [`${words}\r\n\r\nwords`, `${no}\r\n\r\nno`, `${yes}\r\n\r\nyes`]
  assert.deepEqual(texts.feishu.slice(2, 5), told)
  assert.deepEqual(texts.dingtalk.slice(2, 5), told)
  assert.equal(of('dingtalk')[2].actionCard.title, words)
  assert.deepEqual(texts.wechatwork.slice(2, 5), [
    `# ${words}\r\n\r\n >words`,
    `# ${no}\r\n\r\n >no`,
    `# ${yes}\r\n\r\n >yes`,
  ])
  assert.deepEqual(
    texts.slack.slice(2, 5),
    ['comment', 'rejected', 'approved'].map(
      (verdict) => `[alice/home] Pull request review ${verdict}: [#1 A change](${base}/alice/home/pulls/1) by bob`,
    ),
  )
  assert.deepEqual(
    of('slack')
      .slice(2, 5)
      .map(({ attachments }) => attachments),
    [null, null, null],
  )
  const forked = 'alice/home is forked to bob/home'
  assert.deepEqual([texts.feishu[8], texts.dingtalk[8], texts.wechatwork[8]], [forked, forked, forked])
  assert.equal(of('dingtalk')[8].actionCard.singleTitle, 'view forked repo bob/home')
  const pullUrl = `${base}/alice/home/pulls/1`
  assert.equal(
    texts.wechatwork[0],
    [
      ' > <font color="info">[alice/home] Pull request opened: #1 A change by alice</font>',
      ' > <font color="comment">#1 A change</font>',
      ' > <font color="comment">why</font>',
      ` [${pullUrl}](${pullUrl})`,
    ].join(' \r\n'),
  )
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
