import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { iconSets } from './icons.ts'

test('each icon that browsers load is on a page', async () => {
  const paths: string[] = []
  for await (const path of glob('src/web/**/*.{ts,tsx}')) {
    if (!/icons(?:\.test)?\.ts$|\/gallery\//.test(path)) paths.push(path)
  }
  const code = (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).join('\n')
  const icons = new Set(Object.values(iconSets).flatMap((set) => [...set.icons]))
  assert.deepEqual(
    [...icons].filter((icon) => !code.includes(`'${icon}'`) && !code.includes(`"${icon}"`)),
    [],
  )
})
