import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { skip } from '../src/testing/chromium.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import type { GivenRepo } from '../src/testing/given.ts'
import { until } from '../src/testing/until.ts'
import { Person, together } from './team.test-support.ts'

const lines = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join('')
const encoded = (text: string) => Buffer.from(text).toString('base64')

/** A repository with two issues and a pull request that adds a file of 3,000 lines. */
async function given(forge: Forge): Promise<GivenRepo> {
  const repo = await forge.given.repo({ owner: 'alice', name: 'anvil' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents/tongs.txt`, { content: encoded(lines(30, 'tongs')) })
  await forge.given.issue({ repo, title: 'The first one' })
  await forge.given.issue({ repo, title: 'The second one' })
  await alice.must('POST', `${repo.api}/contents/long.txt`, {
    content: encoded(lines(3000, 'long')),
    new_branch: 'long',
  })
  await alice.must('POST', `${repo.api}/pulls`, { title: 'A long file', base: 'main', head: 'long' })
  return repo
}

const hashOf = (page: Page) => new URL(page.url()).hash

/** Clicks, shift-clicks and drags over line numbers; the address says which lines are marked. */
async function chooseLines({ page }: Person): Promise<void> {
  const number = (line: number) => page.locator(`[data-lines] a[href="#L${line}"]`)
  const marked = page.locator('.is-marked')
  await page.goto('/alice/anvil/src/branch/main/tongs.txt')
  await number(3).click()
  assert.deepEqual([hashOf(page), await marked.count()], ['#L3', 1])
  await number(6).click({ modifiers: ['Shift'] })
  assert.deepEqual([hashOf(page), await marked.count()], ['#L3-L6', 4])
  await page.reload()
  await marked.nth(3).waitFor()
  await number(8).hover()
  await page.mouse.down()
  await number(12).hover()
  await page.mouse.up()
  assert.deepEqual([hashOf(page), await marked.count()], ['#L8-L12', 5])
}

/** A comment on the marked lines of a long difference takes what is typed. */
async function commentOnLines({ page }: Person): Promise<void> {
  await page.goto('/alice/anvil/pulls/3/files')
  const row = (line: number) => page.locator(`#diff-0-R${line}`)
  await page.getByRole('link', { name: 'Show changes' }).click()
  await row(10).locator('a[data-line]').click()
  await row(14)
    .locator('a[data-line]')
    .click({ modifiers: ['Shift'] })
  assert.equal(hashOf(page), '#diff-0-R10-R14')
  await row(14).hover()
  await row(14).locator('a.plus').click()
  const text = page.getByRole('textbox', { name: 'Comment on long.txt, lines 10–14' })
  await text.pressSequentially('Why so long?')
  assert.equal(await text.inputValue(), 'Why so long?')
  assert.equal(await page.locator('tr[id^="diff-0-R"]').count(), 3000)
}

/** Keys open the palette, the list of keys, the issues and one of them. */
async function useKeys({ page }: Person): Promise<void> {
  const { keyboard } = page
  await page.goto('/')
  await keyboard.press('Control+k')
  const palette = page.locator('#palette')
  await palette.getByRole('combobox').waitFor()
  // A person may type faster than the server answers.
  await keyboard.type('anvil')
  await keyboard.press('Enter')
  await page.waitForURL('**/alice/anvil')
  await keyboard.press('?')
  await page.locator('#shortcuts').getByRole('heading').first().waitFor()
  await keyboard.press('Escape')
  await page.locator('#shortcuts').waitFor({ state: 'hidden' })
  await keyboard.press('g')
  await keyboard.press('i')
  await page.waitForURL('**/alice/anvil/issues')
  await page.getByRole('link', { name: 'The first one' }).waitFor()
  const focused = page.locator(':focus')
  await keyboard.press('j')
  assert.equal(await focused.textContent(), 'The second one')
  await keyboard.press('j')
  assert.equal(await focused.textContent(), 'The first one')
  await keyboard.press('k')
  await keyboard.press('Enter')
  await page.waitForURL('**/alice/anvil/issues/2')
}

/** A picture of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** Puts a picture on the text area as a drop or from the clipboard does. */
const give = (page: Page, way: 'drop' | 'paste', name: string) =>
  page.locator('#new_comment').evaluate(
    (field, { kind, file, base64 }) => {
      const data = new DataTransfer()
      const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))
      data.items.add(new File([bytes], file, { type: 'image/png' }))
      const event =
        kind === 'drop'
          ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      field.dispatchEvent(event)
    },
    { kind: way, file: name, base64: pixel },
  )

/** Dropped and pasted pictures become a part of the comment, and a comment of another person leaves the draft alone. */
async function attachFiles({ page }: Person, forge: Forge, repo: GivenRepo): Promise<void> {
  await page.goto('/alice/anvil/issues/1')
  const text = page.locator('#new_comment')
  await text.fill('See ')
  await text.press('End')
  await give(page, 'drop', 'dropped.png')
  await until(
    async () => (await text.inputValue()).includes('![dropped.png](/attachments/'),
    'dropped.png in the comment',
  )
  await give(page, 'paste', 'pasted.png')
  await until(
    async () => (await text.inputValue()).includes('![pasted.png](/attachments/'),
    'pasted.png in the comment',
  )
  const draft = await text.inputValue()
  await forge.as('bob').must('POST', `${repo.api}/issues/1/comments`, { body: 'From another person.' })
  await page.getByText('From another person.').waitFor()
  assert.equal(await text.inputValue(), draft)
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  for (const name of ['dropped.png', 'pasted.png']) {
    const picture = page.locator('#timeline').getByRole('img', { name })
    await picture.waitFor()
    await until(() => picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth === 1), name)
  }
}

test('pages: lines, keys and files by hand', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await given(forge)
  await using alice = await Person.at(forge, 'alice')
  await together([alice], async () => {
    await alice.signIn()
    await chooseLines(alice)
    await commentOnLines(alice)
    await useKeys(alice)
    await attachFiles(alice, forge, repo)
  })
})
