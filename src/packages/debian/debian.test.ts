import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, zstdCompressSync } from 'node:zlib'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { digest, refusedTo, registryOf, storedFiles, tarOf, tgzOf } from '../packages.test-support.ts'
import { storedXz } from '../formats/stored-xz.ts'

/** An ar archive, the format of Debian packages. */
function arOf(files: Readonly<Record<string, Buffer | string>>): Buffer {
  const parts = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content)
    const head = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}`
    return [Buffer.from(`${head}${String(bytes.length).padEnd(10)}\`\n`), bytes, Buffer.alloc(bytes.length % 2, 10)]
  })
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}

const controlOf = (name: string, version: string, architecture = 'amd64', more = '') =>
  `Package: ${name}\nVersion: ${version}\nArchitecture: ${architecture}\n${more}Maintainer: A <a@example.com>\nDescription: small\n more of it\n`

const debOf = async (...about: Parameters<typeof controlOf>) =>
  arOf({
    'debian-binary': '2.0\n',
    'control.tar.gz': await tgzOf({ './control': controlOf(...about) }),
    'data.tar.gz': await tgzOf({ './usr/share/x': 'x' }),
  })

test('debianUpload: refuses callers without rights and archives without a package, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const path = 'debian/pool/bookworm/main/upload'
  const whole = await debOf('tool', '1.0')
  assert.deepEqual(await refusedTo(forge, 'PUT', path, whole), [401, 401])
  const bomb = await tgzOf({ './a': Buffer.alloc(80 << 20), './control': controlOf('tool', '1.0') })
  const bad: [string, Buffer][] = [
    ['no archive', Buffer.from('nothing')],
    ['half of a header', whole.subarray(0, 90)],
    ['half of a description', whole.subarray(0, 160)],
    ['no description', arOf({ 'debian-binary': '2.0\n', 'data.tar.gz': '' })],
    ['no tar', arOf({ 'debian-binary': '2.0\n', 'control.tar.gz': 'x' })],
    ['a bomb', arOf({ 'debian-binary': '2.0\n', 'control.tar.gz': bomb })],
    ['a size that is none', Buffer.concat([Buffer.from('!<arch>\n'), Buffer.alloc(60, 0x2d)])],
    ['a name', await debOf('T', '1.0')],
    ['a version', await debOf('tool', 'x:1')],
    ['an architecture', await debOf('tool', '1.0', '../x')],
  ]
  for (const [what, content] of bad) assert.equal((await alice('PUT', path, content)).status, 400, what)
  for (const group of ['%20/main', '..%2Fx/main', 'a%0Ab/main', 'x/a%7Cb']) {
    assert.equal((await alice('PUT', `debian/pool/${group}/upload`, whole)).status, 400, group)
  }
  assert.deepEqual(await storedFiles(forge), [])
})

