import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const shown = [...readFileSync('README.md', 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text)
const textOf = (file: string): string =>
  readFileSync(file, 'utf8').replace('../src/testing/index.ts', 'ingot-forge/testing')

test('the examples of the README equal the files that this test runs', async () => {
  assert.deepEqual(shown, [textOf('test/readme.example.ts'), textOf('test/readme-runner.example.ts')])
  await import('./readme.example.ts')
  await import('./readme-runner.example.ts')
})
