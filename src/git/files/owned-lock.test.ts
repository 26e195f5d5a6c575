import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { GitContext } from '../context.ts'
import { whileHolding } from './owned-lock.ts'

const settings = { lockAgeMs: 60_000, isFolderShared: false } as GitContext

test('lock: a full disk leaves no lock behind, and closes the file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-lock-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'some.lock')
  const probe = await open(join(folder, 'probe'), 'w')
  const handles = Object.getPrototypeOf(probe) as FileHandle
  await probe.close()
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const write = t.mock.method(handles, 'writeFile', () => Promise.reject(full))
  await assert.rejects(
    whileHolding(settings, path, () => assert.fail('the lock was held')),
    full,
  )
  assert.equal((write.mock.calls[0]?.this as FileHandle | undefined)?.fd, -1)
  assert.equal(existsSync(path), false)
  write.mock.restore()
  let isHeld = false
  await whileHolding(settings, path, async () => void (isHeld = existsSync(path)))
  assert.equal(isHeld, true)
})
