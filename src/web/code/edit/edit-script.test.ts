import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startForge, type Forge } from '../../../testing/forge.ts'
import { commitFiles } from '../../../testing/given-pull.ts'
import { openAs, reachValue, skip } from '../../shell/scripts.test-support.ts'

/** The page of a file in the editor of alice. */
async function openFile(forge: Forge, files: Readonly<Record<string, string>>, path: string) {
  const repo = await forge.given.repo({ owner: 'alice' })
  await commitFiles(forge, repo, 'main', files)
  const it = await openAs(forge, 'alice')
  const { page } = it
  const open = async () => {
    await page.goto(`/${repo.fullName}/_edit/main/${path}`)
    await page.locator('.code-editor .cm-content').waitFor()
  }
  await open()
  return { repo, it, page, open }
}

const type = async (page: Page, keys: string, text: string) => {
  await page.locator('.cm-content').focus()
  await page.keyboard.press(keys)
  await page.keyboard.type(text)
}

const textOf = (page: Page) => page.locator('textarea[name=text]').inputValue()

test('editFilePage: the commit is in view, after a look at the preview and at the changes', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const lines = Array.from({ length: 300 }, (_, index) => `Line ${index}\n`)
  const { repo, it, page } = await openFile(forge, { 'long.md': `# Long\n\n${lines.join('\n')}` }, 'long.md')
  await using _ = it
  const commit = page.getByRole('button', { name: 'Commit changes' })
  await type(page, 'Control+Home', '**New** ')
  await reachValue(page, `scrollY < 400`, true)
  const inView = `(() => { const { top, bottom } = document.querySelector('.commit-bar').getBoundingClientRect(); return top > 0 && bottom <= innerHeight + 1 })()`
  await reachValue(page, inView, true)
  await page.getByRole('tab', { name: 'Your changes' }).click()
  await page.locator('.difference').waitFor()
  assert.deepEqual(await page.locator('.difference .removed .text').allTextContents(), ['# Long'])
  assert.deepEqual(await page.locator('.difference .added .text').allTextContents(), ['**New** # Long'])
  assert.equal(await page.locator('.difference tr').count(), 5)
  await page.getByRole('tab', { name: 'Preview' }).click()
  await page.locator('.editor-preview strong', { hasText: 'New' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await reachValue(page, `document.querySelector('#file_write').hidden`, false)
  // The name and the branch are at hand too.
  await page.locator('.commit-details > summary').click()
  await page.getByLabel('Description').fill('why')
  await page.getByLabel('Summary').fill('Begin with news')
  await commit.click()
  await page.getByText('The change is on the branch main').waitFor()
  const [made] = (await forge.as('alice').get(`${repo.api}/commits?limit=1`)).json
  assert.equal(made.commit.message.trim(), 'Begin with news\n\nwhy')
  assert.deepEqual(it.wrong, [])
})

test('editFilePage: Ctrl and Enter commits from the text', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { repo, it, page } = await openFile(forge, { 'a.txt': 'a\r\nb\n' }, 'a.txt')
  await using _ = it
  await type(page, 'Control+End', 'c')
  await page.keyboard.press('Control+Enter')
  await page.getByText('The change is on the branch main').waitFor()
  assert.equal((await forge.as('alice').get(`${repo.api}/raw/a.txt`)).text, 'a\r\nb\nc')
})

test(
  'editFilePage: a draft of a version that changed since is offered, compared, restored and discarded',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice'] })
    const { repo, it, page, open } = await openFile(forge, { 'a.txt': 'one\ntwo\n' }, 'a.txt')
    await using _ = it
    await type(page, 'Control+Home', 'my ')
    await reachValue(page, `Object.keys(localStorage).some((key) => key.startsWith('draft'))`, true)
    await commitFiles(forge, repo, 'main', { 'a.txt': 'one\ntwo\ntheirs\n' })
    await open()
    const offer = page.locator('[data-draft-offer]')
    await offer.waitFor()
    assert.equal(await textOf(page), 'one\ntwo\ntheirs\n')
    await offer.getByRole('button', { name: 'Show what differs' }).click()
    await offer.locator('.difference').waitFor()
    assert.deepEqual(await offer.locator('.removed .text').allTextContents(), ['one', 'theirs'])
    assert.deepEqual(await offer.locator('.added .text').allTextContents(), ['my one'])
    // What is typed meanwhile replaces no draft.
    await type(page, 'Control+End', 'newer')
    await open()
    await reachValue(page, `document.querySelector('textarea[name=text]').value`, 'one\ntwo\ntheirs\nnewer')
    await offer.getByRole('button', { name: 'Restore' }).click()
    assert.equal(await textOf(page), 'my one\ntwo\n')
    assert.equal((await page.locator('.cm-line').allTextContents()).join('\n'), 'my one\ntwo\n')
    // In turn, the newer text is offered.
    await offer.getByRole('button', { name: 'Restore' }).click()
    assert.equal(await textOf(page), 'one\ntwo\ntheirs\nnewer')
    await offer.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await offer.count(), 0)
    await open()
    await reachValue(page, `document.querySelector('textarea[name=text]').value`, 'one\ntwo\ntheirs\nnewer')
    assert.equal(await offer.count(), 0)
    assert.deepEqual(it.wrong, [])
  },
)
