import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge } from '../src/testing/forge.ts'

const addressOf = ({ path }: NamedOperation): string =>
  path
    .replace('{username}', 'alice')
    .replace('{reponame}', 'home')
    .replaceAll(/\{([\w-]+)\+?\}/g, (_match, name: string) => (name === 'index' || name === 'id' ? '1' : 'main'))

/** Programs read these, or a document of its own kind is their only reader. */
const withoutPages = /^\/(?:api\/packages|v2|pypi|\{username\}\/\{reponame\}$)/

test('every HTML that a browser gets from the site has the policy of pages: pages, parts of pages and errors', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { cors: { X_FRAME_OPTIONS: 'DENY' } } })
  await forge.given.repo({ owner: 'alice', name: 'home' })
  await forge.as('alice').must('POST', '/repos/alice/home/issues', { title: 'one' })
  const browser = await Browser.of(forge, 'alice')
  const wrong: string[] = []
  let count = 0
  for (const operation of forge.services.operations()) {
    if (operation.base !== 'site' || operation.cost === 'waiting' || withoutPages.test(operation.path)) continue
    const isForm = operation.path.endsWith('/markup')
    if (operation.method !== 'GET' && !isForm) continue
    const csrf = isForm ? await browser.csrf('/user/settings') : ''
    const accept = { accept: 'text/html' }
    const reply = isForm
      ? await browser.send('POST', addressOf(operation), { _csrf: csrf, text: 'a' }, accept)
      : await browser.send('GET', addressOf(operation), undefined, accept)
    if (!String(reply.headers.get('content-type')).startsWith('text/html')) continue
    count += 1
    const { headers } = reply
    const policy = headers.get('content-security-policy') ?? ''
    const isSafe =
      /default-src 'none'|default-src 'self'/.test(policy) &&
      policy.includes("frame-ancestors 'none'") &&
      headers.get('x-frame-options') === 'DENY' &&
      headers.get('x-content-type-options') === 'nosniff' &&
      headers.get('referrer-policy') !== null
    if (!isSafe) wrong.push(`${operation.id} ${operation.path}: ${reply.status} ${policy.slice(-60)}`)
  }
  assert.deepEqual(wrong, [])
  assert.ok(count > 60, `${count} answers`)
})
