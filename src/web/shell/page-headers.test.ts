import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../config/load-config.ts'
import { framedAlike, pageHeaders, policyWith } from './page-headers.ts'

test('the policy denies framing wherever X-Frame-Options does', () => {
  const { cors } = loadConfig({ env: {} }).config
  const policyOf = (headers: Record<string, string>) => headers['content-security-policy'] ?? ''
  for (const xFrameOptions of ['DENY', 'deny']) {
    assert.match(policyOf(pageHeaders({ cors: { ...cors, xFrameOptions } }, 'en')), /frame-ancestors 'none'$/)
  }
  for (const xFrameOptions of ['SAMEORIGIN', 'unset']) {
    assert.match(policyOf(pageHeaders({ cors: { ...cors, xFrameOptions } }, 'en')), /frame-ancestors 'self'$/)
  }
  const own = { 'content-security-policy': policyWith('https://app.test'), 'x-frame-options': 'DENY' }
  assert.match(policyOf(framedAlike(own)), /form-action 'self' https:\/\/app\.test; frame-ancestors 'none'$/)
})
