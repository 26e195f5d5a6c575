import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startForge } from '../../testing/forge.ts'
import { isDefined, openAs, reachValue, skip } from '../shell/scripts.test-support.ts'
import { givenChanges } from './review.test-support.ts'

/** Where the focus is: the id of a line, the file of a head, the name of a conversation, or the element. */
const place = `(() => {
  const element = document.activeElement
  const row = element.closest('.diff-table tr')
  if (row) return row.id || element.closest('td').id || element.closest('td').previousElementSibling.id
  if (element.matches('.diff-file summary')) return element.closest('turbo-frame').id
  return element.matches('.thread') ? element.ariaLabel : element.localName
})()`
const reach = (page: Page, expected: string) => reachValue(page, place, expected)
/** The scripts of the keys are loaded late, so the first key is pressed until it has an effect. */
const pressFirst = async (page: Page, key: string) => {
  await page.locator('[data-change-keys]').waitFor({ state: 'attached' })
  while ((await page.evaluate(place)) === 'body') await page.keyboard.press(key)
}
const says = (page: Page, text: string) =>
  reachValue(page, `document.querySelector('[data-change-status]').textContent`, text)
const text = `document.querySelector('.line-form:has(.line-range) textarea')?.value`
/** Presses the Tab key until a button has the focus, and then Enter. */
const pressButton = async (page: Page, name: string) => {
  const isThere = `document.activeElement.localName === 'button' && document.activeElement.textContent.trim() === ${JSON.stringify(name)}`
  for (let left = 60; left > 0 && !(await page.evaluate(isThere)); left--) await page.keyboard.press('Tab')
  assert.ok(await page.evaluate(isThere), `the Tab key reaches ${name}`)
  await page.keyboard.press('Enter')
}

test('a pull request is reviewed by keyboard alone', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { api, files } = await givenChanges(forge)
  await using it = await openAs(forge, 'bob')
  const { page, wrong } = it
  const press = (key: string) => page.keyboard.press(key)
  await page.goto(files)

  await pressFirst(page, 'n')
  await reach(page, 'diff-0')
  await press('n')
  await reach(page, 'diff-1')
  await press('n')
  await says(page, 'This is the last file.')
  await press('p')
  await reach(page, 'diff-0')

  await press('j')
  await reach(page, 'diff-0-L3')
  await press('s')
  await says(page, 'Go to a line of the new version first.')
  await press('j')
  await reach(page, 'diff-0-L25')
  await press('k')
  await reach(page, 'diff-0-L3')
  await press('ArrowDown')
  await press('ArrowDown')
  await reach(page, 'diff-0-R4')
  assert.notEqual(
    await page.evaluate(`getComputedStyle(document.activeElement.closest('td')).boxShadow`),
    'none',
    'the line of the cursor is visible',
  )

  // A suggestion begins with the lines that are marked.
  await press('Shift+J')
  await says(page, 'Marked lines: 4–5')
  await press('Shift+J')
  await says(page, 'Marked lines: 4–6')
  await press('Shift+K')
  await says(page, 'Marked lines: 4–5')
  await press('s')
  await reachValue(page, text, '```suggestion\nline 4\nline 5\n```\n')
  await reach(page, 'textarea')
  await page.keyboard.type('shorter')
  await reachValue(page, text, '```suggestion\nshorter\n```\n')
  await pressButton(page, 'Start a review')
  await page.locator('#diff-0 .thread').waitFor()
  await reach(page, 'diff-0-R5')

  // A removed line takes a comment and no suggestion.
  await press('j')
  await reach(page, 'diff-0-L25')
  await press('c')
  await page.locator('.line-range').waitFor()
  await reach(page, 'textarea')
  assert.equal(await page.locator('[data-suggest]').count(), 0)
  await page.keyboard.type('Keep this')
  await pressButton(page, 'Add to the review')
  await page.locator('#diff-0 .thread', { hasText: 'Keep this' }).waitFor()
  await reach(page, 'diff-0-L25')

  await press(']')
  await reach(page, 'Comment on first.txt, line 25')
  await press(']')
  await reach(page, 'Comment on second.txt, line 1')
  await press(']')
  await says(page, 'No further open conversation.')
  await press('[')
  await reach(page, 'Comment on first.txt, line 25')
  await press('n')
  await press('v')
  await page.locator('#diff-1 .viewed-button[aria-pressed=true]').waitFor()
  await reach(page, 'diff-1')
  await press('p')
  await reach(page, 'diff-0')

  await press('a')
  await reach(page, 'textarea')
  await page.keyboard.type('Nearly')
  await pressButton(page, 'Submit review')
  await page.getByText('The review is submitted').first().waitFor()
  const reviews = (await forge.as('bob').get(`${api}/reviews`)).json
  const sent = reviews.find((each: { body: string }) => each.body === 'Nearly')
  const comments = (await forge.as('bob').get(`${api}/reviews/${sent.id}/comments`)).json
  assert.deepEqual(
    comments.map((each: { body: string }) => each.body.trim()).toSorted(),
    ['Keep this', '```suggestion\nshorter\n```'].toSorted(),
  )
  assert.deepEqual(wrong, [])
})

test('changed files have a tab stop for each line, headings, and keys in two columns too', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { files } = await givenChanges(forge)
  await using it = await openAs(forge, 'bob')
  const { page, wrong } = it
  const stops = `[...document.querySelectorAll('.diff-table tr')].map((row) => row.querySelectorAll('a:not([tabindex])').length)`
  await page.goto(files)
  assert.deepEqual(new Set(await page.evaluate<number[]>(stops)), new Set([1]))
  const headings = `[...document.querySelectorAll('main :is(h1, h2, h3)')].map((each) => each.localName + ' ' + each.textContent.trim())`
  assert.deepEqual((await page.evaluate<string[]>(headings)).slice(-3), [
    'h2 first.txt',
    'h2 second.txt',
    'h3 Comment on second.txt, line 1',
  ])

  // Two sides of a changed line are two lines.
  await page.goto(`${files}?style=split`)
  const perLine = `[...document.querySelectorAll('.diff-table tr')].every((row) =>
    row.querySelectorAll('a:not([tabindex])').length === (row.querySelectorAll('.num.added, .num.removed').length || 1))`
  assert.equal(await page.evaluate(perLine), true)
  await pressFirst(page, 'j')
  await reach(page, 'diff-0-R3')
  await page.keyboard.press('Shift+ArrowDown')
  await says(page, 'Marked lines: 3–4')
  await page.keyboard.press('s')
  await reachValue(page, text, '```suggestion\nline 3 changed\nline 4\n```\n')
  assert.deepEqual(wrong, [])
})

test('the list of keys has those of changed files and of this machine', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { files } = await givenChanges(forge)
  for (const [platform, expected] of [
    ['Linux x86_64', 'Ctrl+K'],
    ['MacIntel', '⌘K'],
  ] as const) {
    await using it = await openAs(forge)
    const { page } = it
    await page.addInitScript(`Object.defineProperty(navigator, 'platform', { get: () => '${platform}' })`)
    await page.goto(files)
    await page.locator('#shortcuts').waitFor({ state: 'attached' })
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await isDefined(page, 'turbo-frame')
    await page.keyboard.press('?')
    await list.waitFor()
    const keys = await list.locator('kbd').allInnerTexts()
    assert.ok(keys.includes(expected), keys.join(' '))
    assert.ok(keys.includes('Shift+J'), keys.join(' '))
    assert.equal(await list.getByText('Next open conversation').count(), 1)
  }
})
