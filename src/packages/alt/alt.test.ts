import { blake2b } from '@noble/hashes/blake2.js'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { rpmOf } from '../formats/rpm.test-support.ts'
import { digest, refusedTo, registryOf, storedFiles } from '../packages.test-support.ts'

test('altUpload: refuses callers without rights, invalid packages and invalid groups, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const whole = rpmOf('tool', '1.0')
  assert.deepEqual(await refusedTo(forge, 'PUT', 'alt/p10/upload', whole), [401, 401])
  for (const content of [Buffer.from('nothing'), whole.subarray(0, 600), whole.subarray(0, -1)]) {
    assert.equal((await alice('PUT', 'alt/p10/upload', content)).status, 400)
  }
  assert.equal((await alice('PUT', 'alt/..%2Fx/upload', whole)).status, 400)
  assert.deepEqual(await storedFiles(forge), [])
})

test('altDownload, altDelete: rpm reads the indexes, and they follow uploads and deletions', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const tool = rpmOf('tool', '1.0', { release: 'alt1' })
  assert.equal((await alice('PUT', 'alt/p10/upload', tool)).status, 201)
  assert.equal((await alice('PUT', 'alt/p10/upload', tool)).status, 409)
  assert.equal((await alice('PUT', 'alt/p10/upload', rpmOf('two', '2', { architecture: 'x86_64' }))).status, 201)
  assert.equal((await alice('PUT', 'alt/p10/upload', rpmOf('three', '3', { epoch: 1 }))).status, 201)
  assert.match((await guest('GET', 'alt/p10.repo')).text, /^baseurl=http.*\/api\/packages\/alice\/alt\/p10$/m)
  const base = 'alt/p10.repo/noarch/base'
  const list = (await guest('GET', `${base}/pkglist.classic`)).bytes
  const release = (await guest('GET', `${base}/release`)).text
  const blake2bDigest = Buffer.from(blake2b(list, { dkLen: 32 })).toString('hex')
  assert.ok(release.includes(`MD5Sum:\n ${digest('md5', list)} ${list.length} base/pkglist.classic\n`), release)
  assert.ok(release.includes(`BLAKE2b:\n ${blake2bDigest} ${list.length} base/pkglist.classic\n`))
  const packed = (await guest('GET', `${base}/pkglist.classic.xz`)).bytes
  assert.ok(release.includes(` ${digest('md5', packed)} ${packed.length} base/pkglist.classic.xz\n`))
  assert.match((await guest('GET', `${base}/release.classic`)).text, /^Component: classic$/m)
  assert.equal((await guest('GET', `${base}/none`)).status, 404)
  assert.equal((await guest('GET', 'alt/p10.repo/i586/base/release')).status, 404)
  await readByRpm(list)
  const path = 'alt/p10.repo/noarch/RPMS.classic/tool-1.0-alt1.noarch.rpm'
  assert.deepEqual((await guest('GET', path)).bytes, tool)
  assert.equal((await guest('GET', path.replace('/noarch/', '/i586/'))).status, 404)
  assert.deepEqual(await refusedTo(forge, 'DELETE', path), [401, 401])
  assert.equal((await alice('DELETE', `${base}/release`)).status, 404)
  assert.equal((await alice('DELETE', path)).status, 204)
  assert.equal((await alice('DELETE', path)).status, 404)
  assert.ok(!(await guest('GET', `${base}/pkglist.classic`)).bytes.includes('tool-1.0'))
  assert.deepEqual(await examined(forge.services), [])
})

const script = `import os, sys
sys.path.insert(0, '/usr/lib/python3/dist-packages')
import rpm
fd = os.open(sys.argv[1], os.O_RDONLY)
while True:
    header, offset = rpm.readHeaderFromFD(fd)
    if header is None: break
    print(header[rpm.RPMTAG_NEVRA], header[1000000], header[1000001], header[rpm.RPMTAG_REQUIRENEVRS])
`

/** Reads an index with rpm itself, where rpm and its Python library are installed. */
async function readByRpm(list: Buffer): Promise<void> {
  const python = ['-c', "import sys; sys.path.insert(0, '/usr/lib/python3/dist-packages'); import rpm"]
  if ((await runProgram('/usr/bin/python3', python)).code !== 0) return
  const folder = mkdtempSync(join(tmpdir(), 'ingot-alt-'))
  try {
    writeFileSync(join(folder, 'list'), list)
    writeFileSync(join(folder, 'read.py'), script)
    const { out, err } = await runProgram('/usr/bin/python3', [join(folder, 'read.py'), join(folder, 'list')])
    assert.match(out, /^tool-1\.0-alt1\.noarch tool-1\.0-alt1\.noarch\.rpm \d+ .*libc >= 2\.30/m, err)
    assert.match(out, /^three-1:3-1\.noarch three-1-3-1\.noarch\.rpm/m, err)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
