import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { digest, refusedTo, registryOf, storedFiles, zipOf } from '../packages.test-support.ts'

function formOf(fields: Record<string, string>, content?: string | Buffer, fileName = 'tool-1.0.tar.gz'): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  if (content !== undefined) form.set('content', new File([new Uint8Array(Buffer.from(content))], fileName))
  return form
}

test('pypiUpload: refuses callers without rights and invalid names, versions, files and checksums, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const good = { name: 'tool', version: '1.0' }
  assert.deepEqual(await refusedTo(forge, 'POST', 'pypi/', formOf(good, 'x')), [401, 401])
  const bad: [string, FormData][] = [
    ['no file', formOf(good)],
    ['no name', formOf({ version: '1.0' }, 'x')],
    ['a path', formOf({ ...good, name: '../tool' }, 'x')],
    ['no version of PEP 440', formOf({ ...good, version: '1.0 final' }, 'x')],
    ['a checksum', formOf({ ...good, sha256_digest: '00' }, 'x')],
    ['a file with markup', formOf(good, 'x', 'a"><script>')],
  ]
  for (const [what, form] of bad) assert.equal((await alice('POST', 'pypi', form)).status, 400, what)
  assert.deepEqual(await storedFiles(forge), [])
})

test('pypiUpload, pypiSimple, pypiDownload: names are normalized, and descriptions are escaped', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const fields = {
    name: 'Some.Tool',
    version: '1.0rc1',
    requires_python: '>=3.8"><b>',
    sha256_digest: digest('sha256', 'x'),
  }
  assert.equal((await alice('POST', 'pypi/', formOf(fields, 'x'))).status, 201)
  assert.equal((await alice('POST', 'pypi/', formOf({ ...fields, name: 'some_tool' }, 'x'))).status, 409)
  assert.equal((await alice('POST', 'pypi/', formOf(fields, 'x', 'tool-1.0-py3-none-any.whl'))).status, 201)
  const page = await guest('GET', 'pypi/simple/some__TOOL/')
  assert.equal(page.headers.get('content-type'), 'text/html;charset=utf-8')
  assert.match(page.text, new RegExp(`files/some-tool/1.0rc1/tool-1.0.tar.gz#sha256=${digest('sha256', 'x')}"`))
  assert.match(page.text, /data-requires-python="&gt;=3.8&quot;&gt;&lt;b&gt;"/)
  assert.equal((await guest('GET', 'pypi/files/SOME-tool/1.0RC1/tool-1.0.tar.gz')).text, 'x')
  assert.equal((await guest('GET', 'pypi/simple/none')).status, 404)
  await forge.as('alice').must('DELETE', '/packages/alice/pypi/some-tool/1.0rc1')
  assert.equal((await guest('GET', 'pypi/simple/some-tool')).status, 404)
  assert.deepEqual(await examined(forge.services), [])
})

test('pip downloads the newest version and verifies it', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  for (const version of ['1.0', '1.10', '2.0rc1']) {
    const info = `tool-${version}.dist-info`
    const wheel = zipOf({
      'tool.py': `V = "${version}"\n`,
      [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: tool\nVersion: ${version}\n`,
      [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      [`${info}/RECORD`]: '',
    })
    const name = `tool-${version}-py3-none-any.whl`
    assert.equal((await alice('POST', 'pypi', formOf({ name: 'tool', version }, wheel, name))).status, 201)
  }
  const folder = mkdtempSync(join(tmpdir(), 'ingot-pip-'))
  try {
    const index = `${forge.url}/api/packages/alice/pypi/simple/`
    const args = ['-m', 'pip', 'install', '--isolated', '--disable-pip-version-check', '--no-cache-dir', '--no-deps']
    const ended = await runProgram('python3', [...args, '--target', folder, '--index-url', index, 'Tool'], {
      env: { HOME: folder },
    })
    assert.equal(ended.code, 0, ended.err)
    assert.equal(readFileSync(join(folder, 'tool.py'), 'utf8'), 'V = "1.10"\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
