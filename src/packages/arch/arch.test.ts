import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createMessage, readKey, readSignature, verify } from 'openpgp'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { storedXz } from '../formats/stored-xz.ts'
import { packageUsageOf, refusedTo, registryOf, storedFiles, tarOf } from '../packages.test-support.ts'
import { compareArchVersions, packageOfFileName } from './arch.rules.ts'

const infoOf = (name: string, version: string, architecture = 'x86_64', more = '') =>
  `# made by hand\npkgname = ${name}\npkgbase = ${name}\npkgver = ${version}\npkgdesc = small\nsize = 3\narch = ${architecture}\nlicense = MIT\nlicense = BSD\ndepend = bash\n${more}`

const tarWith = (...about: Parameters<typeof infoOf>) => tarOf({ '.PKGINFO': infoOf(...about), 'usr/bin/x': 'x\n' })

const archOf = async (...about: Parameters<typeof infoOf>) => gzipSync(await tarWith(...about))

/** The files of a gzipped tar archive by name. */
function filesIn(packed: Buffer): Map<string, string> {
  const tar = gunzipSync(packed)
  const files = new Map<string, string>()
  for (let at = 0; at + 512 <= tar.length;) {
    const name = tar.toString('latin1', at, at + 100).replace(/\0.*$/s, '')
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8) || 0
    if (name !== '') files.set(name, tar.toString('utf8', at + 512, at + 512 + size))
    at += 512 + Math.ceil(size / 512) * 512
  }
  return files
}

test('archUpload, archUploadToNone: refuses callers without rights and archives without a package, and stores nothing', async () => {
  await using forge = await startForge()
  const whole = await archOf('tool', '1.0-1')
  assert.deepEqual(await refusedTo(forge, 'PUT', 'arch/core', whole), [401, 401])
  assert.deepEqual(await refusedTo(forge, 'PUT', 'arch', whole), [401, 401])
  const alice = registryOf(forge.as('alice'), 'alice')
  const bad: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['no archive', Buffer.from('nothing')],
    ['no packed archive', await tarWith('tool', '1.0-1')],
    ['half', whole.subarray(0, 60)],
    ['no description', gzipSync(await tarOf({ 'usr/bin/x': 'x' }))],
    ['a long description', gzipSync(await tarOf({ '.PKGINFO': Buffer.alloc(2 << 20, 'a = b\n') }))],
    ['a bomb', gzipSync(await tarOf({ '.MTREE': Buffer.alloc(1 << 20), '.PKGINFO': 'x' }))],
    ['no release', await archOf('tool', '1.0')],
    ['a version with a path', await archOf('tool', '../1.0-1')],
    ['a name with a path', await archOf('../tool', '1.0-1')],
    ['a name with a dash first', await archOf('-tool', '1.0-1')],
    ['an architecture', await archOf('tool', '1.0-1', '../x')],
    ['no architecture', await archOf('tool', '1.0-1', '')],
  ]
  for (const [what, content] of bad) assert.equal((await alice('PUT', 'arch/core', content)).status, 400, what)
  for (const group of ['..%2Fx', '%20', 'a%0Ab', '.hidden', 'a%2F%2Fb']) {
    assert.ok([400, 404].includes((await alice('PUT', `arch/${group}`, whole)).status), group)
  }
  assert.deepEqual(await storedFiles(forge), [])
})

