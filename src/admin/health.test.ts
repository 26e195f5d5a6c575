import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'

test('health: answers GET only, and guests even when a sign-in is required', async () => {
  await using forge = await startForge({ settings: { service: { REQUIRE_SIGNIN_VIEW: true } } })
  assert.equal((await forge.guest.post('/api/healthz', {}, { site: true })).status, 405)
  const { status, json } = await forge.guest.get('/api/healthz', { site: true })
  assert.deepEqual([status, json], [200, { status: 'pass' }])
  assert.equal((await forge.guest.send('HEAD', '/api/healthz', undefined, { site: true })).status, 200)
})
