import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allOperations } from '../src/app.ts'
import { isBytes, type NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge } from '../src/testing/forge.ts'
import { eachOf, everythingOn } from './authorization-world.ts'
import { makeBelongings, parametersOf, settingsOfBelongings, type Belongings } from './belongings.ts'

/** Answers of the API lead people to pages by `html_url`, and those of runs by `url`. */

const plainValues: Readonly<Record<string, string>> = {
  username: 'alice',
  reponame: 'home',
  org: 'alices-guild',
  diffType: 'diff',
  type: 'generic',
  sha: 'main',
  ref: 'main',
  filepath: 'README.md',
}

/** The address of an operation with alice's things as its parameters; the index is of an issue or pull request. */
function addressOf({ path }: NamedOperation, values: Belongings, index: number): string {
  const keys = new Map(parametersOf(path).map(({ name, key }) => [name, key]))
  return path.replaceAll(/\{([\w-]+)\+?\}/g, (_, name: string) =>
    name === 'index' ? String(index) : encodeURIComponent(plainValues[name] ?? values[keys.get(name) ?? ''] ?? '1'),
  )
}

/** Returns the addresses of pages in an answer. */
function* pagesIn(json: unknown, root: string): Generator<string> {
  if (typeof json !== 'object' || json === null) return
  for (const [key, value] of Object.entries(json as Readonly<Record<string, unknown>>)) {
    if (typeof value === 'object') yield* pagesIn(value, root)
    if (!/(^|_)(html_)?url$/.test(key) || typeof value !== 'string' || !value.startsWith(`${root}/`)) continue
    const path = value.slice(root.length)
    const isOfHtml = /(^|_)html_url$/.test(key)
    if (isOfHtml || (key === 'url' && /\/actions\/runs\/\d+$/.test(path) && !path.startsWith('/api/'))) yield path
  }
}

/** Reads and answers JSON at once. */
const isReading = ({ method, base, reply, cost }: NamedOperation): boolean =>
  method === 'GET' && base === 'api' && cost !== 'waiting' && !isBytes(reply[200])

/** Operations whose addresses lead their caller alone. */
const ofCallerAlone: ReadonlySet<string> = new Set(['userGetView', 'userListViews'])

test('html_url: every address of a page in an answer of the API leads to a page', async () => {
  await using forge = await startForge({ settings: { ...everythingOn, ...settingsOfBelongings }, users: ['alice'] })
  const { values } = await makeBelongings(forge, 'alice')
  await forge.settle()
  const found = new Map<string, string>()
  const reads = allOperations().filter(isReading)
  await eachOf(reads, 4, async (operation) => {
    for (const index of [1, 2]) {
      const path = addressOf(operation, values, index)
      const reply = await forge.as(path.startsWith('/admin') ? 'root' : 'alice').get(path)
      if (reply.status !== 200) continue
      for (const page of pagesIn(reply.json, forge.url)) if (!found.has(page)) found.set(page, operation.id)
      if (!operation.path.includes('{index}')) return
    }
  })
  const people = { root: await Browser.of(forge, 'root'), alice: await Browser.of(forge, 'alice') }
  const guest = new Browser(forge)
  const wrong: string[] = []
  await eachOf([...found], 4, async ([address, id]) => {
    const [path = '', anchor] = address.split('#')
    for (const [who, browser] of Object.entries(people)) {
      if (who === 'root' && ofCallerAlone.has(id)) continue
      const { status, contentType, text } = await openedBy(browser, path)
      const isThere = anchor === undefined || text.includes(`id="${anchor}"`)
      if (status !== 200 || !contentType.startsWith('text/html') || !isThere) {
        wrong.push(`${who}: ${status} ${contentType} ${address} (${id})`)
      }
    }
    const { status, contentType } = await openedBy(guest, path)
    if (status >= 500 || !contentType.startsWith('text/html')) wrong.push(`a guest: ${status} ${path} (${id})`)
  })
  assert.deepEqual(wrong.toSorted(), [])
  const paths = new Set([...found.keys()].map((path) => path.split('/')[3]))
  const missing = ['actions', 'commit', 'issues', 'packages', 'pulls', 'releases', 'src', 'wiki'].filter(
    (path) => !paths.has(path),
  )
  assert.deepEqual(missing, [])
  assert.deepEqual(forge.defects, [])
})

/** Opens an address and follows where it leads. */
async function openedBy(
  browser: Browser,
  path: string,
): Promise<{ status: number; contentType: string; text: string }> {
  let reply = await browser.get(path)
  for (let steps = 0; steps < 3 && reply.status >= 300 && reply.status < 400; steps++) {
    const location = new URL(reply.headers.get('location') ?? '', browser.forge.url + path)
    reply = await browser.get(location.pathname + location.search)
  }
  return { status: reply.status, contentType: reply.headers.get('content-type') ?? '', text: reply.text }
}
