import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, packageUsageOf, refusedTo, registryOf, storedFiles, tarOf, tgzOf } from '../packages.test-support.ts'

const chart = (name: string, version: string, more = '') =>
  tgzOf({ [`${name}/values.yaml`]: 'a: 1\n', [`${name}/Chart.yaml`]: `name: ${name}\nversion: "${version}"\n${more}` })

test('helmUpload: refuses callers without rights and archives without a chart, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const whole = await chart('tool', '1.0.0')
  assert.deepEqual(await refusedTo(forge, 'POST', 'helm/api/charts', whole), [401, 401])
  const aliases = `a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]\n`
  const tar = await tarOf({ 'tool/Chart.yaml': 'name: tool\nversion: 1.0.0\n' })
  const bad: [string, Buffer][] = [
    ['no archive', Buffer.from('nothing')],
    ['half of one', whole.subarray(0, -20)],
    ['no tar', gzipSync('nothing')],
    ['half a tar', gzipSync(tar.subarray(0, 520))],
    ['no chart', await tgzOf({ x: 'x' })],
    ['no YAML', await tgzOf({ 'tool/Chart.yaml': '{' })],
    ['a text', await tgzOf({ 'tool/Chart.yaml': 'text' })],
    ['many aliases', await chart('tool', '1.0.0', aliases)],
    ['a large description', await chart('tool', '1.0.0', `x: ${'x'.repeat(1 << 20)}\n`)],
    ['a name', await tgzOf({ 'tool/Chart.yaml': 'name: ../x\nversion: 1.0.0\n' })],
    ['a version', await chart('tool', 'one')],
  ]
  for (const [what, archive] of bad) {
    const { status, json } = await alice('POST', 'helm/api/charts', archive)
    assert.deepEqual([status, typeof json.error], [400, 'string'], what)
  }
  assert.deepEqual(await storedFiles(forge), [])
})

test('helmUpload, helmIndex, helmDownload: a chart replaces one of its version', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const form = new FormData()
  form.set('chart', new File([new Uint8Array(await chart('tool', '1.0.0', 'description: first\n'))], 'x.tgz'))
  assert.equal((await alice('POST', 'helm/api/charts', form)).status, 201)
  assert.equal((await alice('POST', 'helm/api/charts', await chart('tool', '1.10.0'))).status, 201)
  const second = await chart('tool', '1.0.0', 'description: second\n')
  assert.equal((await alice('POST', 'helm/api/charts', second)).status, 201)
  const { entries } = parse((await guest('GET', 'helm/index.yaml')).text) as {
    entries: Record<string, { version: string; description?: string; urls: string[]; digest: string }[]>
  }
  const [newest, older] = entries['tool'] ?? []
  assert.deepEqual([newest?.version, older?.description], ['1.10.0', 'second'])
  assert.equal(older?.digest, digest('sha256', second))
  assert.deepEqual(Buffer.from(await (await fetch(older?.urls[0] ?? '')).arrayBuffer()), second)
  assert.equal((await guest('GET', 'helm/none-1.0.0.tgz')).status, 404)
  assert.equal(await packageUsageOf(forge, 'alice'), second.length + (await chart('tool', '1.10.0')).length)
  assert.deepEqual(await examined(forge.services), [])
})
