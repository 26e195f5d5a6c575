import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startForge } from '../testing/forge.ts'
import { longestStall } from '../testing/loop-stalls.ts'
import { registryTypes } from './cleanup/cleanup-rule.rules.ts'
import { hostileUploads, registryOfUpload, sitePathOf } from './hostile.test-support.ts'

/**
 * Longest processor time in milliseconds that the main thread may compute without yielding: twice the budget of 200 ms,
 * for garbage
 * collection and slow machines. Waiting for the processor does not count.
 */
const maxStallMs = 400

/**
 * Most memory in MiB that one upload may add to the process: the budget of 256 MiB
 * (docs/decisions/0066-parser-budgets.md), and as much for garbage that is not collected yet.
 */
const maxMemoryMib = 512

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const residentMib = (): number => process.memoryUsage.rss() / 2 ** 20

/** Memory in MiB after the last collection of garbage; zero before the first one. */
let collectedMib = 0

/** The garbage of earlier work in MiB beyond which it is collected first. A collection takes longer than most uploads. */
const maxGarbageMib = 64

/** Returns how much memory in MiB the process gains while `work` runs, with the garbage of earlier work. */
async function addedMemory(work: () => Promise<void>): Promise<number> {
  if (collectedMib === 0 || residentMib() - collectedMib > maxGarbageMib) {
    collectGarbage()
    collectedMib = residentMib()
  }
  const before = collectedMib
  let most = before
  const timer = setInterval(() => (most = Math.max(most, residentMib())), 5)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return Math.max(most, residentMib()) - before
}

test('uploads to registries: each registry has a hostile upload', () => {
  const registries = hostileUploads.flatMap((uploads) => uploads.registries)
  assert.deepEqual([...new Set(registries)].toSorted(), registryTypes.toSorted())
})

for (const { what, registries, make } of hostileUploads) {
  test(`uploads to registries: the worst known ${what} block no other request and stay within their memory`, async () => {
    await using forge = await startForge({ users: ['alice'] })
    const alice = forge.as('alice')
    const uploads = await make()
    assert.deepEqual([...new Set(uploads.map(registryOfUpload))].toSorted(), registries)
    // The first upload loads parsers, which must not count.
    await alice.must('PUT', '/api/packages/alice/generic/a/1/a', undefined, { site: true, raw: 'x' })
    const found: string[] = []
    for (const upload of uploads) {
      const { method, path, contentType = 'application/octet-stream', content } = upload
      let status = 0
      let stallMs = 0
      const memoryMib = await addedMemory(async () => {
        stallMs = await longestStall(async () => {
          const options = { site: true, raw: content, headers: { 'content-type': contentType } }
          ;({ status } = await alice.send(method, sitePathOf(upload, 'alice'), undefined, options))
        })
      })
      const isWrong = status >= 500 || status === 404 || stallMs > maxStallMs || memoryMib > maxMemoryMib
      const line = `${path}: ${upload.what}: ${status}, ${stallMs.toFixed(0)} ms, ${memoryMib.toFixed(0)} MiB`
      if (isWrong) found.push(line)
    }
    assert.deepEqual(found, [])
  })
}
