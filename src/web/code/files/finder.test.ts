import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { bytesOfName, nameOfBytes } from '../../../lib/file-names.ts'
import { Browser } from '../../../testing/browser.ts'
import { openContext, skip } from '../../../testing/chromium.ts'
import { Clone } from '../../../testing/clone.ts'
import { startForge, type Forge } from '../../../testing/forge.ts'
import { FileMatcher } from '../../browser/file-match.ts'

const paths = [
  'README.md',
  'docs/find.md',
  'src/web/code/files/find.view.tsx',
  'src/web/code/files/folder.view.tsx',
  'src/web/files/finder.ts',
  'src/the-elegant-sort.ts',
  'test/sort.test.ts',
  'größe/日本/Привет.txt',
  'a.b/+++',
]

const found = (matcher: FileMatcher, text: string) => matcher.find(text, 50).map(({ path }) => path)

test('FileMatcher: letters may lie apart, words may be in any order, and names count most', () => {
  const matcher = new FileMatcher(paths)
  assert.equal(found(matcher, 'fnv')[0], 'src/web/code/files/find.view.tsx')
  assert.equal(found(matcher, 'find')[0], 'docs/find.md')
  assert.equal(found(matcher, 'test')[0], 'test/sort.test.ts')
  assert.deepEqual(found(matcher, 'view files folder'), ['src/web/code/files/folder.view.tsx'])
  assert.deepEqual(found(matcher, 'привет'), ['größe/日本/Привет.txt'])
  assert.deepEqual(found(matcher, '日本'), ['größe/日本/Привет.txt'])
  assert.deepEqual(found(matcher, '+++'), ['a.b/+++'])
  assert.deepEqual(found(matcher, 'zzz'), [])
  assert.deepEqual(found(matcher, ''), paths)
  assert.equal(matcher.find('e', 2).length, 2)
  const [best] = matcher.find('fnv', 1)
  const marked = (best?.ranges ?? []).flatMap((from, at, all) =>
    at % 2 === 0 ? [best?.path.slice(from, all[at + 1])] : [],
  )
  assert.equal(marked.join('').toLowerCase(), 'fnv')
})

test('FileMatcher: what is typed letter by letter finds what is pasted', () => {
  const matcher = new FileMatcher(paths)
  for (const text of ['find.view', 'sort test', 'files -find', 'FolderView', 'src/web', '"find" md']) {
    for (let end = 1; end <= text.length; end++) {
      const typed = text.slice(0, end)
      assert.deepEqual(found(matcher, typed), found(new FileMatcher(paths), typed), typed)
    }
  }
})

/** `latin\xe9.txt`, and its text. */
const rawBytes = Buffer.from('latin\xe9.txt', 'latin1')
const rawName = nameOfBytes(rawBytes)

/** A private repository of alice with a file whose name is not UTF-8, and one with odd characters. */
async function givenFiles(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const clone = await Clone.of(forge, 'alice', repo.fullName)
  for (const name of [rawBytes, bytesOfName('a b#c?%20<b>.txt'), bytesOfName('find.view.tsx')]) {
    writeFileSync(Buffer.concat([Buffer.from(`${clone.path}/`), name]), 'text\n')
  }
  await clone.must('add', '-A')
  await clone.must('commit', '-q', '-m', 'names')
  await clone.must('push', '-q', 'origin', 'main')
  return { repo, clone }
}

