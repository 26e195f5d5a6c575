import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Conflict, Invalid, NotFound, RangeNotSatisfiable, TooLarge } from '../lib/errors.ts'
import type { UploadId } from './blobs.ts'
import { storages, sha256, limit, contentOf, bytesOf, arrived, keysOf, chunksOf } from './blobs.test-support.ts'

for (const [name, withStorage] of storages) {
  test(`${name}: an invalid append is refused and does not change the upload`, () =>
    withStorage(async ({ blobs }) => {
      const { uploads } = blobs
      const unknown = ['0'.repeat(32), '../../x', ''] as UploadId[]
      for (const id of unknown) {
        await assert.rejects(uploads.append(id, bytesOf('x'), { ...limit, atBytes: 0 }), NotFound)
        await assert.rejects(uploads.complete(id, 'a'), NotFound)
      }
      assert.equal(await uploads.find('0'.repeat(32) as UploadId), undefined)
      assert.equal(await uploads.read('0'.repeat(32) as UploadId), undefined)
      await uploads.abort('0'.repeat(32) as UploadId)
      const id = await uploads.begin()
      const append = (content: Readable, atBytes: number, maxBytes = 10) =>
        uploads.append(id, content, { atBytes, maxBytes })
      await append(bytesOf('hello'), 0)
      await assert.rejects(append(bytesOf('x'), 6), (error) => {
        assert.ok(error instanceof RangeNotSatisfiable)
        return error.data['sizeBytes'] === 5
      })
      await assert.rejects(append(bytesOf('123456'), 5), TooLarge)
      assert.equal((await arrived(blobs, id))?.slice(0, 5), 'hello')
      const slow = new Readable({ read() {} })
      const first = append(slow, 5)
      await assert.rejects(append(bytesOf('x'), 5), Conflict)
      await assert.rejects(uploads.complete(id, 'a'), Conflict)
      slow.push(null)
      await first
      for (const expected of [{ sha256: sha256('other') }, { sizeBytes: 4 }, { sizeBytes: 6 }]) {
        await assert.rejects(uploads.complete(id, 'a', { expected }), Invalid)
      }
      await assert.rejects(uploads.complete(id, '../a'), Invalid)
      assert.deepEqual(await keysOf(blobs, ''), [])
      await uploads.complete(id, 'a', { expected: { sha256: sha256('hello'), sizeBytes: 5 } })
      await assert.rejects(uploads.complete(id, 'a'), NotFound)
      assert.equal(await contentOf(blobs, 'a'), 'hello')
    }))

  test(`${name}: another process can continue and complete an upload`, () =>
    withStorage(async ({ blobs, reopen }) => {
      const id = await blobs.uploads.begin()
      assert.equal((await blobs.uploads.find(id))?.sizeBytes, 0)
      assert.equal((await blobs.uploads.append(id, bytesOf('01234'), { ...limit, atBytes: 0 })).sizeBytes, 5)
      // The first process is gone and shares no state with this one.
      const other = await reopen()
      assert.equal((await other.uploads.find(id))?.sizeBytes, 5)
      await other.uploads.append(id, bytesOf('56789'), { ...limit, atBytes: 5 })
      assert.equal(await arrived(await reopen(), id), '0123456789')
      const part = await other.uploads.read(id, { range: { start: 3, end: 6 } })
      assert.deepEqual([part?.sizeBytes, part && (await text(part.stream))], [10, '3456'])
      await assert.rejects(other.uploads.read(id, { range: { start: 10 } }), RangeNotSatisfiable)
      assert.deepEqual(await keysOf(blobs, ''), [])
      const third = await reopen()
      const stored = await third.uploads.complete(id, 'deep/whole', {
        contentType: 'text/plain',
        digests: ['md5'],
        expected: { sha256: sha256('0123456789') },
      })
      assert.deepEqual(stored, {
        sizeBytes: 10,
        sha256: sha256('0123456789'),
        digests: { md5: createHash('md5').update('0123456789').digest('hex') },
      })
      assert.equal(await contentOf(blobs, 'deep/whole'), '0123456789')
      assert.equal(await blobs.uploads.find(id), undefined)
      // Another process received the first parts, so this one does not know the whole upload.
      const again = await blobs.uploads.begin()
      await other.uploads.append(again, bytesOf('abc'), { ...limit, atBytes: 0 })
      await blobs.uploads.append(again, bytesOf('def'), { ...limit, atBytes: 3 })
      assert.equal((await blobs.uploads.complete(again, 'again')).sha256, sha256('abcdef'))
    }))

  test(`${name}: an append at an earlier byte replaces the content after it`, () =>
    withStorage(async ({ blobs }) => {
      const id = await blobs.uploads.begin()
      const append = (content: string, atBytes: number) =>
        blobs.uploads.append(id, bytesOf(content), { ...limit, atBytes })
      await append('a'.repeat(100_000), 0)
      await append('b'.repeat(100_000), 100_000)
      await append('c', 200_000)
      await append('d', 150_000)
      assert.equal((await arrived(blobs, id)) === `${'a'.repeat(100_000)}${'b'.repeat(50_000)}d`, true)
      await append('', 70_000)
      assert.equal(await arrived(blobs, id), 'a'.repeat(70_000))
      await append('e', 0)
      assert.equal(await arrived(blobs, id), 'e')
      assert.equal((await blobs.uploads.complete(id, 'x')).sha256, sha256('e'))
      const empty = await blobs.uploads.begin()
      assert.deepEqual(await blobs.uploads.complete(empty, 'y'), { sizeBytes: 0, sha256: sha256(''), digests: {} })
      assert.equal(await contentOf(blobs, 'y'), '')
    }))

  test(`${name}: an upload with many short appends can be read while it grows`, () =>
    withStorage(async ({ blobs, folder }) => {
      const id = await blobs.uploads.begin()
      let whole = ''
      for (let line = 0; line < 120; line++) {
        const added = `${line} ${'x'.repeat((line * 7) % 90)}\n`
        await blobs.uploads.append(id, bytesOf(added), { ...limit, atBytes: whole.length })
        whole += added
      }
      const files = (await readdir(folder, { recursive: true })).filter((path) => path.includes(id))
      assert.ok(files.length < 40, `${files.length} files`)
      const reader = await blobs.uploads.read(id)
      const chunks: string[] = []
      for await (const chunk of reader?.stream ?? []) {
        if (chunks.length === 0) {
          await blobs.uploads.append(id, bytesOf('y'.repeat(20_000)), { ...limit, atBytes: whole.length })
        }
        chunks.push(String(chunk))
      }
      assert.equal(chunks.join('').slice(0, whole.length), whole)
      assert.equal(await arrived(blobs, id), whole + 'y'.repeat(20_000))
    }))

  test(`${name}: a large upload is streamed, and a broken append keeps the bytes received before`, () =>
    withStorage(async ({ blobs, reopen }) => {
      const content = randomBytes(3 * 1024 * 1024 + 17)
      const id = await blobs.uploads.begin()
      const cut = Readable.from(
        (function* () {
          yield* chunksOf(content.subarray(0, 1_000_000), 100_000)
          throw new Error('the line went dead')
        })(),
      )
      await assert.rejects(blobs.uploads.append(id, cut, { ...limit, atBytes: 0 }), /the line went dead/)
      assert.equal(cut.destroyed, true)
      const atBytes = (await blobs.uploads.find(id))?.sizeBytes ?? 0
      assert.ok(atBytes > 500_000 && atBytes <= 1_000_000, `${atBytes} bytes were kept`)
      await blobs.uploads.append(id, Readable.from(chunksOf(content.subarray(atBytes), 100_000)), { ...limit, atBytes })
      const other = await reopen()
      const stored = await other.uploads.complete(id, 'large', { expected: { sha256: sha256(content) } })
      assert.equal(stored.sizeBytes, content.length)
      const stop = new AbortController()
      const endless = new Readable({ read() {} })
      endless.push('begin')
      setTimeout(() => stop.abort(), 10)
      const stopped = await blobs.uploads.begin()
      const appending = blobs.uploads.append(stopped, endless, { ...limit, atBytes: 0, signal: stop.signal })
      await assert.rejects(appending, { name: 'AbortError' })
      // The stream fails before it is read.
      const dead = new Readable({ read() {} })
      const early = blobs.uploads.append(stopped, dead, { ...limit, atBytes: 0 })
      dead.destroy(new Error('gone at once'))
      await assert.rejects(early, /gone at once/)
      const found = await blobs.get('large')
      assert.ok(found !== undefined && content.equals(await buffer(found.stream)))
    }))

  test(`${name}: only abandoned uploads are deleted`, () =>
    withStorage(async ({ blobs, folder }) => {
      const nowUnix = Math.floor(Date.now() / 1000)
      const id = await blobs.uploads.begin()
      await blobs.uploads.append(id, bytesOf('x'.repeat(200_000)), { ...limit, atBytes: 0 })
      const given = await blobs.uploads.begin()
      await blobs.uploads.append(given, bytesOf('x'), { ...limit, atBytes: 0 })
      await blobs.uploads.abort(given)
      assert.equal(await blobs.uploads.find(given), undefined)
      await blobs.put('kept', bytesOf('old'), limit)
      assert.equal(await blobs.uploads.removeAbandoned(nowUnix - 60), 0)
      assert.equal((await blobs.uploads.find(id))?.sizeBytes, 200_000)
      assert.equal(await blobs.uploads.removeAbandoned(nowUnix + 60), 1)
      assert.equal(await blobs.uploads.find(id), undefined)
      const left = (await readdir(folder, { recursive: true })).filter(
        (path) => path.includes(id) || path.includes(given),
      )
      assert.deepEqual(left, [])
      assert.deepEqual(await keysOf(blobs, ''), ['kept'])
    }))
}
