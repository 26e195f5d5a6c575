import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { pythonClient } from '../../testing/python-client.ts'
import { packBzip2 } from '../formats/pack-bzip2.ts'
import { unpackBzip2 } from '../formats/unpack-bzip2.ts'
import { digest, refusedTo, registryOf, storedFiles, tarOf, zipOf } from '../packages.test-support.ts'

const indexOf = (name: string, version: string, more: object = {}) =>
  JSON.stringify({ name, version, build: 'h1_0', build_number: 0, depends: ['other >=1'], subdir: 'noarch', ...more })

const oldOf = async (...about: Parameters<typeof indexOf>) =>
  packBzip2(await tarOf({ 'info/index.json': indexOf(...about), 'lib/x': 'x' }))

const newOf = async (...about: Parameters<typeof indexOf>) =>
  zipOf({
    'metadata.json': '{"conda_pkg_format_version":2}',
    'info-x.tar.zst': zstdCompressSync(await tarOf({ 'info/index.json': indexOf(...about) })),
    'pkg-x.tar.zst': zstdCompressSync(await tarOf({ 'lib/x': 'x' })),
  })

test('condaUpload, condaUploadToNone: refuses callers without rights and archives without a package, and stores nothing', async () => {
  await using forge = await startForge()
  const whole = await oldOf('tool', '1.0')
  assert.deepEqual(await refusedTo(forge, 'PUT', 'conda/tool-1.0-0.tar.bz2', whole), [401, 401])
  assert.deepEqual(await refusedTo(forge, 'PUT', 'conda/main/tool-1.0-0.tar.bz2', whole), [401, 401])
  const alice = registryOf(forge.as('alice'), 'alice')
  const flipped = Buffer.from(whole)
  flipped[40] = (flipped[40] ?? 0) ^ 1
  const bomb = zstdCompressSync(Buffer.alloc(300 << 20))
  const bad: [string, string, Buffer][] = [
    ['nothing', 'x.tar.bz2', Buffer.alloc(0)],
    ['no archive', 'x.tar.bz2', Buffer.from('nothing')],
    ['half', 'x.tar.bz2', whole.subarray(0, 60)],
    ['a wrong checksum', 'x.tar.bz2', flipped],
    ['no description', 'x.tar.bz2', packBzip2(await tarOf({ 'lib/x': 'x' }))],
    ['no tar', 'x.tar.bz2', packBzip2(Buffer.from('x'))],
    ['the other form', 'x.conda', whole],
    ['a zip without a description', 'x.conda', zipOf({ 'metadata.json': '{}' })],
    ['a bomb', 'x.conda', zipOf({ 'info-x.tar.zst': bomb })],
    ['a name', 'x.tar.bz2', await oldOf('../tool', '1.0')],
    ['a version', 'x.tar.bz2', await oldOf('tool', '1-0')],
    ['a build', 'x.conda', await newOf('tool', '1.0', { build: 'a/b' })],
    ['a platform', 'x.tar.bz2', await oldOf('tool', '1.0', { subdir: '..' })],
    ['no JSON', 'x.tar.bz2', packBzip2(await tarOf({ 'info/index.json': '{' }))],
    ['dependencies', 'x.tar.bz2', await oldOf('tool', '1.0', { depends: [{}] })],
    ['a description without end', 'x.tar.bz2', await oldOf('tool', '1.0', { summary: 'x'.repeat(2 << 20) })],
  ]
  for (const [what, name, content] of bad) {
    const { status, json } = await alice('PUT', `conda/${name}`, content)
    assert.deepEqual([status, Object.keys(json as object)], [400, ['reason', 'message']], what)
  }
  for (const channel of ['.hidden', '%20', 'a%2F..%2Fb']) {
    assert.equal((await alice('PUT', `conda/${channel}/x.tar.bz2`, whole)).status, 400, channel)
  }
  assert.equal((await alice('PUT', 'conda/tool.zip', whole)).status, 404)
  assert.deepEqual(await storedFiles(forge), [])
})

test('condaDownload, condaDownloadFromNone: each channel and platform has an index in each compression', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const tool = await oldOf('tool', '1.0', { timestamp: 1_700_000_000_000, constrains: ['x <2'] })
  const put = async (path: string, content: Buffer) => (await alice('PUT', `conda/${path}`, content)).status
  assert.equal(await put('whatever.tar.bz2', tool), 201)
  assert.equal(await put('whatever.tar.bz2', tool), 409)
  assert.equal(await put('whatever.conda', await newOf('tool', '1.0')), 201)
  assert.equal(await put('main/whatever.tar.bz2', tool), 201)
  assert.equal(await put('main/sub/whatever.tar.bz2', await oldOf('tool', '2.0')), 201)
  assert.equal(await put('main/x.conda', await newOf('tool', '1.0', { subdir: 'linux-64' })), 201)
  const index = (await guest('GET', 'conda/noarch/repodata.json')).json
  assert.deepEqual(Object.keys(index.packages), ['tool-1.0-h1_0.tar.bz2'])
  assert.deepEqual(Object.keys(index['packages.conda']), ['tool-1.0-h1_0.conda'])
  const shown = index.packages['tool-1.0-h1_0.tar.bz2']
  assert.deepEqual([shown.name, shown.timestamp, shown.constrains], ['tool', 1_700_000_000_000, ['x <2']])
  assert.deepEqual([shown.size, shown.sha256], [tool.length, digest('sha256', tool)])
  const main = await guest('GET', 'conda/main/noarch/current_repodata.json')
  assert.deepEqual(Object.keys(main.json.packages), ['tool-1.0-h1_0.tar.bz2'])
  const packed = (await guest('GET', 'conda/main/noarch/repodata.json.bz2')).bytes
  assert.deepEqual(
    Buffer.concat([...unpackBzip2(packed)]),
    (await guest('GET', 'conda/main/noarch/repodata.json')).bytes,
  )
  const zst = (await guest('GET', 'conda/main/linux-64/repodata.json.zst')).bytes
  assert.deepEqual(Object.keys(JSON.parse(zstdDecompressSync(zst).toString())['packages.conda']), [
    'tool-1.0-h1_0.conda',
  ])
  assert.deepEqual((await guest('GET', 'conda/main/noarch/tool-1.0-h1_0.tar.bz2')).bytes, tool)
  for (const path of [
    'main/osx-64/repodata.json',
    'none/noarch/repodata.json',
    'noarch/x',
    'linux-64/tool-1.0-h1_0.conda',
  ]) {
    assert.equal((await guest('GET', `conda/${path}`)).status, 404, path)
  }
  await forge.as('alice').must('DELETE', '/packages/alice/conda/main%2Ftool/1.0')
  assert.equal((await guest('GET', 'conda/main/noarch/repodata.json')).status, 404)
  assert.equal((await guest('GET', 'conda/main/sub/noarch/repodata.json')).status, 200)
  assert.deepEqual(await examined(forge.services), [])
})