test('listFilePaths: those who may read code get the paths, which are kept by the tree', async () => {
  await using forge = await startForge({
    settings: { repository: { DEFAULT_BRANCH: 'main' } },
    users: ['alice', 'bob'],
  })
  const { repo, clone: kept } = await givenFiles(forge)
  using clone = kept
  const address = `/${repo.fullName}/find-list/branch/main`
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.get(address)).status, 404)
  assert.equal((await forge.guest.get(address, { site: true })).status, 404)
  assert.equal((await alice.get(`${address}nothing`)).status, 404)

  const cookie = alice.cookieHeader()
  const ask = (headers: Record<string, string> = {}) =>
    fetch(forge.url + address, { headers: { cookie, ...headers }, redirect: 'manual' })
  const first = await ask({ 'accept-encoding': 'gzip' })
  assert.deepEqual([first.status, first.headers.get('content-encoding')], [200, 'gzip'])
  const list = await first.json()
  assert.equal(list.isWhole, true)
  assert.ok(list.paths.includes(rawName) && list.paths.includes('a b#c?%20<b>.txt'))
  const plain = await ask({ 'accept-encoding': 'identity' })
  assert.equal(plain.headers.get('content-encoding'), null)
  assert.deepEqual(await plain.json(), list)
  const etag = first.headers.get('etag') ?? ''
  assert.equal((await ask({ 'if-none-match': etag })).status, 304)
  // The same tree in another commit.
  await clone.must('commit', '-q', '--allow-empty', '-m', 'nothing')
  await clone.must('push', '-q', 'origin', 'main')
  assert.equal((await ask({ 'if-none-match': etag })).status, 304)
  // Who may no longer read gets nothing, also of what a browser has kept.
  const stranger = bob.cookieHeader()
  assert.equal((await ask({ 'if-none-match': etag, cookie: stranger })).status, 404)
})

