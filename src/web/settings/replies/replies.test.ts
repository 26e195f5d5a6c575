import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { openAs, reachValue, skip } from '../../shell/scripts.test-support.ts'

const at = '/user/settings/replies'

test('repliesPage, replyPage, addReplySubmit, editReplySubmit, deleteReplySubmit: a person keeps replies, and nobody else sees them', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  assert.match((await alice.get(at)).text, /No saved replies yet/)
  const empty = await alice.submit(at, at, { title: ' ', content: 'kept text' })
  assert.equal(empty.status, 422)
  assert.match(empty.text, /kept text/)
  const made = await alice.submit(at, at, { title: 'Thanks', content: 'Thank you\r\nfor the report.' })
  assert.deepEqual([made.status, made.headers.get('location')], [303, at])
  const { text } = await alice.get(at)
  const id = /replies\/(\d+)"/.exec(text)?.[1] ?? ''
  assert.match((await alice.get('/-/replies')).text, /data-reply="Thank you\nfor the report\."/)
  assert.doesNotMatch((await bob.get('/-/replies')).text, /Thank/)
  const csrf = await bob.csrf('/user/settings')
  const fields = { _csrf: csrf, title: 'Mine', content: 'now' }
  assert.equal((await bob.get(`${at}/${id}`)).status, 404)
  assert.equal((await bob.post(`${at}/${id}`, fields)).status, 404)
  await bob.post(`${at}/${id}/delete`, { _csrf: csrf })
  assert.equal((await alice.submit(`${at}/${id}`, `${at}/${id}`, { title: 'Many thanks', content: 'x' })).status, 303)
  assert.match((await alice.get(at)).text, /Many thanks/)
  assert.equal((await alice.submit(at, `${at}/${id}/delete`)).status, 303)
  assert.match((await alice.get(at)).text, /No saved replies yet/)
})

test('addReplySubmit: a person has at most a hundred replies', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf('/user/settings')
  const add = (title: string) => alice.post(at, { _csrf: csrf, title, content: 'x' })
  for (let number = 1; number <= 100; number++) assert.equal((await add(`Reply ${number}`)).status, 303)
  assert.equal((await add('One more')).status, 422)
})

test('replyItems: a reply is found by its words and put into a comment by keys', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'a' })
  const alice = await Browser.of(forge, 'alice')
  for (const [title, content] of [
    ['Duplicate', 'This is known.'],
    ['Thanks', 'Thank you <b>very</b> much.'],
  ]) {
    await alice.submit(at, `action="${at}"`, { title: title ?? '', content: content ?? '' })
  }
  await using it = await openAs(forge, 'alice')
  const { page } = it
  await page.goto(`/${repo.fullName}/issues/1`)
  const field = page.locator('.comment-form textarea')
  await field.fill('Hello')
  await page.locator('.comment-form summary[aria-label="Insert a saved reply"]').focus()
  await page.keyboard.press('Enter')
  await page.locator('.comment-form [data-reply]').first().waitFor()
  await page.keyboard.type('thank')
  await reachValue(
    page,
    `document.querySelectorAll('.comment-form li:not([hidden]) > [data-reply]').length === 1`,
    true,
  )
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await reachValue(
    page,
    `document.querySelector('.comment-form textarea').value`,
    'Hello\n\nThank you <b>very</b> much.',
  )
  await reachValue(page, `document.activeElement === document.querySelector('.comment-form textarea')`, true)
  assert.deepEqual(it.wrong, [])
})
