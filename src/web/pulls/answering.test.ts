import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { startForge } from '../../testing/forge.ts'
import { openAs, reachValue, skip } from '../shell/scripts.test-support.ts'
import { givenChanges } from './review.test-support.ts'

const newComment = `document.querySelector('#new_comment').value`
const body = 'Look, **bold** and `code` for @alice:\n\n- one\n- [two](https://example.com/)\n\n```js\nlet a = 1\n```'
const quoted =
  '> Look, **bold** and `code` for @alice:\n>\n> -   one\n> -   [two](https://example.com/)\n>\n> ```js\n> let a = 1\n> ```\n\n'

/** Selects the text of an element. */
const select = (page: Page, selector: string) =>
  page.evaluate(`getSelection().selectAllChildren(document.querySelector(${JSON.stringify(selector)}))`)

test('comments are quoted as Markdown, whole or the selected part, by the menu and by a key', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, at, files } = await givenChanges(forge)
  const { json: issue } = await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'An issue', body })
  await using it = await openAs(forge, 'bob')
  const { page, wrong } = it
  await page.goto(`/${repo.fullName}/issues/${issue.number}`)
  const opening = page.locator(`#issue-${issue.number}`)
  await opening.getByLabel('Acts for this comment').click()
  await opening.getByRole('button', { name: 'Quote reply' }).click()
  await reachValue(page, newComment, quoted)
  await page.keyboard.type('Yes.')
  await select(page, `#issue-${issue.number} .markdown li:first-child`)
  await page
    .locator('h1')
    .focus()
    .catch(() => undefined)
  await page.evaluate(`document.activeElement.blur()`)
  await page.keyboard.press('r')
  await reachValue(page, newComment, `${quoted}Yes.\n\n> one\n\n`)
  // The text is sent by the keys of every form.
  await page.keyboard.type('That one.')
  await page.keyboard.press('Control+Enter')
  await page.locator('.comment-frame', { hasText: 'That one.' }).waitFor()
  assert.equal((await forge.as('bob').get(`${repo.api}/issues/${issue.number}`)).json.state, 'open')

  // The comment with the focus, and in a conversation about lines the answer there.
  await page.goto(at)
  const thread = page.locator('.thread').first()
  await thread.locator('.comment-head a').first().focus()
  await page.keyboard.press('r')
  await reachValue(page, `document.querySelector('.thread-reply[open] textarea')?.value`, '> Why one?\n\n')
  await page.keyboard.type('Because.')
  await page.keyboard.press('Control+Enter')
  await page.locator('.thread', { hasText: 'Because.' }).waitFor()
  await page.goto(files)
  assert.equal(await page.locator('[data-hotkey=r]').count(), 1)
  assert.deepEqual(wrong, [])
})

test(
  'the keys send forms with a text: a new issue, a file, and nothing of a form without a text',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const { repo } = await givenChanges(forge)
    await using it = await openAs(forge, 'bob')
    const { page, wrong } = it
    await page.goto(`/${repo.fullName}/issues/new`)
    await page.getByLabel('Title').fill('By keys')
    await page.locator('textarea[name=content]').fill('Typed')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { level: 1, name: /By keys/ }).waitFor()
    const before = page.url()
    await page.locator('.site-search input').focus()
    await page.keyboard.press('Control+Enter')
    assert.equal(page.url(), before)
    await page.goto(`/${repo.fullName}/_edit/main/first.txt`)
    await page.locator('.code-editor .cm-content').click()
    await page.keyboard.type('typed ')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/src\/branch\/main\/first\.txt/)
    const file = (await forge.as('bob').get(`${repo.api}/contents/first.txt?ref=main`)).json
    assert.match(Buffer.from(file.content, 'base64').toString(), /typed /)
    assert.deepEqual(wrong, [])
  },
)