test('archKey, archDownload, archDownloadFromNone, archDelete, archDeleteFromNone: signed indexes follow uploads and deletions', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const put = async (path: string, content: Buffer) => (await alice('PUT', path, content)).status
  const tool = await archOf('tool', '1.9-1')
  assert.equal(await put('arch/core', tool), 201)
  assert.equal(await put('arch/core', tool), 409)
  const asXz = storedXz(await tarWith('tool', '1.9-1'))
  assert.equal(await put('arch/core', asXz), 409, 'the same, packed otherwise')
  assert.equal(await put('arch/core', await archOf('tool', '1.10-1')), 201)
  assert.equal(await put('arch/core', zstdCompressSync(await tarWith('doc', '2:1.0-1.1', 'any'))), 201)
  assert.equal(await put('arch/core', storedXz(await tarWith('other', '1-1', 'aarch64'))), 201)
  assert.equal(await put('arch/my/group', tool), 201)
  assert.equal(await put('arch', tool), 201)
  const index = (await guest('GET', 'arch/core/x86_64/whatever.db')).bytes
  const files = filesIn(index)
  assert.deepEqual([...files.keys()], ['doc-2:1.0-1.1/', 'doc-2:1.0-1.1/desc', 'tool-1.10-1/', 'tool-1.10-1/desc'])
  const about = files.get('tool-1.10-1/desc') ?? ''
  assert.match(about, /^%FILENAME%\ntool-1\.10-1-x86_64\.pkg\.tar\.gz\n\n%NAME%\ntool\n\n/)
  assert.match(about, /%LICENSE%\nMIT\nBSD\n\n%ARCH%\nx86_64\n\n%DEPENDS%\nbash\n\n$/)
  assert.deepEqual((await guest('GET', 'arch/core/x86_64/alice.db.tar.gz')).bytes, index)
  assert.deepEqual([...filesIn((await guest('GET', 'arch/core/aarch64/a.db')).bytes).keys()].length, 4)
  assert.deepEqual([...filesIn((await guest('GET', 'arch/x86_64/a.db')).bytes).keys()][0], 'tool-1.9-1/')
  assert.equal((await guest('GET', 'arch/none/x86_64/a.db')).status, 404)
  assert.equal((await guest('GET', 'arch/my/group/aarch64/a.db')).status, 404)
  const verificationKeys = await readKey({ armoredKey: (await guest('GET', 'arch/repository.key')).text })
  const isSigned = async (binary: Buffer, signature: Buffer) => {
    const message = await createMessage({ binary })
    const read = await readSignature({ binarySignature: signature })
    const { signatures } = await verify({ message, signature: read, verificationKeys })
    return signatures[0]?.verified
  }
  assert.ok(await isSigned(index, (await guest('GET', 'arch/core/x86_64/whatever.db.sig')).bytes))
  const file = 'arch/core/x86_64/tool-1.9-1-x86_64.pkg.tar.gz'
  assert.deepEqual((await guest('GET', file)).bytes, tool)
  const signature = (await guest('GET', `${file}.sig`)).bytes
  assert.ok(await isSigned(tool, signature))
  await assert.rejects(async () => isSigned(Buffer.from('other'), signature))
  assert.equal((await guest('GET', 'arch/core/any/doc-2%3A1.0-1.1-any.pkg.tar.zst')).status, 200)
  for (const name of ['none-1.0-1-x86_64.pkg.tar.gz', 'constructor', 'tool-1.9-1-x86_64.pkg.tar.xz']) {
    assert.equal((await guest('GET', `arch/core/x86_64/${name}`)).status, 404, name)
  }
  const pool = 'arch/core/tool/1.10-1/x86_64'
  assert.deepEqual(await refusedTo(forge, 'DELETE', pool), [401, 401])
  assert.equal((await alice('DELETE', 'arch/core/tool/1.10-1/any')).status, 404)
  assert.equal((await alice('DELETE', pool)).status, 204)
  assert.equal((await alice('DELETE', pool)).status, 404)
  assert.ok(filesIn((await guest('GET', 'arch/core/x86_64/a.db')).bytes).has('tool-1.9-1/desc'))
  await forge.as('alice').must('DELETE', '/packages/alice/arch/doc/2:1.0-1.1')
  assert.equal(filesIn((await guest('GET', 'arch/core/x86_64/a.db')).bytes).size, 2)
  assert.equal((await alice('DELETE', 'arch/tool/1.9-1/x86_64')).status, 204)
  assert.equal((await guest('GET', 'arch/x86_64/a.db')).status, 404)
  for (const rest of [
    'arch/core/tool/1.9-1/x86_64',
    'arch/core/other/1-1/aarch64',
    'arch/my/group/tool/1.9-1/x86_64',
  ]) {
    assert.equal((await alice('DELETE', rest)).status, 204, rest)
  }
  assert.equal(await packageUsageOf(forge, 'alice'), 0)
  assert.deepEqual(await examined(forge.services), [])
})

test('Arch versions are ordered like pacman, and file names are parsed', () => {
  const rising = [
    ...['1.0a-1', '1.0b-1', '1.0beta-1', '1.0p-1', '1.0pre-1', '1.0rc-1', '1.0-1', '1.0.a-1', '1.0.1-1'],
    ...['1.1-1', '1.1.1-1', '1.2-1', '1.2-2', '1.2-10', '1.10-1', '2.0-1', '3.0.0-1', '1:0.1-1', '10:0.1-1'],
  ]
  for (const [index, one] of rising.entries()) {
    for (const [position, other] of rising.entries()) {
      assert.equal(Math.sign(compareArchVersions(one, other)), Math.sign(index - position), `${one} ${other}`)
    }
  }
  assert.deepEqual(packageOfFileName('a-b-c-1:2.0-1-any.pkg.tar.zst.sig'), {
    name: 'a-b-c',
    version: '1:2.0-1',
    architecture: 'any',
  })
  assert.equal(packageOfFileName('a-1-any.pkg.tar.zst'), undefined)
})

