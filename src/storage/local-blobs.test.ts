import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { asFleeting } from '../lib/fleeting.ts'
import type { UploadId } from './blobs.ts'
import { openBlobs } from './open-blobs.ts'
import { withFolder, withLocal, sha256, limit, contentOf, bytesOf, arrived, keysOf } from './blobs.test-support.ts'

test('a local folder: old unfinished files of a dead process are deleted, and recent ones stay', () =>
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

test('a local folder: only the chunks of fleeting streams are released', () =>
  withLocal(async ({ blobs }) => {
    const [kept, fleeting] = [Buffer.alloc(700_000, 'k'), Buffer.alloc(700_000, 'f')]
    await blobs.put('kept', Readable.from([kept]), limit)
    await blobs.put('fleeting', asFleeting(Readable.from([fleeting])), limit)
    const id = await blobs.uploads.begin()
    await blobs.uploads.append(id, Readable.from([kept]), { atBytes: 0, maxBytes: 1e9 })
    const more = Buffer.alloc(700_000, 'm')
    await blobs.uploads.append(id, asFleeting(Readable.from([more])), { atBytes: 700_000, maxBytes: 1e9 })
    assert.deepEqual([kept.length, fleeting.length, more.length], [700_000, 0, 0])
    assert.equal(await contentOf(blobs, 'kept'), 'k'.repeat(700_000))
    assert.equal(await contentOf(blobs, 'fleeting'), 'f'.repeat(700_000))
    assert.equal(await arrived(blobs, id), 'k'.repeat(700_000) + 'm'.repeat(700_000))
  }))

test('a local folder: a killed process leaves only whole blobs and all acknowledged bytes of an upload', () =>
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
    const linesWith = (word: string): string[] =>
      Array.from(output.matchAll(new RegExp(`^${word} (.+)\\n`, 'gm')), ([, rest]) => String(rest))
    const blobs = await openBlobs({ type: 'local', path: folder })
    const keys = await keysOf(blobs, '')
    for (const key of linesWith('completed')) assert.ok(keys.includes(key), `${key} was completed`)
    for (const key of keys) assert.equal(await contentOf(blobs, key), 'y'.repeat(size))
    const log = linesWith('log')[0] as UploadId
    const logged = Number(linesWith('logged').at(-1))
    const kept = await arrived(blobs, log)
    assert.ok(kept !== undefined && kept.length >= logged && kept === 'x'.repeat(kept.length))
    await blobs.uploads.append(log, bytesOf('z'), { ...limit, atBytes: logged })
    assert.equal((await blobs.uploads.complete(log, 'log')).sha256, sha256(`${'x'.repeat(logged)}z`))
  }))
