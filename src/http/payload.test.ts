import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ComposedList } from '../lib/composed-list.ts'
import { payloadOf } from './payload.ts'

interface Item {
  readonly id: number
  readonly title: string
  readonly user: string
  readonly labels?: object[]
}

const bytesOf = (body: unknown) => Buffer.from(payloadOf(body).content as string)

test('payload: short and long bodies have the size of their bytes, whatever letters they hold', () => {
  for (const text of ['', 'plain', 'Grüße', '日本', '🦊', '\ud800']) {
    for (const length of [1, 20_000]) {
      const body = { text: text.repeat(length) }
      const bytes = bytesOf(body)
      assert.equal(bytes.toString(), `${JSON.stringify(body)}\n`)
      assert.equal(payloadOf(body).sizeBytes, bytes.length)
    }
  }
})

test('payload: a list with shared members is encoded as the whole objects are, to the last byte', () => {
  const shared = [{ user: 'Jürgen' }, { user: '🦊', labels: [{ name: '日本' }] }]
  const items = Array.from({ length: 7 }, (_, id) => ({
    own: { id, title: `é${'日'.repeat(id)}` },
    shared: shared[id % 2]!,
  }))
  const list = new ComposedList<Item>(items)
  const bytes = bytesOf(list)
  assert.equal(bytes.toString(), `${JSON.stringify(list)}\n`)
  assert.equal(payloadOf(list).sizeBytes, bytes.length)
  const [first, ...others] = items
  const changed = new ComposedList<Item>([{ ...first!, own: { ...first!.own, title: 'other' } }, ...others])
  assert.notEqual(payloadOf(changed).etag, payloadOf(list).etag)
})
