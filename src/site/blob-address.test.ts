import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { TooLarge } from '../lib/errors.ts'
import { startForge } from '../testing/forge.ts'
import { blobGetAddress, blobPutAddress } from './blob-address.service.ts'

const blob = { kind: 'lfs', key: 'ab/cd' } as const
const minute = { expiresSeconds: 60 }

test('blobGetSigned: serves a blob, ranges included, until the address expires', async () => {
  await using forge = await startForge({ standAt: Date.now() })
  const { services } = forge
  const url = await blobGetAddress(services, blob, { ...minute, fileName: 'né.bin', contentType: 'text/plain' })
  assert.equal((await fetch(url)).status, 404)
  await services.blobs.lfs.put(blob.key, Readable.from([Buffer.from('hello')]), { maxBytes: 5 })
  assert.equal((await fetch(url.slice(0, -2) + (url.endsWith('xx') ? 'yy' : 'xx'))).status, 403)
  const { url: putUrl } = await blobPutAddress(services, blob, { ...minute, maxBytes: 5 })
  assert.equal((await fetch(putUrl)).status, 403, 'an address to put to')
  const whole = await fetch(url)
  assert.deepEqual([whole.status, await whole.text()], [200, 'hello'])
  assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; .*filename\*=UTF-8''n%C3%A9\.bin$/)
  const part = await fetch(url, { headers: { range: 'bytes=1-2' } })
  assert.deepEqual([part.status, await part.text()], [206, 'el'])
  forge.clock.advance(61_000)
  assert.equal((await fetch(url)).status, 403)
})

test('blobPutSigned: accepts only an upload that fits the address', async () => {
  await using forge = await startForge({ standAt: Date.now() })
  const { services } = forge
  const put = (url: string, body: string) => fetch(url, { method: 'PUT', body }).then(({ status }) => status)
  const getUrl = await blobGetAddress(services, blob, { ...minute, fileName: 'x' })
  assert.equal(await put(getUrl, 'hello'), 403)
  const limited = await blobPutAddress(services, blob, { ...minute, maxBytes: 5 })
  assert.equal(await put(limited.url, 'larger'), 413)
  await assert.rejects(blobPutAddress(services, blob, { ...minute, maxBytes: 4, sizeBytes: 5 }), TooLarge)
  const exact = await blobPutAddress(services, blob, { ...minute, maxBytes: 100, sizeBytes: 5 })
  assert.equal(await put(exact.url, 'four'), 422)
  assert.equal(await services.blobs.lfs.stat(blob.key), undefined)
  assert.equal(await put(exact.url, 'hello'), 201)
  assert.equal((await services.blobs.lfs.stat(blob.key))?.sizeBytes, 5)
  forge.clock.advance(61_000)
  assert.equal(await put(exact.url, 'again'), 403)
})
