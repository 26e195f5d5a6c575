import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { binaryEntry, numberEntry, rpmType, textEntry } from '../formats/rpm-header.ts'
import { rpmOf } from '../formats/rpm.test-support.ts'
import { digest, refusedTo, registryOf, storedFiles } from '../packages.test-support.ts'

/** Header entries of `files` files in one folder whose name has `length` characters. */
const manyPaths = (files: number, length: number) => [
  numberEntry(1116, Array(files).fill(0)),
  textEntry(1117, Array(files).fill('x')),
  textEntry(1118, ['/'.repeat(length)]),
]

test('rpmUpload: refuses callers without rights and archives that are not packages, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const whole = rpmOf('tool', '1.0')
  assert.deepEqual(await refusedTo(forge, 'PUT', 'rpm/upload', whole), [401, 401])
  const many = Buffer.from(whole)
  many.writeUInt32BE(0xffffff, 96 + 8)
  const long = Buffer.from(whole)
  long.writeUInt32BE(0x7fffffff, 96 + 12)
  const changed = Buffer.from(whole)
  changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1)
  const lying = textEntry(269, ['00'.repeat(20)], rpmType.string)
  const folded = { tag: 2000, type: rpmType.binary, count: 0x7fffffff, data: Buffer.from('x') }
  const bad: [string, Buffer][] = [
    ['no archive', Buffer.from('nothing')],
    ['nothing', Buffer.alloc(0)],
    ['half of the lead', whole.subarray(0, 50)],
    ['half of the signatures', whole.subarray(0, 130)],
    ['half of the header', whole.subarray(0, 600)],
    ['half of the content', whole.subarray(0, -3)],
    ['more than the content', Buffer.concat([whole, Buffer.from('x')])],
    ['another content', changed],
    ['too many entries', many],
    ['too much data', long],
    ['a wrong digest of the header', rpmOf('tool', '1.0', { signatures: [lying] })],
    ['a wrong digest of everything', rpmOf('tool', '1.0', { signatures: [binaryEntry(1004, Buffer.alloc(16))] })],
    ['a wrong size', rpmOf('tool', '1.0', { signatures: [numberEntry(1000, [7])] })],
    ['an entry that is not there', rpmOf('tool', '1.0', { more: [folded] })],
    ['paths that are long together', rpmOf('tool', '1.0', { more: manyPaths(20_000, 200_000) })],
    ['too many files', rpmOf('tool', '1.0', { more: manyPaths(50_001, 1) })],
    ['an entry with too many values', rpmOf('tool', '1.0', { more: [numberEntry(3000, Array(100_001).fill(0))] })],
    ['a name', rpmOf('../tool', '1.0')],
    ['a version', rpmOf('tool', '1.0/2')],
    ['an architecture', rpmOf('tool', '1.0', { architecture: 'no"arch' })],
  ]
  for (const [what, content] of bad) assert.equal((await alice('PUT', 'rpm/upload', content)).status, 400, what)
  for (const group of ['..%2Fx', 'el9/..%2F', 'el9%2F%2Fstable', '%20', 'a%0ab', '.hidden']) {
    assert.equal((await alice('PUT', `rpm/${group}/upload`, whole)).status, 400, group)
  }
  assert.equal((await alice('PUT', 'rpm/elsewhere', whole)).status, 404)
  assert.deepEqual(await storedFiles(forge), [])
})

const documentOf = async (registry: ReturnType<typeof registryOf>, name: string, group = 'rpm') =>
  gunzipSync((await registry('GET', `${group}/repodata/${name}.xml.gz`)).bytes).toString()

