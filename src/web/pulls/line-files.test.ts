import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { givenPull } from '../../testing/given-pull.ts'
import { drop } from '../issues/drop.test-support.ts'

test('commentOnLine, commentOnPull: a dropped file belongs to the comment that shows it, and goes with it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const pull = await givenPull(forge)
  const { repo } = pull
  const at = `/${repo.fullName}/pulls/${pull.number}`
  const line = `${at}/files?file=${pull.branch}.txt&line=0-R1`
  const alice = await Browser.of(forge, 'alice')
  const dropped = async (name: string) => {
    const { text, address } = await drop(alice, `/${repo.fullName}/issues/${pull.number}`, name)
    return { text, uuid: address.slice('/attachments/'.length) }
  }
  const filesOf = async (path: string) =>
    (await forge.as('alice').get(path)).json.map((file: { name: string }) => file.name)
  const ofText = `${repo.api}/issues/${pull.number}/assets`
  assert.match((await alice.get(line)).text, /<file-attachment/)
  assert.match((await (await Browser.of(forge, 'bob')).get(line)).text, /<file-attachment/)
  assert.doesNotMatch((await new Browser(forge).get(line)).text, /<file-attachment/)

  const [shown, kept, inComment] = [await dropped('line.txt'), await dropped('text.txt'), await dropped('talk.txt')]
  await forge.as('alice').must('PATCH', pull.api, { body: `See ${kept.text}` })
  const content = `Look: ${shown.text}, and ${kept.text}`
  const sent = { mode: 'single', content, line: '1', first: '1' }
  assert.equal((await alice.submit(line, '/files/reviews/comments', sent)).status, 303)
  assert.equal((await alice.submit(at, `${at}/comments`, { content: inComment.text })).status, 303)
  assert.deepEqual(await filesOf(ofText), ['text.txt'], 'the file of the text stays')
  const [talk] = (await forge.as('alice').get(`${repo.api}/issues/${pull.number}/comments`)).json
  assert.deepEqual(
    talk.assets.map((file: { name: string }) => file.name),
    ['talk.txt'],
  )
  const files = (await alice.get(`${at}/files`)).text
  assert.match(files, new RegExp(`attached-files[^]*${shown.uuid}[^]*line\\.txt`))

  const [review] = (await forge.as('alice').get(`${pull.api}/reviews`)).json
  const download = () => new Browser(forge).get(`/attachments/${shown.uuid}`)
  assert.equal((await download()).status, 200)
  assert.equal((await forge.as('alice').delete(`${pull.api}/reviews/${review.id}`)).status, 204)
  await forge.settle()
  assert.equal((await download()).status, 404)
  assert.deepEqual(await filesOf(ofText), ['text.txt'])
})

test('repoCreatePullReview: each comment of a review gets the files that it shows, the first one what both show', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const pull = await givenPull(forge)
  const issue = `/${pull.repo.fullName}/issues/${pull.number}`
  const alice = await Browser.of(forge, 'alice')
  const [both, second] = [await drop(alice, issue, 'both.txt'), await drop(alice, issue, 'second.txt')]
  const line = { path: `${pull.branch}.txt`, new_position: 1 }
  await forge.as('alice').must('POST', `${pull.api}/reviews`, {
    event: 'COMMENT',
    body: 'Two remarks',
    comments: [
      { ...line, body: `One ${both.text}` },
      { ...line, body: `Two ${second.text} and ${both.text}` },
      { ...line, body: 'Three' },
    ],
  })
  const { text } = await alice.get(`/${pull.repo.fullName}/pulls/${pull.number}/files`)
  const names = text
    .split('data-comment="')
    .slice(1)
    .map((comment) => [...comment.matchAll(/download="([^"]*)"/g)].map(([, name]) => name))
  assert.deepEqual(names, [['both.txt'], ['second.txt'], []])
})
