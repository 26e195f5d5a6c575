import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeDemoData } from '../scripts/lib/demo-data.mjs'
import { Browser } from '../src/testing/browser.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { crawl } from './pages.test-support.ts'

const ofBranch = /^\/[^/]+\/[^/]+\/(?:src|commits|blame|_new)\//

/** The pages only read, so the people share a forge: filling it takes as long as a person's walk. */
let filled: Promise<Forge> | undefined
after(async () => (await filled)?.[Symbol.asyncDispose]())

async function fill(): Promise<Forge> {
  const forge = await startForge()
  await makeDemoData(forge.url)
  await forge.settle()
  return forge
}

/** People with the fewest pages that links lead them to. */
const people = [
  ['a guest', undefined, 30],
  ['a member', 'alice', 60],
  ['an administrator', 'root', 60],
] as const

/** Some 500 pages take longer than a test usually may, on PostgreSQL beside other work. */
const timeout = 240_000

for (const [who, name, fewest] of people) {
  test(`pages: every link leads ${who} to a page`, { timeout }, async () => {
    const forge = await (filled ??= fill())
    const browser = name === undefined ? new Browser(forge) : await Browser.of(forge, name)
    const wrong: string[] = []
    const visits = await crawl(browser, ['/', '/explore/repos', '/alice/anvil'])
    for (const { path, from, status, contentType } of visits) {
      // A menu of branches leads to the same file of another branch, which may lack it.
      const isOtherBranch = ofBranch.test(path) && ofBranch.test(from)
      const isPage = contentType.startsWith('text/html') || (status >= 300 && status < 400)
      if ((status >= 400 && !(status === 404 && isOtherBranch)) || !isPage) {
        wrong.push(`${status} ${contentType} ${path} (from ${from})`)
      }
    }
    assert.deepEqual(wrong, [])
    assert.ok(visits.length > fewest, `${visits.length} pages`)
    assert.deepEqual(forge.defects, [])
  })
}
