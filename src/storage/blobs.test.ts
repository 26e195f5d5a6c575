import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import S3rver from 's3rver'
import { Conflict, Invalid, NotFound, RangeNotSatisfiable, TooLarge, Unavailable } from '../lib/errors.ts'
import type { Blobs, UploadId } from './blobs.ts'
import { openBlobs } from './open-blobs.ts'
import { openS3Blobs } from './s3-blobs.ts'
import { presign } from './s3-presign.ts'
import type { S3Options } from './s3-service.ts'

interface Place {
  readonly blobs: Blobs
  /** The same store as another process has it. */
  readonly reopen: () => Promise<Blobs>
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
    const reopen = () => openBlobs({ type: 'local', path: join(folder, 'blobs') })
    await use({ blobs: await reopen(), reopen, folder })
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
      pieceBytes: 64 * 1024,
    }
    const opened: Blobs[] = []
    const reopen = async (): Promise<Blobs> => {
      const blobs = await openBlobs({ type: 's3', ...s3 })
      opened.push(blobs)
      return blobs
    }
    try {
      await use({ blobs: await reopen(), reopen, folder, s3 })
    } finally {
      for (const blobs of opened) blobs.close()
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

const bytesOf = (content: string | Buffer): Readable =>
  Readable.from(content.length === 0 ? [] : [Buffer.from(content)])

async function arrived(blobs: Blobs, id: UploadId): Promise<string | undefined> {
  const found = await blobs.uploads.read(id)
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

  test(`${name}: a copy is a blob of its own`, () =>
    withPlace(async ({ blobs }) => {
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

  test(`${name}: an upload is refused what does not fit, and stays as it was`, () =>
    withPlace(async ({ blobs }) => {
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

  test(`${name}: another process goes on with an upload and completes it`, () =>
    withPlace(async ({ blobs, reopen }) => {
      const id = await blobs.uploads.begin()
      assert.equal((await blobs.uploads.find(id))?.sizeBytes, 0)
      assert.equal((await blobs.uploads.append(id, bytesOf('01234'), { ...limit, atBytes: 0 })).sizeBytes, 5)
      // The first process is gone; nothing was told to it.
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
      // Its first parts came through another process, so what this one knows is not the whole.
      const again = await blobs.uploads.begin()
      await other.uploads.append(again, bytesOf('abc'), { ...limit, atBytes: 0 })
      await blobs.uploads.append(again, bytesOf('def'), { ...limit, atBytes: 3 })
      assert.equal((await blobs.uploads.complete(again, 'again')).sha256, sha256('abcdef'))
    }))

  test(`${name}: what is appended again from a byte on replaces what was there`, () =>
    withPlace(async ({ blobs }) => {
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

  test(`${name}: many short appends, and the log that they make read meanwhile`, () =>
    withPlace(async ({ blobs, folder }) => {
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

  test(`${name}: a large upload streams through; a broken part keeps a beginning`, () =>
    withPlace(async ({ blobs, reopen }) => {
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
      // It fails before it is looked at.
      const dead = new Readable({ read() {} })
      const early = blobs.uploads.append(stopped, dead, { ...limit, atBytes: 0 })
      dead.destroy(new Error('gone at once'))
      await assert.rejects(early, /gone at once/)
      const found = await blobs.get('large')
      assert.ok(found !== undefined && content.equals(await buffer(found.stream)))
    }))

  test(`${name}: abandoned uploads go away, others stay`, () =>
    withPlace(async ({ blobs, folder }) => {
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
    assert.equal(await blobs.uploads.removeAbandoned(Math.floor(Date.now() / 1000) - 86_400), 1)
    assert.deepEqual(await readdir(join(folder, '.tmp')), ['fresh'])
    await blobs.put('a/b/c', Readable.from([Buffer.from('x')]), limit)
    await blobs.delete('a/b/c')
    assert.deepEqual(await readdir(folder), ['.tmp'])
    assert.deepEqual(await keysOf(blobs, ''), [])
  }))

test('a local folder: a killed process leaves whole blobs, and of an upload all that it had acknowledged', () =>
  withFolder(async (folder) => {
    const size = 300_000
    const program = `
      const { openBlobs } = await import(${JSON.stringify(resolve('src/storage/open-blobs.ts'))})
      const { Readable } = await import('node:stream')
      const { uploads } = await openBlobs({ type: 'local', path: ${JSON.stringify(folder)} })
      const say = (...words) => process.stdout.write(words.join(' ') + '\\n')
      const append = (id, bytes, atBytes) =>
        uploads.append(id, Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]), { atBytes, maxBytes: Infinity })
      const log = await uploads.begin()
      say('log', log)
      for (let n = 0; ; n++) {
        say('logged', (await append(log, Buffer.alloc(5000, 'x'), n * 5000)).sizeBytes)
        const id = await uploads.begin()
        await append(id, Buffer.alloc(${size}, 'y'), 0)
        await uploads.complete(id, 'whole/' + n)
        say('completed', 'whole/' + n)
      }`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 2] })
    let output = ''
    for await (const chunk of child.stdout ?? []) {
      output += String(chunk)
      if ((output.match(/completed/g)?.length ?? 0) >= 5) child.kill('SIGKILL')
    }
    const said = (word: string): string[] =>
      Array.from(output.matchAll(new RegExp(`^${word} (.+)\\n`, 'gm')), ([, rest]) => String(rest))
    const blobs = await openBlobs({ type: 'local', path: folder })
    const keys = await keysOf(blobs, '')
    for (const key of said('completed')) assert.ok(keys.includes(key), `${key} was completed`)
    for (const key of keys) assert.equal(await contentOf(blobs, key), 'y'.repeat(size))
    const log = said('log')[0] as UploadId
    const logged = Number(said('logged').at(-1))
    const kept = await arrived(blobs, log)
    assert.ok(kept !== undefined && kept.length >= logged && kept === 'x'.repeat(kept.length))
    await blobs.uploads.append(log, bytesOf('z'), { ...limit, atBytes: logged })
    assert.equal((await blobs.uploads.complete(log, 'log')).sha256, sha256(`${'x'.repeat(logged)}z`))
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
  const url = presign({
    method: 'GET',
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    region: 'us-east-1',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    expiresSeconds: 86_400,
    nowMs: Date.UTC(2013, 4, 24),
  })
  assert.equal(
    new URL(url).searchParams.get('X-Amz-Signature'),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

test('an S3 service: a signed address takes one blob', () =>
  withS3(async ({ blobs }) => {
    const signed = await blobs.signedPutUrl?.('new/one', {
      expiresSeconds: 60,
      contentType: 'text/plain',
      sizeBytes: 5,
    })
    assert.ok(signed !== undefined)
    assert.deepEqual(signed.headers, { 'content-length': '5', 'content-type': 'text/plain' })
    const reply = await fetch(signed.url, { method: 'PUT', body: 'hello', headers: { 'content-type': 'text/plain' } })
    assert.equal(reply.status, 200)
    assert.equal(await contentOf(blobs, 'new/one'), 'hello')
  }))

test('an S3 service: uploads of the protocol that a dead process left are ended', async () => {
  const asked: string[] = []
  const isOld = `<Initiated>2020-01-01T00:00:00.000Z</Initiated>`
  const isNew = `<Initiated>${new Date().toISOString()}</Initiated>`
  const server = createServer((request, response) => {
    const url = request.url ?? ''
    if (request.method === 'DELETE') asked.push(url)
    const isList = request.method === 'GET' && url.includes('uploads')
    const uploads = url.includes('key-marker')
      ? `<Upload><Key>kind/c</Key><UploadId>3</UploadId>${isOld}</Upload>`
      : `<IsTruncated>true</IsTruncated><NextKeyMarker>kind/b</NextKeyMarker><NextUploadIdMarker>2</NextUploadIdMarker>
         <Upload><Key>kind/a</Key><UploadId>1</UploadId>${isOld}</Upload>
         <Upload><Key>kind/b</Key><UploadId>2</UploadId>${isNew}</Upload>`
    response.writeHead(request.method === 'DELETE' ? 204 : 200, { 'content-type': 'application/xml' })
    if (request.method === 'DELETE') response.end()
    else if (isList) response.end(`<ListMultipartUploadsResult>${uploads}</ListMultipartUploadsResult>`)
    else response.end('<ListBucketResult></ListBucketResult>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const blobs = await openS3Blobs({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'forge',
    accessKeyId: 'a',
    secretAccessKey: 'b',
    basePath: 'kind/',
    usePathStyle: true,
    skipTlsVerify: false,
    serveDirect: false,
  })
  try {
    assert.equal('signedUrl' in blobs, false)
    assert.equal(await blobs.uploads.removeAbandoned(Math.floor(Date.now() / 1000) - 3600), 2)
    assert.deepEqual(
      asked.map((url) => url.replace(/[?&]x-id=\w+/, '')),
      ['/forge/kind/a?uploadId=1', '/forge/kind/c?uploadId=3'],
    )
  } finally {
    blobs.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

// The signer of the service's client library gives the same for a payload of none.
test('signed addresses: headers are signed along', () => {
  const url = presign({
    method: 'PUT',
    url: new URL('http://h:1/forge/kind/new/one'),
    region: 'us-east-1',
    accessKeyId: 'A',
    secretAccessKey: 'B',
    expiresSeconds: 60,
    nowMs: Date.UTC(2013, 4, 24),
    headers: { 'content-length': '5', 'content-type': 'text/plain' },
  })
  const { searchParams } = new URL(url)
  assert.deepEqual(
    [searchParams.get('X-Amz-SignedHeaders'), searchParams.get('X-Amz-Signature')],
    ['content-length;content-type;host', '292f02e6c30d4105f9b280a813ca4b1941b40ae75a8dcc45711a37e0ab720b8d'],
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
