import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { transaction } from '../../db/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { rpmOf } from '../formats/rpm.test-support.ts'
import { divided } from './index-part.rules.ts'
import { registryCaches } from './registry-cache.ts'
import { registryOf } from '../packages.test-support.ts'

test('index parts have bounded sizes for any ids, and a change affects its own part only', () => {
  for (const step of [1, 2, 7, 32, 1000]) {
    const ids = Array.from({ length: 5000 }, (_, index) => (index + 1) * step)
    const parts = divided(ids)
    assert.deepEqual(parts.flat(), ids)
    assert.ok(parts.every((part) => part.length <= 64))
    assert.ok(parts.length > 5000 / 64 && parts.length < 5000 / 16, `${parts.length} parts of ids ${step} apart`)
    const text = new Set(parts.map(String))
    for (const gone of [0, 1, 2500, 4999]) {
      const changed = divided(ids.toSpliced(gone, 1)).filter((part) => !text.has(String(part)))
      assert.ok(changed.length <= 3, `${changed.length} parts change without one id`)
    }
  }
})

const partsOf = async (forge: Forge) =>
  new Map(
    (
      await forge.services.db
        .selectFrom('package_index_part')
        .select(['file_id', 'members'])
        .where('name', '=', 'rpm-primary-1')
        .execute()
    ).map((part) => [part.file_id, part.members]),
  )

test('rpmDownload: an incrementally made index equals a new one, and reuses most parts', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const index = async () => {
    const reply = await alice('GET', 'rpm/repodata/primary.xml.gz')
    assert.equal(reply.status, 200)
    return gunzipSync(reply.bytes).toString()
  }
  const upload = async (number: number) =>
    assert.equal((await alice('PUT', 'rpm/upload', rpmOf(`tool-${number}`, '1.0'))).status, 201)
  const remove = async (number: number) =>
    assert.equal((await alice('DELETE', `rpm/package/tool-${number}/1.0-1/noarch`)).status, 204)
  for (let number = 0; number < 150; number += 1) await upload(number)
  await index()
  const before = await partsOf(forge)
  assert.ok(before.size >= 3)
  await upload(150)
  await remove(70)
  // The API's deletion does not know about indexes.
  await forge.as('alice').must('DELETE', '/packages/alice/rpm/tool-71/1.0-1')
  const followed = await index()
  const after = await partsOf(forge)
  const kept = [...after].filter(([id, members]) => before.get(id) === members)
  assert.ok(
    kept.length >= before.size - 3 && kept.length < after.size,
    `${kept.length} of ${after.size} parts are as before`,
  )
  const names = Array.from({ length: 151 }, (_, number) => `tool-${number}`).filter((_, at) => at !== 70 && at !== 71)
  assert.deepEqual(
    [...followed.matchAll(/<name>(.*?)<\/name>/g)].map((match) => match[1]),
    names,
  )
  await transaction(forge.services.db, (tx) => tx.deleteFrom('package_index_part').execute())
  registryCaches(forge.services).clear()
  assert.equal(await index(), followed)
  // A part is deleted with its first file.
  for (const name of names) await forge.as('alice').must('DELETE', `/packages/alice/rpm/${name}/1.0-1`)
  assert.equal((await partsOf(forge)).size, 0)
})

test('rpmDownload: concurrent readers get consistent indexes during changes', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  await alice('PUT', 'rpm/upload', rpmOf('first', '1.0'))
  const reads = Array.from({ length: 40 }, async (_, number) => {
    if (number % 4 === 0) await alice('PUT', 'rpm/upload', rpmOf(`tool-${number}`, '1.0'))
    const { status, bytes } = await alice('GET', 'rpm/repodata/primary.xml.gz')
    if (number % 8 === 0) await alice('DELETE', `rpm/package/tool-${number}/1.0-1/noarch`)
    const text = gunzipSync(bytes).toString()
    const total = Number(/packages="(\d+)"/.exec(text)?.[1])
    return [status, total === [...text.matchAll(/<package /g)].length]
  })
  for (const [status, isWhole] of await Promise.all(reads)) assert.deepEqual([status, isWhole], [200, true])
})
