import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

const address = '/ada/shelf/nothing-of-this/kind'
const page = { accept: 'text/html' }

test('unknownAddress: people keep their navigation where no page is', async () => {
  await using forge = await startForge({ users: ['ada'] })
  const ada = await Browser.of(forge, 'ada')
  const own = await ada.send('GET', address, undefined, page)
  assert.equal(own.status, 404)
  assert.match(own.text, /There is nothing at this address/)
  assert.match(own.text, /Sign out/)
  const { status, text } = await new Browser(forge).send('GET', address, undefined, page)
  assert.equal(status, 404)
  assert.match(text, /href="\/user\/login/)
  assert.doesNotMatch(text, /Sign out/)
})

test('programs get one line where nothing is, and the API its own form', async () => {
  await using forge = await startForge({ users: ['ada'] })
  const ada = await Browser.of(forge, 'ada')
  const line = await ada.send('GET', address)
  assert.deepEqual([line.status, line.text], [404, 'there is nothing at this address\n'])
  const other = await ada.send('GET', '/api/v1/nothing', undefined, page)
  assert.equal(other.status, 404)
  assert.equal((JSON.parse(other.text) as { code: string }).code, 'no_such_route')
})

test('the method of an address is still refused', async () => {
  await using forge = await startForge({ users: ['ada'] })
  const ada = await Browser.of(forge, 'ada')
  const { status, headers } = await ada.send('PUT', '/explore/repos', undefined, page)
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD'])
  assert.equal((await ada.send('PUT', address, undefined, page)).status, 404)
})