test('commentOnLine: a refused comment is in its form at the line again, as typed', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { files } = await givenChanges(forge)
  await using it = await openAs(forge, 'bob')
  const { page } = it
  await page.goto(`${files}?style=split`)
  await page.locator('#diff-0-R3 + td a.plus').click({ force: true })
  const form = page.locator('#diff-0 .line-form')
  await form.locator('textarea').fill('Several words here')
  await form.getByLabel('to line').fill('400')
  await form.getByRole('button', { name: 'Comment now' }).click()
  await form.locator('[role=alert]:not(:empty)').first().waitFor()
  assert.equal(await form.locator('textarea').inputValue(), 'Several words here')
  assert.equal(await form.getByLabel('to line').inputValue(), '400')
  assert.equal(await page.locator('#diff-0 .diff-lines.split').count(), 1, 'the layout stays')
  assert.equal(await page.locator('#typed-texts').count(), 0)
  await form.getByLabel('to line').fill('4')
  await form.getByRole('button', { name: 'Comment now' }).click()
  await page.locator('#diff-0 .thread', { hasText: 'Several words here' }).waitFor()
})

test('tickIssueTask: task boxes stay alive after a tick, a lost network and a refusal', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo } = await givenChanges(forge)
  const tasks = '- [ ] one\n- [ ] two\n- [ ] three'
  const { json: issue } = await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'Tasks', body: tasks })
  const api = `${repo.api}/issues/${issue.number}`
  const bodyNow = async () => (await forge.as('bob').get(api)).json.body
  await using it = await openAs(forge, 'bob')
  const { page } = it
  // The page does not hear of the change of somebody else.
  await page.route('**/live?*', (route) => route.abort())
  await page.goto(`/${repo.fullName}/issues/${issue.number}`)
  await page.evaluate(`window.isSamePage = true`)
  const box = (name: string) => page.getByRole('checkbox', { name })
  await box('one').click()
  await page.locator('[data-tasks][data-version="1"]').waitFor()
  await reachValue(page, `document.activeElement.ariaLabel`, 'one')
  await box('two').click()
  await page.locator('[data-tasks][data-version="2"]').waitFor()
  assert.equal(await page.evaluate(`window.isSamePage`), true, 'the page is the same')
  assert.equal(await bodyNow(), '- [x] one\n- [x] two\n- [ ] three')

  await page.route('**/tasks', (route) => route.abort())
  await box('three').click()
  await page.getByText('The task could not be sent.').waitFor()
  assert.deepEqual([await box('three').isChecked(), await box('three').isEnabled()], [false, true])
  await page.unroute('**/tasks')
  await box('three').click()
  await page.locator('[data-tasks][data-version="3"]').waitFor()
  assert.equal(await page.getByText('The task could not be sent.').count(), 0)

  await forge.as('alice').must('PATCH', api, { body: '- [ ] new' })
  await box('one').click()
  await page.getByText('Somebody changed this text meanwhile').first().waitFor()
  await box('new').click()
  await page.locator('[data-tasks][data-version="5"]').waitFor()
  assert.equal(await bodyNow(), '- [x] new')
})

test(
  'pullFilesPage: both versions of an image are laid over each other by swiping and as an overlay',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const { repo } = await givenChanges(forge)
    const image = (colour: number) =>
      sharp({ create: { width: 40, height: 30, channels: 3, background: { r: colour, g: 0, b: 0 } } })
        .png()
        .toBuffer()
    const put = async (branch: string, from: string, content: Buffer, sha?: string) =>
      forge.as('alice').must(sha === undefined ? 'POST' : 'PUT', `${repo.api}/contents/picture.png`, {
        content: content.toString('base64'),
        branch: from,
        ...(branch === from ? {} : { new_branch: branch }),
        ...(sha === undefined ? {} : { sha }),
      })
    const { json } = await put('main', 'main', await image(10))
    await put('picture', 'main', await image(200), json.content.sha)
    const { json: pull } = await forge
      .as('alice')
      .must('POST', `${repo.api}/pulls`, { head: 'picture', base: 'main', title: 'A picture' })
    await using it = await openAs(forge, 'bob')
    const { page, wrong } = it
    await page.goto(`/${repo.fullName}/pulls/${pull.number}/files`)
    const places = `JSON.stringify([...document.querySelectorAll('.diff-sides img')].map((image) => Math.round(image.getBoundingClientRect().left)))`
    const share = page.getByRole('slider')
    assert.equal(await share.isVisible(), false)
    await page.getByRole('button', { name: 'Swipe' }).click()
    await share.waitFor()
    const [one, other] = JSON.parse(await page.evaluate<string>(places)) as number[]
    assert.equal(one, other, 'one is over the other')
    await share.focus()
    await page.keyboard.press('End')
    const clip = `getComputedStyle(document.querySelectorAll('.diff-sides img')[1]).clipPath`
    await reachValue(page, clip, 'inset(0px 0px 0px 0%)')
    await page.getByRole('button', { name: 'Overlay' }).click()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Home')
    await reachValue(page, `getComputedStyle(document.querySelectorAll('.diff-sides img')[1]).opacity`, '0')
    await page.getByRole('button', { name: 'Side by side' }).click()
    assert.equal(await share.isVisible(), false)
    assert.deepEqual(wrong, [])
  },
)

