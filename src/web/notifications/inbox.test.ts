import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { until } from '../../testing/until.ts'
import { openAs, reachValue, skip } from '../shell/scripts.test-support.ts'

const frame = `document.querySelector('turbo-frame.inbox-conversation')`

test(
  'notifications: on a wide window, a conversation opens beside the list and is answered there, by keys',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const repo = await forge.given.repo({ owner: 'alice' })
    for (const title of ['First', 'Second', 'Third']) {
      await forge.as('bob').must('POST', `${repo.api}/issues`, { title, body: 'look' })
    }
    await forge.settle()
    await using opened = await openAs(forge, 'alice')
    const { page, wrong } = opened
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/notifications')
    await reachValue(page, `${frame}.hasAttribute('disabled')`, false)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await reachValue(page, `${frame}.querySelector('h1')?.textContent.includes('Third') ?? false`, true)
    assert.equal(new URL(page.url()).pathname, '/notifications')
    await reachValue(page, `document.querySelector('[data-row-link][aria-current]')?.textContent.trim() ?? ''`, 'Third')
    await page.fill('.inbox-conversation textarea[name=content]', 'An answer')
    await page.keyboard.press('Control+Enter')
    await reachValue(page, `${frame}.textContent.includes('An answer')`, true)
    assert.equal(new URL(page.url()).pathname, '/notifications')
    const comments = (await forge.as('bob').must('GET', `${repo.api}/issues/3/comments`)).json
    assert.deepEqual(
      comments.map((each: { body: string }) => each.body),
      ['An answer'],
    )

    // The keys go on from the open row; marking leaves the conversation beside the list.
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('j')
    await reachValue(page, `document.activeElement.textContent.trim()`, 'Second')
    await page.keyboard.press('e')
    await reachValue(page, `document.querySelector('.inbox-list').textContent.includes('Second')`, false)
    await reachValue(page, `${frame}.textContent.includes('An answer')`, true)
    await page.keyboard.press('p')
    await until(
      async () => (await forge.as('alice').must('GET', '/notifications?status-types=pinned')).json.length === 1,
      'First is pinned',
    )
    assert.deepEqual(wrong, [])
  },
)

test(
  'notifications: on a narrow window, and where a frame has no conversation, a link opens its page',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const repo = await forge.given.repo({ owner: 'alice' })
    await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'First', body: `see /${repo.fullName}/labels` })
    await forge.settle()
    await using opened = await openAs(forge, 'alice')
    const { page, wrong } = opened
    await page.setViewportSize({ width: 800, height: 900 })
    await page.goto('/notifications')
    await page.click('[data-row-link]')
    await page.waitForURL(`**/${repo.fullName}/issues/1`)
    // The page of the issue would mark the answer as read.
    await page.goto('/notifications')
    await forge.as('bob').must('POST', `${repo.api}/issues/1/comments`, { body: 'again' })
    await forge.settle()
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/notifications')
    await reachValue(page, `${frame}.hasAttribute('disabled')`, false)
    await page.click('[data-row-link]')
    await reachValue(page, `${frame}.querySelector('h1')?.textContent.includes('First') ?? false`, true)
    await page.click(`.inbox-conversation a[href="/bob"]`)
    await page.waitForURL('**/bob')
    await reachValue(page, `document.title.includes('bob')`, true)
    assert.deepEqual(wrong, [])
  },
)
