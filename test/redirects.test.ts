import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge } from '../src/testing/forge.ts'

/** Names of fields and parameters that decide where a form leads. */
const leading = /^(?:back|from|to|next|path|redirect_to|return_to|redirect_uri|tab|page|q|new_name)$/

const typed = ['\r\nset-cookie: a=b', '?q=one\r\ntwo', '?q=ä日本', '//evil.example/\n', '?q=\u0000\ud83d']

/** What browsers read as another site, or as more than an address, and what only looks so. */
const whole = [
  ...['//evil.example', '/\\evil.example', '\\\\evil.example', '\\/evil.example', '///evil.example', ' //evil.example'],
  ...[
    'https:evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '\t//evil.example',
    '/\n/evil.example',
  ],
  ...[
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/%09/evil.example',
    '/..%2f/evil.example',
  ],
  ...[
    '/%0d%0aset-cookie:%20a=b',
    '/\u2028/evil.example',
    '/@evil.example',
    '@evil.example',
    '.evil.example',
    ':80@evil.example',
  ],
]

const namesIn = (schema: unknown): string[] =>
  Object.keys((schema as { readonly properties?: object } | undefined)?.properties ?? schema ?? {})

const addressOf = ({ path }: NamedOperation): string =>
  path
    .replace('{username}', 'alice')
    .replace('{reponame}', 'home')
    .replace('{org}', 'guild')
    .replaceAll(/\{([\w-]+)\+?\}/g, (_match, name: string) => (name === 'index' || name === 'id' ? '1' : 'main'))

/**
 * Sends each value in each leading field to each page, or each value in each leading parameter.
 * @returns the number of requests, after none of them failed or led to another site
 */
async function sendLeading({ isRead }: { isRead: boolean }): Promise<number> {
  await using forge = await startForge({ users: ['alice'] })
  await forge.given.repo({ owner: 'alice', name: 'home' })
  await forge.as('alice').must('POST', '/repos/alice/home/issues', { title: 'one' })
  const browser = await Browser.of(forge, 'alice')
  const csrf = await browser.csrf('/user/settings')
  const wrong: string[] = []
  let count = 0
  for (const operation of forge.services.operations()) {
    if (!isPage(operation) || operation.base !== 'site' || /delete|leave|transfer|logout/.test(operation.path)) continue
    if ((operation.method === 'GET') !== isRead) continue
    const fields = namesIn(isRead ? operation.query : operation.body).filter((name) => leading.test(name))
    const address = addressOf(operation)
    const values = [...typed.map((tail) => `${address.replace(/\/bulk$/, '')}${tail}`), ...whole]
    for (const field of fields) {
      for (const value of values) {
        count += 1
        const sent = { issue: '1', act: 'close', [field]: value }
        const reply = isRead
          ? await browser.get(`${address}?${new URLSearchParams({ [field]: value })}`)
          : await browser.post(address, { ...sent, _csrf: csrf })
        const location = reply.headers.get('location') ?? '/'
        const isOnSite = /^\/(?![/\\])[\u0021-\u007e]*$/.test(location)
        if (reply.status >= 500 || !isOnSite || /evil/.test(new URL(location, 'http://a.example').host)) {
          wrong.push(`${operation.id} ${field}=${JSON.stringify(value)}: ${reply.status} ${location}`)
        }
      }
    }
  }
  assert.deepEqual(wrong, [])
  return count
}

test('a line break or a foreign letter in a field that decides the next page never fails the form', async () => {
  const count = await sendLeading({ isRead: false })
  assert.ok(count > 100, `${count} requests`)
})

test('a line break or a foreign letter in a parameter that decides the next page never fails the page', async () => {
  const count = await sendLeading({ isRead: true })
  assert.ok(count > 1000, `${count} requests`)
})