const tools = await Promise.all(['pacman', 'makepkg', 'fakeroot'].map((tool) => runProgram(tool, ['--version'])))
const isMissing = tools.some(({ code }) => code !== 0)
const withoutPacman = isMissing && process.env['CI'] === undefined ? 'pacman and makepkg are not installed' : false

test(
  'pacman itself checks the signatures of the index and of what makepkg built, and installs the newest',
  { skip: withoutPacman },
  async () => {
    await using forge = await startForge({ users: ['alice'] })
    const alice = registryOf(forge.as('alice'), 'alice')
    const folder = mkdtempSync(join(tmpdir(), 'ingot-pacman-'))
    // makepkg refuses to run as root, and other users cannot read the folder of the tests.
    const workshop = mkdtempSync('/var/tmp/ingot-makepkg-')
    chmodSync(workshop, 0o755)
    try {
      for (const version of ['1.9', '1.10']) {
        const build = join(workshop, version)
        mkdirSync(build)
        chmodSync(build, 0o777)
        const script = `pkgname=tool\npkgver=${version}\npkgrel=1\npkgdesc="a small tool"\narch=(any)\nlicense=(MIT)\npackage() { install -d "$pkgdir/usr/share"; echo ${version} > "$pkgdir/usr/share/tool"; }\n`
        writeFileSync(join(build, 'PKGBUILD'), script)
        const options = { cwd: build, env: { HOME: build, PKGEXT: '.pkg.tar.zst', PACKAGER: 'A <a@example.com>' } }
        const isRoot = process.getuid?.() === 0
        const ended = isRoot
          ? await runProgram('setpriv', ['--reuid=65534', '--clear-groups', 'makepkg', '-d', '--nocheck'], options)
          : await runProgram('makepkg', ['-d', '--nocheck'], options)
        assert.equal(ended.code, 0, ended.err)
        const [built] = readdirSync(build).filter((name) => name.endsWith('.pkg.tar.zst'))
        const content = readFileSync(join(build, built ?? 'nothing was built'))
        assert.equal((await alice('PUT', 'arch/core', content)).status, 201)
      }
      for (const path of ['root', 'db', 'cache', 'gnupg']) mkdirSync(join(folder, path), { mode: 0o700 })
      writeFileSync(join(folder, 'key.asc'), (await alice('GET', 'arch/repository.key')).bytes)
      const gpg = (...args: string[]) => runProgram('gpg', ['--homedir', join(folder, 'gnupg'), '--batch', ...args])
      assert.equal((await gpg('--import', join(folder, 'key.asc'))).code, 0)
      const [, fingerprint = ''] = /^fpr:+([0-9A-F]{40}):/m.exec((await gpg('--list-keys', '--with-colons')).out) ?? []
      const trust = ['--homedir', join(folder, 'gnupg'), '--import-ownertrust']
      assert.equal((await runProgram('gpg', trust, { input: `${fingerprint}:6:\n` })).code, 0)
      const settings = `[options]\nRootDir = ${folder}/root\nDBPath = ${folder}/db\nCacheDir = ${folder}/cache\nGPGDir = ${folder}/gnupg\nLogFile = ${folder}/log\nArchitecture = x86_64\nSigLevel = Required\n[alice.core]\nServer = ${forge.url}/api/packages/alice/arch/core/$arch\n`
      writeFileSync(join(folder, 'pacman.conf'), settings)
      const run = async (...args: string[]) => {
        const ended = await runProgram('pacman', ['--config', join(folder, 'pacman.conf'), '--noconfirm', ...args])
        assert.equal(ended.code, 0, `pacman ${args.join(' ')}: ${ended.out}${ended.err}`)
        return ended.out
      }
      await run('-Sy')
      assert.match(await run('-Si', 'tool'), /Version +: 1\.10-1[\s\S]*Validated By +: .*Signature/)
      await run('-Sw', 'tool')
      assert.ok(readdirSync(join(folder, 'cache')).includes('tool-1.10-1-any.pkg.tar.zst'))
      assert.equal((await alice('DELETE', 'arch/core/tool/1.10-1/any')).status, 204)
      await run('-Syy')
      assert.match(await run('-Si', 'tool'), /Version +: 1\.9-1/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
      rmSync(workshop, { recursive: true, force: true })
    }
  },
)
