import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'

test('createCurrentUserRepo: a bare name gives an empty public repository, and repoGet shows the same', async () => {
  await using forge = await startForge()
  const made = await forge.as('alice').post('/user/repos', { name: 'bare' })
  assert.deepEqual([made.status, made.json.empty, made.json.private, made.json.permissions.admin], [201, true, false, true])
  const read = await forge.as('alice').get('/repos/alice/bare')
  assert.deepEqual(read.json, made.json)
})

test('createCurrentUserRepo: of eight at once with one name exactly one comes about', async () => {
  await using forge = await startForge()
  await forge.account('alice')
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => forge.as('alice').post('/user/repos', { name: 'same', auto_init: true })),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, ...Array.from({ length: 7 }, () => 409)])
})
