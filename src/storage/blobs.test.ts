import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import S3rver from 's3rver'
import { Invalid, RangeNotSatisfiable, TooLarge, Unavailable } from '../lib/errors.ts'
import type { Blobs } from './blobs.ts'
import { openBlobs } from './open-blobs.ts'
import { openS3Blobs, type S3Options } from './s3-blobs.ts'
import { presignGet } from './s3-presign.ts'

interface Place {
  readonly blobs: Blobs
  readonly folder: string
  /** The S3 store's own address and keys. */
  readonly s3?: S3Options
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-blobs-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const withLocal = (use: (place: Place) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const blobs = await openBlobs({ type: 'local', path: join(folder, 'blobs') })
    await use({ blobs, folder })
  })

const withS3 = (use: (place: Place) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'forge', configs: [] }],
    })
    const address: AddressInfo = await server.run()
    const s3: S3Options = {
      endpoint: `http://127.0.0.1:${address.port}`,
      region: 'us-east-1',
      bucket: 'forge',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      basePath: 'kind/',
      usePathStyle: true,
      skipTlsVerify: false,
      serveDirect: true,
    }
    const blobs = await openBlobs({ type: 's3', ...s3 })
    try {
      await use({ blobs, folder, s3 })
    } finally {
      blobs.close()
      await server.close()
    }
  })

const places = [
  ['a local folder', withLocal],
  ['an S3 service', withS3],
] as const

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')
const limit = { maxBytes: 50 * 1024 * 1024 }

async function contentOf(blobs: Blobs, key: string): Promise<string | undefined> {
  const found = await blobs.get(key)
  return found === undefined ? undefined : text(found.stream)
}

async function keysOf(blobs: Blobs, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list(prefix)) keys.push(key)
  return keys.sort()
}

for (const [name, withPlace] of places) {
  test(`${name}: what is put can be read, replaced, measured and deleted`, () =>
    withPlace(async ({ blobs }) => {
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

  test(`${name}: ranges`, () =>
    withPlace(async ({ blobs }) => {
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

  test(`${name}: over the limit, wrong, or broken content leaves nothing and harms nothing`, () =>
    withPlace(async ({ blobs }) => {
      await blobs.put('kept', Readable.from([Buffer.from('old')]), limit)
      const put = (key: string, content: Readable, options: object) => blobs.put(key, content, { ...limit, ...options })
      const bytes = (content: string | Buffer) => Readable.from([Buffer.from(content)])
      await assert.rejects(put('kept', bytes('12345'), { maxBytes: 4 }), TooLarge)
      await assert.rejects(put('kept', bytes('new'), { expected: { sha256: sha256('other') } }), Invalid)
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
    withPlace(async ({ blobs }) => {
      const content = randomBytes(20 * 1024 * 1024 + 17)
      const stored = await blobs.put('large', Readable.from(chunksOf(content, 100_000)), limit)
      assert.deepEqual([stored.sizeBytes, stored.sha256], [content.length, sha256(content)])
      const found = await blobs.get('large')
      assert.ok(found !== undefined && content.equals(await buffer(found.stream)))
    }))

  test(`${name}: list by prefix and move`, () =>
    withPlace(async ({ blobs }) => {
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

  test(`${name}: keys that mean another place are refused`, () =>
    withPlace(async ({ blobs }) => {
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

  test(`${name}: many writers and deleters of one folder do not hurt each other`, () =>
    withPlace(async ({ blobs }) => {
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

test('a local folder: unfinished files of a dead process go away, fresh ones stay; nothing else is left', () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, '.tmp'))
    await writeFile(join(folder, '.tmp', 'old'), 'x')
    await writeFile(join(folder, '.tmp', 'fresh'), 'x')
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400
    await utimes(join(folder, '.tmp', 'old'), twoDaysAgo, twoDaysAgo)
    const blobs = await openBlobs({ type: 'local', path: folder })
    assert.deepEqual(await readdir(join(folder, '.tmp')), ['fresh'])
    await blobs.put('a/b/c', Readable.from([Buffer.from('x')]), limit)
    await blobs.delete('a/b/c')
    assert.deepEqual(await readdir(folder), ['.tmp'])
    assert.deepEqual(await keysOf(blobs, ''), [])
  }))

test('an S3 service: a signed URL gives the blob under a name', () =>
  withS3(async ({ blobs }) => {
    await blobs.put('a b/ü(1).txt', Readable.from([Buffer.from('hello')]), limit)
    const url = (await blobs.signedUrl?.('a b/ü(1).txt', { expiresSeconds: 60, fileName: 'né "1".txt' })) ?? ''
    const reply = await fetch(url)
    assert.deepEqual([reply.status, await reply.text()], [200, 'hello'])
    assert.equal(reply.headers.get('content-disposition'), `attachment; filename*=UTF-8''n%C3%A9%20%221%22.txt`)
  }))

test('signed URLs: the example that the specification publishes', () => {
  const url = presignGet({
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    region: 'us-east-1',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    expiresSeconds: 86_400,
    nowMs: Date.UTC(2013, 4, 24),
    query: {},
  })
  assert.equal(
    new URL(url).searchParams.get('X-Amz-Signature'),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

test('an S3 service: what is too large for its copy goes through this process', () =>
  withS3(async ({ s3 }) => {
    assert.ok(s3 !== undefined)
    const blobs = await openS3Blobs({ ...s3, maxCopyBytes: 3 })
    await blobs.put('from', Readable.from([Buffer.from('hello')]), limit)
    assert.equal(await blobs.move('from', 'to'), true)
    assert.deepEqual(await keysOf(blobs, ''), ['to'])
    assert.equal(await contentOf(blobs, 'to'), 'hello')
    blobs.close()
  }))

test('an S3 service that does not answer is Unavailable; a wrong key is an error for the operator', () =>
  withS3(async ({ s3 }) => {
    assert.ok(s3 !== undefined)
    const absent = await openS3Blobs({ ...s3, endpoint: 'http://127.0.0.1:1' })
    await assert.rejects(absent.stat('a'), Unavailable)
    await assert.rejects(absent.put('a', Readable.from([Buffer.from('x')]), limit), Unavailable)
    absent.close()
    const stranger = await openS3Blobs({ ...s3, accessKeyId: 'NOBODY' })
    await assert.rejects(stranger.put('a', Readable.from([Buffer.from('x')]), limit), { name: 'InvalidAccessKeyId' })
    stranger.close()
  }))

function* chunksOf(content: Buffer, sizeBytes: number): Generator<Buffer> {
  for (let at = 0; at < content.length; at += sizeBytes) yield content.subarray(at, at + sizeBytes)
}