test('bzip2 files of the server and of the program unpack alike', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-bzip2-'))
  try {
    const words = Array.from({ length: 40_000 }, (_, index) => `${(index * 7919) % 4001} `).join('')
    const samples = ['', 'a', 'aaaa', 'aaaaa', 'ab'.repeat(5000), '\0'.repeat(1_000_000), words]
    for (const [index, text] of samples.entries()) {
      const content = Buffer.from(text)
      const packed = packBzip2(content)
      assert.deepEqual(Buffer.concat([...unpackBzip2(packed)]), content, `sample ${index}`)
      writeFileSync(join(folder, `${index}`), content)
      writeFileSync(join(folder, `${index}-own.bz2`), packed)
    }
    if ((await runProgram('bzip2', ['--help'])).code !== 0) return t.skip('bzip2 is not installed')
    for (const [index, text] of samples.entries()) {
      assert.equal((await runProgram('bzip2', ['-dk', `${index}-own.bz2`], { cwd: folder })).code, 0)
      assert.equal(readFileSync(join(folder, `${index}-own`), 'utf8'), text)
      assert.equal((await runProgram('bzip2', ['-k', `${index}`], { cwd: folder })).code, 0)
      const theirs = readFileSync(join(folder, `${index}.bz2`))
      assert.equal(Buffer.concat([...unpackBzip2(theirs)]).toString(), text)
    }
    assert.throws(() => [...unpackBzip2(packBzip2(Buffer.from(words)).subarray(0, 1000))], /ends too early/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

const session = `
import asyncio, sys
from rattler import install, solve, Platform
async def main():
    channel, prefix = sys.argv[1:]
    records = await solve([channel], ["tool"], platforms=[Platform("linux-64"), Platform("noarch")])
    for record in records: print(record.name.normalized, record.version, record.file_name)
    await install(records, prefix, cache_dir=prefix + "-cache")
asyncio.run(main())
`

test('py-rattler solves and installs packages built with conda-package-handling', async (t) => {
  const client = await pythonClient('py-rattler==0.28.0', 'conda-package-handling==2.6.0')
  if (!client) return t.skip('the client cannot be installed')
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const folder = mkdtempSync(join(tmpdir(), 'ingot-conda-'))
  try {
    const build = async (name: string, version: string, ending: string, depends: string[]) => {
      const prefix = join(folder, `${name}-${version}`)
      mkdirSync(join(prefix, 'info'), { recursive: true })
      mkdirSync(join(prefix, 'share'))
      writeFileSync(join(prefix, 'share', name), version)
      const index = { name, version, build: '0', build_number: 0, depends, subdir: 'noarch', noarch: 'generic' }
      writeFileSync(join(prefix, 'info/index.json'), JSON.stringify(index))
      writeFileSync(join(prefix, 'info/files'), `share/${name}\n`)
      const path = {
        _path: `share/${name}`,
        path_type: 'hardlink',
        sha256: digest('sha256', version),
        size_in_bytes: version.length,
      }
      writeFileSync(join(prefix, 'info/paths.json'), JSON.stringify({ paths: [path], paths_version: 1 }))
      const file = `${name}-${version}-0.${ending}`
      const made = await client.run([
        '-m',
        'conda_package_handling.cli',
        'create',
        prefix,
        file,
        '--out-folder',
        folder,
      ])
      assert.equal(made.code, 0, made.err)
      assert.equal((await alice('PUT', `conda/main/${file}`, readFileSync(join(folder, file)))).status, 201, file)
    }
    await build('base', '1.0', 'tar.bz2', [])
    await build('tool', '1.9', 'tar.bz2', ['base'])
    await build('tool', '1.10', 'conda', ['base >=1'])
    const prefix = join(folder, 'prefix')
    const channel = `${forge.url}/api/packages/alice/conda/main`
    const ended = await client.run(['-c', session, channel, prefix], {
      env: { HOME: folder, RAYON_NUM_THREADS: '1' },
      timeoutMs: 100_000,
    })
    assert.equal(ended.code, 0, ended.err)
    assert.deepEqual(ended.out.trim().split('\n').toSorted(), [
      'base 1.0 base-1.0-0.tar.bz2',
      'tool 1.10 tool-1.10-0.conda',
    ])
    assert.equal(readFileSync(join(prefix, 'share/tool'), 'utf8'), '1.10')
    assert.equal(readFileSync(join(prefix, 'share/base'), 'utf8'), '1.0')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
