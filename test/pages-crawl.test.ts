import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDemoData } from '../scripts/lib/demo-data.mjs'
import { Browser } from '../src/testing/browser.ts'
import { startForge } from '../src/testing/forge.ts'
import { crawl } from './pages.test-support.ts'

const ofBranch = /^\/[^/]+\/[^/]+\/(?:src|commits|blame|_new)\//

/** Some 1,300 pages take longer than a test usually may, on PostgreSQL beside other work. */
const timeout = 240_000

test('pages: every link leads a guest, a member and an administrator to a page', { timeout }, async () => {
  await using forge = await startForge()
  await makeDemoData(forge.url)
  await forge.settle()
  const people = {
    guest: new Browser(forge),
    member: await Browser.of(forge, 'alice'),
    root: await Browser.of(forge, 'root'),
  }
  const wrong: string[] = []
  const counts: Record<string, number> = {}
  for (const [who, browser] of Object.entries(people)) {
    const visits = await crawl(browser, ['/', '/explore/repos', '/alice/anvil'])
    counts[who] = visits.length
    for (const { path, from, status, contentType } of visits) {
      // A menu of branches leads to the same file of another branch, which may lack it.
      const isOtherBranch = ofBranch.test(path) && ofBranch.test(from)
      const isPage = contentType.startsWith('text/html') || (status >= 300 && status < 400)
      if ((status >= 400 && !(status === 404 && isOtherBranch)) || !isPage) {
        wrong.push(`${who}: ${status} ${contentType} ${path} (from ${from})`)
      }
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok((counts['member'] ?? 0) > 60, JSON.stringify(counts))
  assert.deepEqual(forge.defects, [])
})
