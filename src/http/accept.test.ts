import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'
import { mustAccept } from './accept.ts'

test('adminWatchEvents: a client that does not accept event streams gets 406', async () => {
  await using forge = await startForge()
  const { status, json } = await forge.as('root').get('/admin/events', { headers: { accept: 'application/json' } })
  assert.deepEqual([status, json.code], [406, 'not_acceptable'])
})

test('mustAccept accepts a missing header, the type, its range and */*, but not q=0', () => {
  const accepts = (accept?: string) => mustAccept({ headers: { accept } }, 'text/event-stream')
  for (const accept of [undefined, '', '*/*', 'text/*;q=0.5', 'application/json, Text/Event-Stream']) accepts(accept)
  for (const accept of ['application/json', 'text/event-stream;q=0', 'image/*']) {
    assert.throws(() => accepts(accept), { name: 'NotAcceptable' })
  }
})
