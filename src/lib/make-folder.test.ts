import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from './make-folder.ts'

test('makeFolder creates parent folders, accepts an existing folder or a link to one, and fails otherwise', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-make-'))
  try {
    const deep = join(folder, 'a', 'b', 'c')
    makeFolder(deep, 0o700)
    makeFolder(deep)
    assert.equal(statSync(join(folder, 'a')).mode & 0o777, 0o700)
    symlinkSync(deep, join(folder, 'link'))
    makeFolder(join(folder, 'link', 'd'))
    makeFolder(join(folder, 'link'))
    writeFileSync(join(folder, 'file'), '')
    assert.throws(() => makeFolder(join(folder, 'file')), { code: 'EEXIST' })
    assert.throws(() => makeFolder(join(folder, 'file', 'x')), { code: 'ENOTDIR' })
    assert.throws(() => makeFolder('/proc/ingot/x'), { code: 'ENOENT' })
    makeFolder('/')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
