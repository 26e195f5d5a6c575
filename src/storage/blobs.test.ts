import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Invalid, RangeNotSatisfiable, TooLarge } from '../lib/errors.ts'
import { storages, sha256, limit, contentOf, bytesOf, keysOf, chunksOf } from './blobs.test-support.ts'

for (const [name, withStorage] of storages) {
  test(`${name}: a stored blob can be read, replaced, measured and deleted`, () =>
    withStorage(async ({ blobs }) => {
      const before = Math.floor(Date.now() / 1000)
      const stored = await blobs.put('a/b c/ü+1.txt', Readable.from([Buffer.from('hel'), Buffer.from('lo')]), {
        ...limit,
        contentType: 'text/plain',
        digests: ['md5', 'sha1', 'sha512'],
      })
      assert.equal(stored.sizeBytes, 5)
      assert.equal(stored.sha256, sha256('hello'))
      assert.equal(stored.digests.md5, createHash('md5').update('hello').digest('hex'))
      assert.equal(stored.digests.sha512?.length, 128)
      const found = await blobs.get('a/b c/ü+1.txt')
      assert.equal(found?.sizeBytes, 5)
      assert.ok(Math.abs((found?.modifiedUnix ?? 0) - before) < 60)
      assert.equal(found === undefined ? '' : await text(found.stream), 'hello')
      await blobs.put('a/b c/ü+1.txt', Readable.from([Buffer.from('again')]), limit)
      assert.equal(await contentOf(blobs, 'a/b c/ü+1.txt'), 'again')
      await blobs.put('empty', Readable.from([]), limit)
      assert.equal(await contentOf(blobs, 'empty'), '')
      assert.equal((await blobs.stat('empty'))?.sizeBytes, 0)
      await blobs.delete('a/b c/ü+1.txt')
      await blobs.delete('a/b c/ü+1.txt')
      assert.equal(await blobs.get('a/b c/ü+1.txt'), undefined)
      assert.equal(await blobs.stat('a/b c/ü+1.txt'), undefined)
    }))

  test(`${name}: get returns a byte range and refuses an unsatisfiable one`, () =>
    withStorage(async ({ blobs }) => {
      await blobs.put('digits', Readable.from([Buffer.from('0123456789')]), limit)
      const part = async (start: number, end?: number): Promise<[number | undefined, string]> => {
        const found = await blobs.get('digits', { range: { start, end } })
        return [found?.sizeBytes, found === undefined ? '' : await text(found.stream)]
      }
      assert.deepEqual(await part(2, 4), [10, '234'])
      assert.deepEqual(await part(7), [10, '789'])
      assert.deepEqual(await part(8, 100), [10, '89'])
      await assert.rejects(part(10), (error) => error instanceof RangeNotSatisfiable && error.data['sizeBytes'] === 10)
      await assert.rejects(part(5, 4), RangeNotSatisfiable)
      assert.equal(await blobs.get('nothing', { range: { start: 0 } }), undefined)
    }))

  test(`${name}: content that is too large, unexpected or broken leaves nothing and keeps the existing blob`, () =>
    withStorage(async ({ blobs }) => {
      await blobs.put('kept', Readable.from([Buffer.from('old')]), limit)
      const put = (key: string, content: Readable, options: object) => blobs.put(key, content, { ...limit, ...options })
      const bytes = (content: string | Buffer) => Readable.from([Buffer.from(content)])
      await assert.rejects(put('kept', bytes('12345'), { maxBytes: 4 }), TooLarge)
      await assert.rejects(put('kept', bytes('new'), { expected: { sha256: sha256('other') } }), Invalid)
      const wide = (text: string) => ({ sha512: createHash('sha512').update(text).digest('hex') })
      await assert.rejects(put('new', bytes('new'), { expected: wide('other'), digests: ['sha512'] }), Invalid)
      await put('wide', bytes('new'), { expected: wide('new'), digests: ['sha512'] })
      await blobs.delete('wide')
      await assert.rejects(put('kept', bytes('new'), { expected: { sizeBytes: 2 } }), Invalid)
      await assert.rejects(put('new', bytes('new'), { expected: { sizeBytes: 4 } }), Invalid)
      await put('fits', bytes('new'), { expected: { sizeBytes: 3, sha256: sha256('new') } })
      // More than one part of an S3 upload.
      const large = Readable.from(Array.from({ length: 40 }, () => randomBytes(512 * 1024)))
      await assert.rejects(put('large', large, { maxBytes: 19 * 1024 * 1024 }), TooLarge)
      assert.equal(large.destroyed, true)
      const broken = Readable.from(
        (function* () {
          yield Buffer.from('begin')
          throw new Error('the line went dead')
        })(),
      )
      await assert.rejects(put('broken', broken, {}), /the line went dead/)
      const cut = new Readable({ read() {} })
      cut.push('begin')
      setTimeout(() => cut.destroy(), 10)
      await assert.rejects(put('cut', cut, {}))
      const stop = new AbortController()
      const endless = new Readable({ read() {} })
      endless.push('begin')
      setTimeout(() => stop.abort(), 10)
      await assert.rejects(put('stopped', endless, { signal: stop.signal }), { name: 'AbortError' })
      assert.deepEqual(await keysOf(blobs, ''), ['fits', 'kept'])
      assert.equal(await contentOf(blobs, 'kept'), 'old')
    }))

  test(`${name}: large content streams through`, () =>
    withStorage(async ({ blobs }) => {
      const content = randomBytes(20 * 1024 * 1024 + 17)
      const stored = await blobs.put('large', Readable.from(chunksOf(content, 100_000)), limit)
      assert.deepEqual([stored.sizeBytes, stored.sha256], [content.length, sha256(content)])
      const found = await blobs.get('large')
      assert.ok(found !== undefined && content.equals(await buffer(found.stream)))
      const pieces = [0, 1, 65_535, 65_537, 3_000_000, 20 * 1024 * 1024].map((end, index, ends) =>
        content.subarray(ends[index - 1] ?? 0, end),
      )
      const again = await blobs.put('pieces', Readable.from(pieces), limit)
      assert.equal(again.sha256, sha256(Buffer.concat(pieces)))
      const kept = await blobs.get('pieces')
      assert.ok(kept !== undefined && Buffer.concat(pieces).equals(await buffer(kept.stream)))
    }))

  test(`${name}: list selects by prefix, and move renames a blob`, () =>
    withStorage(async ({ blobs }) => {
      for (const key of ['x/1', 'x/2', 'x/deep/er/3', 'xy', 'y/1']) {
        await blobs.put(key, Readable.from([Buffer.from(key)]), limit)
      }
      assert.deepEqual(await keysOf(blobs, ''), ['x/1', 'x/2', 'x/deep/er/3', 'xy', 'y/1'])
      assert.deepEqual(await keysOf(blobs, 'x/'), ['x/1', 'x/2', 'x/deep/er/3'])
      assert.deepEqual(await keysOf(blobs, 'x'), ['x/1', 'x/2', 'x/deep/er/3', 'xy'])
      assert.deepEqual(await keysOf(blobs, 'x/d'), ['x/deep/er/3'])
      assert.deepEqual(await keysOf(blobs, 'nothing/'), [])
      assert.equal(await blobs.move('x/deep/er/3', 'z/new place'), true)
      assert.equal(await blobs.move('x/1', 'x/2'), true)
      assert.equal(await blobs.move('x/deep/er/3', 'z/elsewhere'), false)
      assert.deepEqual(await keysOf(blobs, ''), ['x/2', 'xy', 'y/1', 'z/new place'])
      assert.equal(await contentOf(blobs, 'x/2'), 'x/1')
    }))

  test(`${name}: a copy is independent of its original`, () =>
    withStorage(async ({ blobs }) => {
      await blobs.put('from', bytesOf('one'), limit)
      await blobs.put('taken', bytesOf('old'), limit)
      assert.equal(await blobs.copy('nothing', 'to'), false)
      assert.equal(await blobs.copy('from', 'deep/to'), true)
      assert.equal(await blobs.copy('from', 'taken'), true)
      await blobs.put('from', bytesOf('two'), limit)
      await blobs.delete('taken')
      assert.deepEqual(await keysOf(blobs, ''), ['deep/to', 'from'])
      assert.deepEqual([await contentOf(blobs, 'from'), await contentOf(blobs, 'deep/to')], ['two', 'one'])
    }))

  test(`${name}: keys outside the store are refused`, () =>
    withStorage(async ({ blobs }) => {
      const hostile = [
        '',
        '/etc/passwd',
        '../x',
        'a/../../x',
        'a//b',
        'a/',
        './a',
        'a\\b',
        'a\0b',
        '.tmp/x',
        '.uploads/x',
        'x'.repeat(300),
      ]
      for (const key of hostile) {
        await assert.rejects(blobs.put(key, Readable.from([]), limit), Invalid, key)
        await assert.rejects(blobs.get(key), Invalid, key)
        await assert.rejects(blobs.delete(key), Invalid, key)
        await assert.rejects(blobs.move('a', key), Invalid, key)
      }
      assert.throws(() => blobs.list('../'), Invalid)
    }))

  test(`${name}: concurrent writes and deletions in one folder do not disturb each other`, () =>
    withStorage(async ({ blobs }) => {
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const key = `same/folder/${index}`
          await blobs.put(key, Readable.from([Buffer.from(key)]), limit)
          if (index % 2 === 0) await blobs.delete(key)
        }),
      )
      assert.equal((await keysOf(blobs, 'same/')).length, 10)
    }))
}
