import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startForge, type Forge } from '../../testing/forge.ts'
import { openAs, reachValue, skip } from '../shell/scripts.test-support.ts'

const color = '#112233'

async function givenBoard(forge: Forge) {
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice', name: 'plan' })
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  for (const name of ['status/todo', 'status/doing']) {
    // oxlint-disable-next-line no-await-in-loop -- their order is that of their ids
    await alice.must('POST', `${repo.api}/labels`, { name, color, exclusive: true })
  }
  for (const title of ['a', 'b', 'c']) {
    // oxlint-disable-next-line no-await-in-loop -- their order is that of their ids
    await alice.must('POST', `${repo.api}/issues`, { title })
  }
  const settings = { title: 'Flow', query: 'is:open', layout: 'board', grouping: 'label', label_scope: 'status' }
  const { json } = await alice.must('POST', `${repo.api}/views`, settings)
  return { api: `${repo.api}/views/${json.id}`, repo, path: `/${repo.fullName}/projects/${json.id}` }
}

/** The titles in the columns that the page shows. */
const shown = `JSON.stringify([...document.querySelectorAll('.board-column')].map((column) =>
  [...column.querySelectorAll('.card-title')].map((each) => each.textContent).join('')))`

const reachColumns = (page: Page, ...columns: readonly string[]) => reachValue(page, shown, JSON.stringify(columns))
const isIdle = `document.querySelector('[aria-busy]') === null`

/** The columns that the server has. */
async function stored(forge: Forge, api: string): Promise<string[]> {
  const { json } = await forge.as('alice').must('GET', `${api}/columns`)
  return Promise.all(
    json.map(async ({ value }: { value: string }) => {
      const list = await forge.as('alice').must('GET', `${api}/issues?column=${encodeURIComponent(value)}`)
      return list.json.map(({ title }: { title: string }) => title).join('')
    }),
  )
}

const card = (page: Page, title: string) =>
  page.locator('.board-card').filter({ has: page.getByRole('link', { name: title, exact: true }) })

/** Drags a card to a point of another element, in parts from 0 to 1 of its height. */
async function drag(page: Page, from: string, to: ReturnType<typeof card>, height: number): Promise<void> {
  const [source, target] = [await card(page, from).boundingBox(), await to.boundingBox()]
  assert.ok(source && target)
  await page.mouse.move(source.x + 20, source.y + source.height - 6)
  await page.mouse.down()
  await page.mouse.move(source.x + 30, source.y + source.height - 2, { steps: 3 })
  await page.mouse.move(target.x + target.width / 2, target.y + target.height * height, { steps: 5 })
  await page.mouse.move(target.x + target.width / 2 + 2, target.y + target.height * height, { steps: 2 })
  await page.mouse.up()
}

/** Waits for the script of boards, which is loaded late: a key moves the focus only then. */
async function startAt(page: Page, title: string): Promise<void> {
  await page.getByRole('link', { name: title, exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  while ((await page.evaluate('document.activeElement.textContent')) === title) {
    // oxlint-disable-next-line no-await-in-loop -- it waits
    await page.waitForTimeout(20)
    // oxlint-disable-next-line no-await-in-loop -- it waits
    await page.keyboard.press('ArrowDown')
  }
  await page.getByRole('link', { name: title, exact: true }).focus()
}

test('repositoryViewPage: cards are dragged to columns and places', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { api, path } = await givenBoard(forge)
  await using it = await openAs(forge, 'bob')
  const { page, wrong } = it
  await page.goto(path)
  await startAt(page, 'c')
  await reachColumns(page, 'cba', '', '')
  await drag(page, 'b', page.locator('[data-column="status/doing"] .cards'), 0.5)
  await reachColumns(page, 'ca', '', 'b')
  await drag(page, 'a', card(page, 'b'), 0.2)
  await reachColumns(page, 'c', '', 'ab')
  await drag(page, 'a', card(page, 'b'), 0.9)
  await reachColumns(page, 'c', '', 'ba')
  await reachValue(page, isIdle, true)
  assert.deepEqual(await stored(forge, api), ['c', '', 'ba'])
  await page.reload()
  await reachColumns(page, 'c', '', 'ba')
  assert.deepEqual(wrong, [])
})

test('repositoryViewPage: cards are moved by keys, and the page says where they are', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { api, path } = await givenBoard(forge)
  await using it = await openAs(forge, 'bob')
  const { page, wrong } = it
  const focused = 'document.activeElement.textContent'
  const says = `document.querySelector('[data-board-status]').textContent`
  await page.goto(path)
  await startAt(page, 'c')
  await page.keyboard.press('Shift+ArrowDown')
  await reachColumns(page, 'bca', '', '')
  await reachValue(page, says, 'Moved to No status, 2 of 3.')
  await page.keyboard.press('Shift+ArrowRight')
  await reachValue(page, says, 'Moved to todo, 1 of 1.')
  await page.keyboard.press('Shift+ArrowRight')
  await reachColumns(page, 'ba', '', 'c')
  await reachValue(page, focused, 'c')
  await page.keyboard.press('ArrowLeft')
  await reachValue(page, focused, 'b')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowUp')
  await reachColumns(page, 'b', 'a', 'c')
  await reachValue(page, isIdle, true)
  assert.deepEqual(await stored(forge, api), ['b', 'a', 'c'])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'a' }).waitFor()
  assert.deepEqual(wrong, [])
})

test('repositoryViewPage: a refused move puts the card back and says why', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { api, path, repo } = await givenBoard(forge)
  await using it = await openAs(forge, 'bob')
  const { page } = it
  await page.goto(path)
  await startAt(page, 'b')
  const { json: labels } = await forge.as('alice').must('GET', `${repo.api}/labels`)
  const todo = labels.find(({ name }: { name: string }) => name === 'status/todo')
  await forge.as('alice').must('DELETE', `${repo.api}/labels/${todo.id}`)
  await page.keyboard.press('Shift+ArrowRight')
  const problem = page.getByRole('alert').filter({ hasText: 'The repository has no exclusive label status/todo.' })
  await problem.waitFor()
  await reachColumns(page, 'cba', '', '')
  await reachValue(page, 'document.activeElement.textContent', 'b')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Shift+ArrowDown')
  await reachColumns(page, 'bca', '', '')
  await problem.waitFor({ state: 'hidden' })
  await reachValue(page, isIdle, true)
  assert.deepEqual(await stored(forge, api), ['bca', ''])
})

test(
  'followRepositoryView, followOrganizationView, followOwnView: a board shows what somebody else moves',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const { api, path } = await givenBoard(forge)
    await using it = await openAs(forge, 'bob')
    const { page } = it
    const followed = page.waitForResponse((reply) => reply.url().includes('/live'))
    await page.goto(path)
    await followed
    await reachColumns(page, 'cba', '', '')
    const { json } = await forge.as('alice').must('GET', `${api}/issues`)
    await forge.as('alice').must('POST', `${api}/moves`, { issue: json.at(-1).id, column: 'status/doing', after: 0 })
    await reachColumns(page, 'cb', '', 'a')
  },
)