test(
  'pullPage: a menu at the side saves its choices when it closes, and Escape takes them back',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const { repo, api, at } = await givenChanges(forge)
    const names = ['bug', 'docs', 'later']
    for (const name of names) await forge.as('alice').must('POST', `${repo.api}/labels`, { name, color: '#ff0000' })
    const labels = async () => {
      const { json } = await forge.as('bob').get(api)
      return json.labels.map((each: { name: string }) => each.name)
    }
    await using it = await openAs(forge, 'bob')
    const { page, wrong } = it
    const posts: string[] = []
    page.on('request', (request) => request.method() === 'POST' && posts.push(new URL(request.url()).pathname))
    await page.goto(at)
    const menu = page.locator('.side-part', { has: page.getByRole('heading', { name: 'Labels', exact: true }) })
    const open = async () => {
      await menu.locator('summary').first().click()
      await menu.locator('.choice-menu').waitFor()
    }
    await open()
    await menu.getByLabel('bug').check()
    await page.keyboard.press('Escape')
    await open()
    assert.equal(await menu.getByLabel('bug').isChecked(), false)
    await menu.getByLabel('docs').check()
    await menu.getByLabel('later').check()
    await page.getByRole('heading', { level: 1 }).click()
    await menu.locator('.side-value', { hasText: 'docs' }).waitFor()
    assert.deepEqual((await labels()).toSorted(), ['docs', 'later'])
    // Without a change nothing is sent, and the button sends once.
    await open()
    await page.getByRole('heading', { level: 1 }).click()
    await open()
    await menu.getByLabel('docs').uncheck()
    await menu.getByRole('button', { name: 'Apply' }).click()
    await menu.locator('.side-value:not(:has-text("docs"))').waitFor()
    assert.deepEqual(await labels(), ['later'])
    assert.equal(posts.length, 2, posts.join(' '))
    assert.deepEqual(wrong, [])
  },
)

test(
  'pullPage: a click elsewhere saves the choices of an open menu and then does what it is for',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const { repo, api, at } = await givenChanges(forge)
    for (const name of ['bug', 'docs']) {
      await forge.as('alice').must('POST', `${repo.api}/labels`, { name, color: '#ff0000' })
    }
    const now = async () => {
      const { json } = await forge.as('bob').get(api)
      return [json.labels.map((each: { name: string }) => each.name).toSorted(), json.state]
    }
    await using it = await openAs(forge, 'bob')
    const { page, wrong } = it
    await page.goto(at)
    const menu = page.locator('.side-part', { has: page.getByRole('heading', { name: 'Labels', exact: true }) })
    const choose = async (name: string) => {
      await menu.locator('summary').first().click()
      await menu.getByLabel(name).check()
    }
    await choose('bug')
    await page.locator('.tabs a[href$="/files"]').first().click()
    await page.locator('.diff-file').first().waitFor()
    assert.deepEqual(await now(), [['bug'], 'open'])
    await page.goto(at)
    await choose('docs')
    await page.locator('button[name=state], button[value=close], button:has-text("Close pull request")').first().click()
    await page.locator('.state', { hasText: 'Closed' }).first().waitFor()
    assert.deepEqual(await now(), [['bug', 'docs'], 'closed'])
    assert.deepEqual(wrong, [])
  },
)
