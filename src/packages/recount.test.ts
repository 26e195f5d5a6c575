import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../testing/doctor.ts'
import { startForge } from '../testing/forge.ts'
import { packageUsageOf, registryOf, storedFiles } from './packages.test-support.ts'
import { rpmOf } from './formats/rpm.test-support.ts'

/** Contents that all uploads choose from, so that one is released and published at once. */
const contents = ['', 'one', 'two', 'three'].map((text) => text.repeat(100))
const kinds = ['1/a', '1/b', '2/a', '3/a']
const rounds = 4
const dayAndMoreMs = 25 * 3_600_000

test('genericUpload, genericDeleteFile, deletePackage, cleanup_packages: concurrent calls leave no orphans and correct charges', async () => {
  await using forge = await startForge()
  await forge.account('alice')
  const alice = forge.as('alice')
  const registry = registryOf(alice, 'alice')
  const paths = ['tool', 'less'].flatMap((name) => kinds.map((kind) => `generic/${name}/${kind}`))
  const statuses = new Set<number>()
  const ask = async (...call: Parameters<typeof registry>) => void statuses.add((await registry(...call)).status)
  for (let round = 0; round < rounds; round += 1) {
    // This round may collect contents that earlier rounds released.
    forge.clock.advance(dayAndMoreMs)
    await Promise.all([
      ...paths.map((path, at) => ask('PUT', path, contents[(at + round) % contents.length])),
      ...paths.filter((_, at) => at % 2 === round % 2).map((path) => ask('DELETE', path)),
      forge.as('root').must('POST', '/admin/cron/cleanup_packages'),
      ...paths.map((path, at) => ask('PUT', path, contents[(at + round + 1) % contents.length])),
      ask('DELETE', 'generic/less/1'),
      alice.delete('/packages/alice/generic/tool/3'),
    ])
    await forge.settle()
    assert.deepEqual(await examined(forge.services), [], `round ${round}`)
    let sizeBytes = 0
    for (const { name, version } of (await alice.must('GET', '/packages/alice?limit=50')).json as Named[]) {
      const files = (await alice.must('GET', `/packages/alice/generic/${name}/${version}/files`)).json as FileOf[]
      for (const file of files) {
        const { status, bytes } = await registry('GET', `generic/${name}/${version}/${file.name}`)
        assert.deepEqual([status, bytes.length], [200, file.Size], `${name}/${version}/${file.name} has its content`)
        sizeBytes += file.Size
      }
    }
    assert.equal(await packageUsageOf(forge, 'alice'), sizeBytes, `round ${round}`)
  }
  assert.deepEqual(
    [...statuses].filter((status) => ![201, 204, 404, 409].includes(status)),
    [],
  )
})

interface Named {
  readonly name: string
  readonly version: string
}

interface FileOf {
  readonly name: string
  readonly Size: number
}

test('rpmUpload, rpmDelete: an owner without packages is charged nothing, and no content remains after a day', async () => {
  await using forge = await startForge()
  await forge.account('alice')
  const registry = registryOf(forge.as('alice'), 'alice')
  const names = Array.from({ length: 12 }, (_, at) => `tool-${at}`)
  await Promise.all(names.map((name) => registry('PUT', 'rpm/upload', rpmOf(name, '1'))))
  assert.equal((await registry('GET', 'rpm/repodata/repomd.xml')).status, 200)
  await Promise.all([
    ...names.map((name) => registry('DELETE', `rpm/package/${name}/1-1/noarch`)),
    ...names.map(() => registry('GET', 'rpm/repodata/primary.xml.gz')),
  ])
  forge.clock.advance(dayAndMoreMs)
  await forge.as('root').must('POST', '/admin/cron/cleanup_packages')
  await forge.settle()
  assert.deepEqual(await storedFiles(forge), [])
  assert.equal(await packageUsageOf(forge, 'alice'), 0)
  const rows = await forge.services.db.selectFrom('package_index_part').select('file_id').execute()
  assert.deepEqual(rows, [])
  assert.deepEqual(await examined(forge.services), [])
})