test('listFilePaths: a revision with too many files says so', async () => {
  await using forge = await startForge({ settings: { repository: { DEFAULT_BRANCH: 'main' } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const blob = await clone.must('rev-parse', 'HEAD:README.md')
  const entries = Array.from({ length: 50_001 }, (_, at) => `100644 blob ${blob}\tf${String(at).padStart(5, '0')}.ts\n`)
  const tree = execFileSync('git', ['mktree'], { cwd: clone.path, input: entries.join('') })
    .toString()
    .trim()
  const commit = await clone.must('commit-tree', tree, '-p', 'HEAD', '-m', 'many')
  await clone.must('push', '-q', 'origin', `${commit}:refs/heads/main`)
  const alice = await Browser.of(forge, 'alice')
  const list = JSON.parse((await alice.get(`/${repo.fullName}/find-list/branch/main`)).text)
  assert.deepEqual([list.paths.length, list.isWhole], [50_000, false])
  assert.match((await alice.get(`/${repo.fullName}/find/branch/main?q=f00001`)).text, /only a part of them is searched/)
})

test('listFilePaths: long names of control characters, which JSON writes with six characters, are cut at 4 MB', async () => {
  await using forge = await startForge({ settings: { repository: { DEFAULT_BRANCH: 'main' } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const blob = await clone.must('rev-parse', 'HEAD:README.md')
  const long = '\u0001'.repeat(3000)
  const entries = Array.from({ length: 300 }, (_, at) => `100644 blob ${blob}\t${String(at).padStart(3, '0')}${long}\0`)
  const tree = execFileSync('git', ['mktree', '-z'], { cwd: clone.path, input: entries.join('') })
    .toString()
    .trim()
  const commit = await clone.must('commit-tree', tree, '-p', 'HEAD', '-m', 'long')
  await clone.must('push', '-q', 'origin', `${commit}:refs/heads/main`)
  const { text } = await (await Browser.of(forge, 'alice')).get(`/${repo.fullName}/find-list/branch/main`)
  const list = JSON.parse(text)
  assert.deepEqual([text.length < 4_010_000, text.length > 3_900_000, list.isWhole], [true, true, false])
})

/** Opens a page of a repository of alice as alice. */
async function openAs(forge: Forge, name: string, address: string, javaScriptEnabled = true) {
  const person = await Browser.of(forge, name)
  const context = await openContext({ baseURL: forge.url, javaScriptEnabled, locale: 'en-GB' })
  await context.addCookies(
    person
      .cookieHeader()
      .split('; ')
      .map((each) => {
        const [cookieName = '', ...value] = each.split('=')
        return { name: cookieName, value: value.join('='), url: forge.url }
      }),
  )
  const page = await context.newPage()
  const wrong: string[] = []
  const requests: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text())
  })
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(address)
  await page.waitForLoadState('load')
  return { page, wrong, requests, [Symbol.asyncDispose]: () => context.close() }
}

const arriveAt = (page: Page, path: string) => page.waitForURL((url) => url.pathname === path)

test('the finder opens with t, marks letters, and opens files in the same view', { skip }, async () => {
  await using forge = await startForge({ settings: { repository: { DEFAULT_BRANCH: 'main' } }, users: ['alice'] })
  const { repo, clone } = await givenFiles(forge)
  clone[Symbol.dispose]()
  await using opened = await openAs(forge, 'alice', `/${repo.fullName}`)
  const { page, wrong, requests } = opened
  assert.deepEqual(
    requests.filter((url) => url.includes('finder')),
    [],
    'the library is loaded later',
  )
  await page.keyboard.press('t')
  const finder = page.locator('#finder')
  const options = finder.getByRole('option')
  await options.first().waitFor()
  assert.equal(await options.count(), 4)
  await page.keyboard.type('fnv')
  await page.waitForFunction(`document.querySelectorAll('#finder [role=option]').length === 1`)
  assert.equal(await options.first().innerText(), 'find.view.tsx')
  assert.equal((await options.first().locator('mark').allInnerTexts()).join(''), 'fnv')
  await page.keyboard.press('Enter')
  await arriveAt(page, `/${repo.fullName}/src/branch/main/find.view.tsx`)
  await page.getByRole('heading', { name: 'find.view.tsx' }).waitFor()
  assert.equal(await finder.isVisible(), false)

  // Arrows choose; odd names and names that are not UTF-8 are opened.
  for (const [typed, name] of [
    ['latin', rawName],
    ['a b#', 'a b#c?%20<b>.txt'],
  ] as const) {
    await page.keyboard.press('t')
    await options.nth(3).waitFor()
    await page.keyboard.type(typed)
    await page.waitForFunction(`document.querySelectorAll('#finder [role=option]').length < 4`)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await finder.getByRole('option', { name, exact: true, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await arriveAt(page, `/${repo.fullName}/src/branch/main/${encodeURIComponent(name)}`)
    await page.getByRole('heading', { name, exact: true }).waitFor()
  }
  await page.keyboard.press('t')
  await page.keyboard.type('zzz')
  await finder.getByText('No file found').waitFor()
  await page.keyboard.press('Escape')
  assert.equal(await finder.isVisible(), false)

  await page.goto(`/${repo.fullName}/blame/branch/main/README.md`)
  await page.waitForLoadState('load')
  await page.keyboard.press('t')
  await options.nth(3).waitFor()
  await page.keyboard.type('find')
  await page.waitForFunction(`document.querySelectorAll('#finder [role=option]').length === 1`)
  await options.first().click()
  await arriveAt(page, `/${repo.fullName}/blame/branch/main/find.view.tsx`)
  assert.deepEqual(wrong, [])
})

test('without scripts, the link leads to a page with a search', { skip }, async () => {
  await using forge = await startForge({ settings: { repository: { DEFAULT_BRANCH: 'main' } }, users: ['alice'] })
  const { repo, clone } = await givenFiles(forge)
  clone[Symbol.dispose]()
  await using opened = await openAs(forge, 'alice', `/${repo.fullName}`, false)
  const { page } = opened
  await page.getByRole('link', { name: 'Find file' }).click()
  await arriveAt(page, `/${repo.fullName}/find/branch/main`)
  await page.getByLabel('File name').last().fill('view')
  await page.getByLabel('File name').last().press('Enter')
  await page.getByRole('link', { name: 'find.view.tsx' }).click()
  await arriveAt(page, `/${repo.fullName}/src/branch/main/find.view.tsx`)
})

test('findPage: a search in the list that leaves no file says so', { skip }, async () => {
  await using forge = await startForge({ settings: { repository: { DEFAULT_BRANCH: 'main' } }, users: ['alice'] })
  const { repo, clone } = await givenFiles(forge)
  clone[Symbol.dispose]()
  await using opened = await openAs(forge, 'alice', `/${repo.fullName}/find/branch/main`)
  const { page } = opened
  const none = page.getByText('No path of this revision contains these words.')
  assert.equal(await none.isVisible(), false)
  await page.getByLabel('File name').last().fill('no such file')
  await none.waitFor()
  await page.getByLabel('File name').last().fill('view')
  await none.waitFor({ state: 'hidden' })
})
