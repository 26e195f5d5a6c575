import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ComposedItem, ComposedList, encodeMembers, type EncodedMembers } from '../lib/composed-list.ts'
import { payloadOf } from './payload.ts'

const bytesOf = (body: unknown) => Buffer.from(payloadOf(body, true).content as string)

test('payload: the size of a body is its number of bytes, for any characters and length', () => {
  for (const text of ['', 'plain', 'Grüße', '日本', '🦊', '\ud800']) {
    for (const length of [1, 20_000]) {
      const body = { text: text.repeat(length) }
      const bytes = bytesOf(body)
      assert.equal(bytes.toString(), `${JSON.stringify(body)}\n`)
      assert.equal(payloadOf(body, true).sizeBytes, bytes.length)
    }
  }
})

test('payload: an object in two parts and a list of such objects have the same bytes as the whole objects', () => {
  const shared = [{ user: 'Jürgen' }, { user: '🦊', labels: [{ name: '日本' }] }].map(encodeMembers)
  const item = (id: number, title: string) =>
    new ComposedItem<object>(encodeMembers({ id, title }), shared[id % 2] as EncodedMembers)
  const items = Array.from({ length: 7 }, (_, id) => item(id, `é${'日'.repeat(id)}`))
  for (const body of [new ComposedList(items), new ComposedList([]), ...items, item(1, '日'.repeat(9000))]) {
    const bytes = bytesOf(body)
    assert.equal(bytes.toString(), `${JSON.stringify(body)}\n`)
    assert.equal(payloadOf(body, true).sizeBytes, bytes.length)
  }
  assert.deepEqual(items[1]?.toJSON(), { id: 1, title: 'é日', user: '🦊', labels: [{ name: '日本' }] })
  const etags = [items, items.slice(1), items.with(0, item(0, 'other')), items.with(0, item(1, 'é'))].map(
    (each) => payloadOf(new ComposedList(each), true).etag,
  )
  assert.equal(new Set(etags).size, etags.length)
})
