import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

test('the example of the README is the one that runs here', async () => {
  const [, shown = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? []
  const example = readFileSync('test/readme.example.ts', 'utf8')
  assert.equal(shown, example.replace('../src/testing/index.ts', 'ingot-forge/testing'))
  await import('./readme.example.ts')
})
