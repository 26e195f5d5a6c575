import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, refusedTo, registryOf, storedFiles, tgzOf, zipOf } from '../packages.test-support.ts'

const description = (name: string, version: string, more = '') => `Package: ${name}\nVersion: ${version}\n${more}`
const source = (name: string, version: string, more = '') =>
  tgzOf({ [`${name}/R/x.R`]: 'x', [`${name}/DESCRIPTION`]: description(name, version, more) })

test('cranUploadSource, cranUploadBinary: refuses callers without rights and archives without a package, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const whole = await source('tool', '1.0')
  assert.deepEqual(await refusedTo(forge, 'PUT', 'cran/src', whole), [401, 401])
  const bad = [Buffer.from('x'), whole.subarray(0, 60), await tgzOf({ x: 'x' }), await source('1x', '1.0')]
  for (const content of [...bad, await source('tool', 'one'), await source('tool', `1.${'9.'.repeat(30)}1`)]) {
    assert.equal((await alice('PUT', 'cran/src', content)).status, 400)
  }
  for (const query of ['', '?platform=windows', '?platform=..%2Fx&rversion=4.2']) {
    assert.equal((await alice('PUT', `cran/bin${query}`, whole)).status, 400, query)
  }
  assert.deepEqual(await storedFiles(forge), [])
})

test('cranSource, cranArchivedSource, cranBinary: indexes name the newest versions, and all files are served', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  assert.equal((await guest('GET', 'cran/src/contrib/PACKAGES')).status, 404)
  const newest = await source('tool', '1.10', 'Imports: abc,\n    def\nLicense: MIT\n')
  for (const content of [newest, await source('tool', '1.9'), await source('alpha', '0.1')]) {
    assert.equal((await alice('PUT', 'cran/src', content)).status, 201)
  }
  assert.equal((await alice('PUT', 'cran/src', newest)).status, 409)
  const index = (await guest('GET', 'cran/src/contrib/PACKAGES')).text
  const expected = `Package: tool\nVersion: 1.10\nImports: abc, def\nLicense: MIT\nNeedsCompilation: no\nMD5sum: ${digest('md5', newest)}\n`
  assert.match(index, /^Package: alpha\n/)
  assert.ok(index.endsWith(`\n\n${expected}`))
  assert.equal(gunzipSync((await guest('GET', 'cran/src/contrib/PACKAGES.gz')).bytes).toString(), index)
  assert.deepEqual((await guest('GET', 'cran/src/contrib/tool_1.10.tar.gz')).bytes, newest)
  assert.equal((await guest('GET', 'cran/src/contrib/Archive/tool/tool_1.9.tar.gz')).status, 200)
  const binary = zipOf({ 'tool/DESCRIPTION': description('tool', '1.10') })
  assert.equal((await alice('PUT', 'cran/bin?platform=macosx%2Fbig-sur&rversion=4.2', binary)).status, 201)
  assert.deepEqual((await guest('GET', 'cran/bin/macosx/big-sur/contrib/4.2/tool_1.10.zip')).bytes, binary)
  assert.match((await guest('GET', 'cran/bin/macosx/big-sur/contrib/4.2/PACKAGES')).text, /^Package: tool\n/)
  assert.equal((await guest('GET', 'cran/bin/macosx/big-sur/contrib/4.3/PACKAGES')).status, 404)
  await forge.as('alice').must('DELETE', '/packages/alice/cran/tool/1.10')
  assert.match((await guest('GET', 'cran/src/contrib/PACKAGES')).text, /Version: 1\.9\n/)
  assert.deepEqual(await examined(forge.services), [])
})