test('debianKey, debianIndex, debianDownload, debianDelete: indexes follow uploads and deletions', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const deb = await debOf('tool', '1.0', 'amd64', 'Filename: lies\nSize: 1\n')
  assert.equal((await alice('PUT', 'debian/pool/bookworm/main/upload', deb)).status, 201)
  assert.equal((await alice('PUT', 'debian/pool/bookworm/main/upload', deb)).status, 409)
  assert.equal((await alice('PUT', 'debian/pool/trixie/main/upload', deb)).status, 201)
  const zstd = arOf({
    'debian-binary': '2.0\n',
    'control.tar.zst': zstdCompressSync(await tarOf({ './control': controlOf('two', '2:1.0~rc1', 'all') })),
  })
  assert.equal((await alice('PUT', 'debian/pool/bookworm/extra/upload', zstd)).status, 201)
  const xz = arOf({
    'debian-binary': '2.0\n',
    'control.tar.xz': storedXz(await tarOf({ './control': controlOf('three', '3') })),
  })
  assert.equal((await alice('PUT', 'debian/pool/bookworm/extra/upload', xz)).status, 201)
  const dists = 'debian/dists/bookworm'
  const index = await guest('GET', `${dists}/main/binary-amd64/Packages`)
  assert.equal(
    index.text,
    `${controlOf('tool', '1.0').trim()}\nFilename: pool/bookworm/main/tool_1.0_amd64.deb\nSize: ${deb.length}\nMD5sum: ${digest('md5', deb)}\nSHA1: ${digest('sha1', deb)}\nSHA256: ${digest('sha256', deb)}\nSHA512: ${digest('sha512', deb)}\n\n`,
  )
  assert.equal(gunzipSync((await guest('GET', `${dists}/main/binary-amd64/Packages.gz`)).bytes).toString(), index.text)
  const release = (await guest('GET', `${dists}/Release`)).text
  assert.match(release, /^Components: extra main$/m)
  assert.ok(release.includes(` ${digest('sha256', index.bytes)} ${index.bytes.length} main/binary-amd64/Packages\n`))
  const byHash = `${dists}/main/binary-amd64/by-hash/SHA512/${digest('sha512', index.bytes)}`
  assert.equal((await guest('GET', byHash)).text, index.text)
  assert.equal((await guest('GET', byHash.replace('SHA512', 'constructor'))).status, 404)
  assert.equal((await guest('GET', `${dists}/constructor`)).status, 404)
  assert.equal((await guest('GET', 'debian/dists/none/Release')).status, 404)
  const key = (await guest('GET', 'debian/repository.key')).text
  assert.match(key, /^-----BEGIN PGP PUBLIC KEY BLOCK-----/)
  assert.equal((await guest('GET', 'debian/repository.key')).text, key)
  assert.deepEqual((await guest('GET', 'debian/pool/bookworm/main/tool_1.0_amd64.deb')).bytes, deb)
  const pool = 'debian/pool/bookworm/main/tool/1.0/amd64'
  assert.deepEqual(await refusedTo(forge, 'DELETE', pool), [401, 401])
  assert.equal((await alice('DELETE', pool)).status, 204)
  assert.equal((await alice('DELETE', pool)).status, 404)
  assert.equal((await guest('GET', `${dists}/main/binary-amd64/Packages`)).status, 404)
  assert.equal((await guest('GET', 'debian/pool/trixie/main/tool_1.0_amd64.deb')).status, 200)
  await forge.as('alice').must('DELETE', '/packages/alice/debian/two/2:1.0~rc1')
  assert.doesNotMatch((await guest('GET', `${dists}/Release`)).text, /binary-all/)
  assert.deepEqual(await examined(forge.services), [])
})

const aptGet = await runProgram('apt-get', ['--version'])
const withoutApt = aptGet.code !== 0 && process.env['CI'] === undefined ? 'apt is not installed' : false

test(
  'apt itself checks the signature, downloads the newest, and sees what is deleted',
  { skip: withoutApt },
  async () => {
    await using forge = await startForge()
    const alice = registryOf(forge.as('alice'), 'alice')
    const folder = mkdtempSync(join(tmpdir(), 'ingot-apt-'))
    try {
      for (const version of ['1.9', '1.10']) {
        assert.equal((await alice('PUT', 'debian/pool/stable/main/upload', await debOf('tool', version))).status, 201)
      }
      for (const path of ['state/lists/partial', 'cache/archives/partial', 'etc']) {
        mkdirSync(join(folder, path), { recursive: true })
      }
      const base = `${forge.url}/api/packages/alice/debian`
      writeFileSync(join(folder, 'key.asc'), (await alice('GET', 'debian/repository.key')).bytes)
      writeFileSync(join(folder, 'status'), '')
      writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${join(folder, 'key.asc')}] ${base} stable main\n`)
      const settings = [
        `Dir=${folder}`,
        `Dir::State=${folder}/state`,
        `Dir::State::status=${folder}/status`,
        `Dir::Cache=${folder}/cache`,
        `Dir::Etc::sourcelist=${folder}/sources.list`,
        'Dir::Etc::sourceparts=/dev/null',
        'APT::Architecture=amd64',
        'APT::Sandbox::User=root',
        'Debug::NoLocking=1',
        'APT::Update::Error-Mode=any',
      ]
      const apt = async (...args: string[]) => {
        const ended = await runProgram('apt-get', [...settings.flatMap((each) => ['-o', each]), ...args], {
          cwd: folder,
        })
        assert.equal(ended.code, 0, `apt-get ${args.join(' ')}: ${ended.out}${ended.err}`)
        return ended.out
      }
      await apt('update')
      assert.match(await apt('install', '-s', 'tool'), /Inst tool \(1\.10 /)
      await apt('download', 'tool')
      assert.equal((await alice('DELETE', 'debian/pool/stable/main/tool/1.10/amd64')).status, 204)
      await apt('update')
      assert.match(await apt('install', '-s', 'tool'), /Inst tool \(1\.9 /)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