test("rpmSettings, rpmKey, rpmDownload, rpmDelete: indexes contain the packages' metadata and follow uploads and deletions", async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  assert.equal((await guest('GET', 'rpm/repodata/repomd.xml')).status, 404)
  const tool = rpmOf('tool', '1.0', { epoch: 2 })
  assert.equal((await alice('PUT', 'rpm/upload', tool)).status, 201)
  assert.equal((await alice('PUT', 'rpm/upload', tool)).status, 409)
  assert.equal((await alice('PUT', 'rpm/el9/stable/upload', tool)).status, 201)
  const primary = await documentOf(guest, 'primary')
  for (const part of [
    'packages="1"',
    '<version epoch="2" ver="1.0" rel="1"/>',
    `<checksum type="sha256" pkgid="YES">${digest('sha256', tool)}</checksum>`,
    '<description>It does &lt;nothing&gt; &amp; more</description>',
    '<location href="package/tool/2-1.0-1/noarch/tool-2-1.0-1.noarch.rpm"/>',
    '<rpm:entry name="tool" flags="EQ" epoch="2" ver="1.0" rel="1"/>',
    '<rpm:entry name="/bin/sh" pre="1"/>\n    <rpm:entry name="libc" flags="GE" epoch="0" ver="2.30"/>',
    '<file>/usr/bin/tool</file>\n  <file type="ghost">/etc/tool.conf</file>\n  </format>',
  ]) {
    assert.ok(primary.includes(part), `${part} in ${primary}`)
  }
  assert.match(await documentOf(guest, 'filelists'), /<file type="dir">\/usr\/share<\/file>/)
  assert.match(
    await documentOf(guest, 'other'),
    /<changelog author="A &lt;a@example.com&gt;" date="1577934000">- first</,
  )
  const list = await guest('GET', 'rpm/repodata/repomd.xml')
  const packed = (await guest('GET', 'rpm/repodata/primary.xml.gz')).bytes
  assert.ok(list.text.includes(`<checksum type="sha256">${digest('sha256', packed)}</checksum>`))
  assert.ok(list.text.includes(`<open-checksum type="sha256">${digest('sha256', primary)}</open-checksum>`))
  assert.equal((await guest('HEAD', 'rpm/repodata/repomd.xml')).status, 200)
  assert.equal((await guest('GET', 'rpm/repodata/other.xml')).status, 404)
  assert.equal((await guest('GET', 'rpm/repodata/constructor.xml.gz')).status, 404)
  const settings = (await guest('GET', 'rpm/el9/stable.repo')).text
  assert.match(settings, /^\[alice-el9-stable\]$/m)
  assert.match(settings, /^baseurl=http.*\/api\/packages\/alice\/rpm\/el9\/stable$/m)
  assert.match((await guest('GET', 'rpm.repo')).text, /^gpgkey=.*\/api\/packages\/alice\/rpm\/repository.key$/m)
  assert.match((await guest('GET', 'rpm/repository.key')).text, /^-----BEGIN PGP PUBLIC KEY BLOCK-----/)
  const path = 'package/tool/2-1.0-1/noarch'
  assert.deepEqual((await guest('GET', `rpm/${path}`)).bytes, tool)
  assert.deepEqual(await refusedTo(forge, 'DELETE', `rpm/${path}`), [401, 401])
  assert.equal((await alice('DELETE', `rpm/${path}`)).status, 204)
  assert.equal((await alice('DELETE', `rpm/${path}`)).status, 404)
  assert.equal((await alice('DELETE', 'rpm/repodata/repomd.xml')).status, 404)
  assert.equal((await guest('GET', `rpm/${path}`)).status, 404)
  assert.equal((await guest('GET', 'rpm/repodata/repomd.xml')).status, 404)
  assert.match(await documentOf(guest, 'primary', 'rpm/el9/stable'), /packages="1"/)
  assert.deepEqual(await examined(forge.services), [])
})

const rpmbuild = await runProgram('rpmbuild', ['--version'])
const dnf = await runProgram('dnf', ['--version'])
const missing = (rpmbuild.code !== 0 || dnf.code !== 0) && process.env['CI'] === undefined
const skip = missing ? 'rpmbuild or dnf is not installed' : false

/** Runs a program and requires success. */
async function must(program: string, args: readonly string[], cwd: string): Promise<string> {
  const ended = await runProgram(program, [...args], { cwd })
  assert.equal(ended.code, 0, `${program} ${args.join(' ')}: ${ended.out}${ended.err}`)
  return ended.out + ended.err
}

const spec = (version: string) => `Name: tool
Version: ${version}
Release: 1
Summary: A tool
License: MIT
BuildArch: noarch
Requires: tool-less >= 1, /bin/none
Provides: tool-less = 1.5, /bin/none
Recommends: other
%description
It does <little>.
%install
mkdir -p %{buildroot}/etc/tool.d %{buildroot}/usr/bin
echo ${version} > %{buildroot}/usr/bin/tool
echo x > %{buildroot}/etc/tool.conf
%files
/usr/bin/tool
%config /etc/tool.conf
%dir /etc/tool.d
%ghost /etc/tool.d/made
%changelog
* Thu Jan 02 2020 A <a@example.com> - 1.0-1
- first
`

