import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../src/testing/forge.ts'
import { mayNameAccount } from '../src/users/name.rules.ts'
import { everythingOn } from './authorization-world.ts'

test('no account takes the name of an address of the instance: nobody would reach its pages', async () => {
  await using forge = await startForge({ settings: everythingOn })
  const isOfSite = (path: string) => !path.startsWith('/api/') && !path.startsWith('/{')
  const first = forge.services
    .operations()
    .filter(({ base }) => base === 'site')
    .flatMap(({ path }) => (isOfSite(path) ? [path.split('/')[1] ?? ''] : []))
  const names = [...new Set(first)].filter((name) => name !== '')
  assert.ok(names.length > 20, String(names))
  const rules = { allowDotsInUsernames: true }
  assert.deepEqual(
    names.filter((name) => mayNameAccount(name, rules).allowed),
    [],
  )
})
