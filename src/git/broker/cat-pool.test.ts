import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireStream } from './wire.ts'
import { CatPool } from './cat-pool.ts'

/** How many processes have a folder as their current one. */
const processesIn = (folder: string): number =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder
    } catch {
      return false
    }
  }).length

async function untilSo(folder: string, count: number): Promise<void> {
  for (let looks = 0; looks < 1000 && processesIn(folder) !== count; looks++) await sleep(20)
  assert.equal(processesIn(folder), count)
}

test('readers: of those that a rush had needed one stays for a minute, the others end sooner', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-readers-'))
  execFileSync('git', ['init', '-q', '--bare', folder])
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() })
  const pool = new CatPool({
    op: 'settings',
    gitBinary: 'git',
    environment: { PATH: process.env['PATH'] ?? '' },
    slots: { read: 1, write: 1, fetch: 1, push: 1, archive: 1, download: 1, maintenance: 1 },
    waiting: 10,
    waitMs: 60_000,
    pooledProcesses: 10,
    pooledIdleMs: 60_000,
    readTimeoutMs: 60_000,
    hookTimeoutMs: 1000,
    maxHookBytes: 1000,
  })
  try {
    const answers = Array.from({ length: 6 }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const stream = { handlers: {}, closed: false, write: () => true, finish: () => resolve(), fail: reject }
      pool.read({ op: 'cat', directory: folder, commands: [['info', '0'.repeat(40)]] }, stream as unknown as WireStream)
      return promise
    })
    assert.ok(processesIn(folder) > 1, 'what waits gets more readers')
    await Promise.all(answers)
    t.mock.timers.tick(20_000)
    await untilSo(folder, 1)
    t.mock.timers.tick(50_000)
    await untilSo(folder, 0)
  } finally {
    pool.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})
