import assert from 'node:assert/strict'
import { createHash, verify } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { readMember } from '../formats/gzip-members.ts'
import { digest, refusedTo, registryOf, storedFiles, tarOf } from '../packages.test-support.ts'

/** A segment of a package: a packed tar archive without an end. */
const partOf = async (files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> =>
  gzipSync((await tarOf(files)).subarray(0, -1024))

const dataOf = (text: string): Buffer => gzipSync(text)

const infoOf = (name: string, version: string, architecture: string, more = '') =>
  `# made\npkgname = ${name}\npkgver = ${version}\npkgdesc = A tool\t& more\nurl = https://example.com\nbuilddate = 7\nsize = 3\narch = ${architecture}\nlicense = MIT\ndepend = so:libc.so\ndepend = other>1\n${more}`

async function apkOf(name: string, version: string, architecture = 'x86_64', more = '') {
  const control = await partOf({ '.PKGINFO': infoOf(name, version, architecture, more) })
  const signature = await partOf({ '.SIGN.RSA.x.rsa.pub': 'signature' })
  const apk = Buffer.concat([signature, control, dataOf('content')])
  return { apk, checksum: `Q1${createHash('sha1').update(control).digest('base64')}` }
}

test('alpineUpload: refuses callers without rights and archives without a package, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const path = 'alpine/v3.20/main'
  const { apk } = await apkOf('tool', '1.0-r0')
  assert.deepEqual(await refusedTo(forge, 'PUT', path, apk), [401, 401])
  const control = await partOf({ '.PKGINFO': infoOf('tool', '1.0-r0', 'x86_64') })
  const wrong = Buffer.from(control)
  wrong.writeUInt8((wrong.at(-8) ?? 0) ^ 1, wrong.length - 8)
  const bad: [string, Buffer][] = [
    ['no archive', Buffer.from('nothing')],
    ['nothing', Buffer.alloc(0)],
    ['half of a header', control.subarray(0, 5)],
    ['half of a description', control.subarray(0, 40)],
    ['a description without an end', control.subarray(0, -4)],
    ['a header without an end', Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 65, 65])],
    ['a header that is longer than all', Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 255, 255])],
    ['a wrong checksum', wrong],
    ['no description', Buffer.concat([await partOf({ a: 'x' }), await partOf({ b: 'x' })])],
    ['many parts', Buffer.concat([...Array.from({ length: 9 }, () => gzipSync(Buffer.alloc(1024))), control])],
    ['a bomb', Buffer.concat([gzipSync(Buffer.alloc(64 << 20)), control])],
    ['another content', (await apkOf('tool', '1.0-r0', 'x86_64', `datahash = ${'00'.repeat(32)}\n`)).apk],
    ['a name', (await apkOf('../tool', '1.0-r0')).apk],
    ['a version', (await apkOf('tool', 'one')).apk],
    ['an architecture', (await apkOf('tool', '1.0-r0', 'x|y')).apk],
  ]
  for (const [what, content] of bad) assert.equal((await alice('PUT', path, content)).status, 400, what)
  for (const group of ['%20/main', '..%2Fx/main', 'v3/a%7Cb', 'v3/%0A']) {
    assert.equal((await alice('PUT', `alpine/${group}`, apk)).status, 400, group)
  }
  assert.deepEqual(await storedFiles(forge), [])
})

/** The files of a tar archive by name. */
async function filesIn(archive: Buffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (let at = 0; at + 512 <= archive.length;) {
    const name = archive.toString('latin1', at, at + 100).replace(/\0.*$/s, '')
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8) || 0
    if (name !== '') files[name] = archive.toString('latin1', at + 512, at + 512 + size)
    at += 512 + Math.ceil(size / 512) * 512
  }
  return files
}

test('alpineKey, alpineDownload, alpineDelete: the signed index follows uploads and deletions', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const { apk, checksum } = await apkOf(
    'tool',
    '1.0-r0',
    'x86_64',
    `datahash = ${digest('sha256', dataOf('content'))}\n`,
  )
  assert.equal((await alice('PUT', 'alpine/v3.20/main', apk)).status, 201)
  assert.equal((await alice('PUT', 'alpine/v3.20/main', apk)).status, 409)
  assert.equal((await alice('PUT', 'alpine/edge/main', apk)).status, 201)
  assert.equal((await alice('PUT', 'alpine/v3.20/main', (await apkOf('tool-doc', '1.0-r0', 'noarch')).apk)).status, 201)
  assert.equal((await alice('PUT', 'alpine/v3.20/main', (await apkOf('arm', '2_rc1-r3', 'aarch64')).apk)).status, 201)
  const key = await guest('GET', 'alpine/key')
  const [, keyName = ''] =
    /filename="(alice@[0-9a-f]+\.rsa\.pub)"/.exec(key.headers.get('content-disposition') ?? '') ?? []
  const indexOf = async (architecture: string) => {
    const { bytes } = await guest('GET', `alpine/v3.20/main/${architecture}/APKINDEX.tar.gz`)
    const first = await readMember(bytes, 0, 1 << 20)
    const signed = bytes.subarray(first.end)
    // The index is one member behind the signature; apk rejects more.
    assert.equal((await readMember(signed, 0, 1 << 20)).end, signed.length)
    const signature = Buffer.from((await filesIn(first.content))[`.SIGN.RSA.${keyName}`] ?? '', 'latin1')
    assert.ok(verify('sha1', signed, key.text, signature), 'the signature is right')
    return (await filesIn(gunzipSync(bytes)))['APKINDEX'] ?? ''
  }
  const index = await indexOf('x86_64')
  const about = 'T:A tool & more\nU:https://example.com\nL:MIT\nI:3\no:\nm:\nt:7\nD:so:libc.so other>1\n'
  assert.ok(index.startsWith(`C:${checksum}\nP:tool\nV:1.0-r0\nA:x86_64\nS:${apk.length}\n${about}\n`), index)
  assert.match(index, /P:tool-doc\nV:1.0-r0\nA:x86_64\n/)
  assert.match(await indexOf('aarch64'), /^C:.*\nP:tool-doc\nV:1.0-r0\nA:aarch64\n[^]*P:arm\n/)
  assert.equal((await guest('GET', 'alpine/v3.20/main/s390x/APKINDEX.tar.gz')).status, 404)
  assert.equal((await guest('GET', 'alpine/none/main/x86_64/APKINDEX.tar.gz')).status, 404)
  const path = 'alpine/v3.20/main/x86_64/tool-1.0-r0.apk'
  assert.deepEqual((await guest('GET', path)).bytes, apk)
  assert.equal((await guest('GET', 'alpine/v3.20/main/aarch64/tool-doc-1.0-r0.apk')).status, 200)
  assert.equal((await guest('GET', 'alpine/v3.20/main/aarch64/tool-1.0-r0.apk')).status, 404)
  assert.deepEqual(await refusedTo(forge, 'DELETE', path), [401, 401])
  assert.equal((await alice('DELETE', path)).status, 204)
  assert.equal((await alice('DELETE', path)).status, 404)
  assert.equal((await guest('GET', 'alpine/v3.20/main/x86_64/APKINDEX.tar.gz')).status, 404)
  await forge.as('alice').must('DELETE', '/packages/alice/alpine/arm/2_rc1-r3')
  assert.match(await indexOf('x86_64'), /^C:.*\nP:tool-doc\n/)
  assert.equal((await guest('GET', 'alpine/edge/main/x86_64/tool-1.0-r0.apk')).status, 200)
  assert.deepEqual(await examined(forge.services), [])
})
