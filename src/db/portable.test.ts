import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

test('only src/db depends on the kind of database', () => {
  const files = globSync('src/**/*.{ts,tsx}').filter(
    (file) => !/^src\/(?:db|testing)\//u.test(file) && !/\.test(?:-support)?\.tsx?$/u.test(file),
  )
  const asking = files.filter((file) => /databaseKind|\bengine(?:Of|Behind)\(/u.test(readFileSync(file, 'utf8')))
  assert.deepEqual(asking, [])
})