test(
  'createrepo reads packages as they are read here; dnf checks all signatures, installs the newest, and sees what is deleted',
  { skip },
  async () => {
    await using forge = await startForge()
    const alice = registryOf(forge.as('alice'), 'alice')
    const folder = mkdtempSync(join(tmpdir(), 'ingot-rpm-'))
    try {
      for (const version of ['1.9', '1.10']) {
        writeFileSync(join(folder, 'tool.spec'), spec(version))
        const built = ['-bb', '--quiet', '-D', `_topdir ${folder}/build`, '-D', `_rpmdir ${folder}/out`, 'tool.spec']
        await must('rpmbuild', built, folder)
      }
      const files = readdirSync(join(folder, 'out/noarch')).sort()
      assert.deepEqual(files, ['tool-1.10-1.noarch.rpm', 'tool-1.9-1.noarch.rpm'])
      for (const file of files) {
        const content = readFileSync(join(folder, 'out/noarch', file))
        assert.equal((await alice('PUT', 'rpm/plain/upload', content)).status, 201)
        assert.equal((await alice('PUT', 'rpm/el9/stable/upload?sign=true', content)).status, 201)
      }
      if ((await runProgram('createrepo_c', ['--version'])).code === 0) {
        await must('createrepo_c', ['--quiet', '--general-compress-type=gz', join(folder, 'out/noarch')], folder)
        const made = join(folder, 'out/noarch/repodata')
        for (const name of ['primary', 'filelists', 'other']) {
          const file = readdirSync(made).find((each) => each.endsWith(`${name}.xml.gz`)) ?? ''
          const theirs = gunzipSync(readFileSync(join(made, file))).toString()
          assert.deepEqual(comparedXml(await documentOf(alice, name, 'rpm/plain')), comparedXml(theirs), name)
        }
      }
      mkdirSync(join(folder, 'repos'))
      writeFileSync(join(folder, 'key.asc'), (await alice('GET', 'rpm/repository.key')).bytes)
      writeFileSync(join(folder, 'signed.rpm'), (await alice('GET', 'rpm/el9/stable/package/tool/1.10-1/noarch')).bytes)
      await must('rpm', ['--dbpath', join(folder, 'db'), '--import', 'key.asc'], folder)
      const checked = await must('rpm', ['--dbpath', join(folder, 'db'), '-Kv', 'signed.rpm'], folder)
      assert.match(checked, /Header V4 RSA\/SHA\d+ Signature, key ID [0-9a-f]+: OK/)
      assert.doesNotMatch(checked, /BAD|NOKEY|NOTFOUND/)
      writeFileSync(join(folder, 'repos/forge.repo'), (await alice('GET', 'rpm/el9/stable.repo')).bytes)
      const settings = [`reposdir=${folder}/repos`, `cachedir=${folder}/cache`, `logdir=${folder}`, 'metadata_expire=0']
      const where = ['-y', '--installroot', join(folder, 'root'), '--releasever', '9', '--disableplugin=*']
      const run = (...args: string[]) =>
        must('dnf', [...where, ...settings.flatMap((each) => ['--setopt', each]), ...args], folder)
      await run('install', 'tool')
      assert.equal(readFileSync(join(folder, 'root/usr/bin/tool'), 'utf8'), '1.10\n')
      assert.equal((await alice('DELETE', 'rpm/el9/stable/package/tool/1.10-1/noarch')).status, 204)
      const left = await run('--refresh', 'repoquery', '--qf', '%{evr}', '--disableexcludes=all', 'tool')
      assert.match(left, /^1\.9-1$/m)
      assert.doesNotMatch(left, /^1\.10-1$/m)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

/** The parts of a document that do not depend on times and locations. */
const comparedXml = (text: string): string[] =>
  text
    .split(/(?=<package )/)
    .slice(1)
    .map((each) =>
      each
        .replaceAll(/<time file="\d+"/g, '<time')
        .replaceAll(/<location [^>]*>/g, '')
        .replaceAll(/<\/(?:metadata|filelists|otherdata)>/g, '')
        .replaceAll(/<(\w+:?\w*)><\/\1>/g, '<$1/>')
        .replaceAll(/>\s+</g, '><')
        .trim(),
    )
    .toSorted()
