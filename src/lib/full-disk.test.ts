import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saysFullDisk } from './full-disk.ts'

test('full disk: each form in which git reports it is known', () => {
  for (const text of [
    'fatal: write error: No space left on device',
    'error: unable to write file: Disk quota exceeded',
    "fatal: sha1 file 'objects/pack/tmp_rev_x' write error. Out of diskspace",
  ]) {
    assert.ok(saysFullDisk(text), text)
  }
  assert.ok(!saysFullDisk('fatal: bad object HEAD'))
})
