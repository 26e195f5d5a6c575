import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '../src/db/database.ts'
import { contentOf, LfsClient } from '../src/lfs/lfs.test-support.ts'
import { dice } from '../src/testing/dice.ts'
import { examined } from '../src/testing/doctor.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { upload } from '../src/testing/upload.ts'
import { everythingOn } from './authorization-world.ts'
import { imagesAs, makeBelongings, settingsOfBelongings, sha256 } from './belongings.ts'

/** The usage ledger equals a recount from scratch after any sequence of uploads, moves and deletions. */

const owners = ['alice', 'bob', 'alices-guild'] as const

/** A place that stores files, by the name of its owner. */
interface Home {
  owner: string
  name: string
  issue: number
}

/** The sizes in the ledger by owner and kind, without zeros. */
const ledgerOf = async (forge: Forge): Promise<string[]> =>
  (
    await sql<{ line: string }>`select owner_id || ' ' || kind || ' ' || sum(size_bytes) as line from usage
      group by owner_id, kind having sum(size_bytes) <> 0 order by 1`.execute(forge.services.db)
  ).rows.map(({ line }) => line)

test('usage: a recount agrees with the ledger after acts of every kind in any order', async () => {
  await using forge = await startForge({
    settings: { ...everythingOn, ...settingsOfBelongings },
    users: ['alice', 'bob'],
  })
  await makeBelongings(forge, 'alice')
  const { below, of } = dice(19)
  const alice = forge.as('alice')
  const root = forge.as('root')
  await alice.must('GET', '/orgs/alices-guild')
  const homes: Home[] = []
  let made = 0
  const size = (): string => 'x'.repeat(1 + below(500))
  const api = (home: Home): string => `/repos/${home.owner}/${home.name}`
  const ownerOf = (): string => of(owners)
  const begin = async (): Promise<Home> => {
    const [owner, name] = [ownerOf(), `walk${(made += 1)}`]
    await root.must('POST', `/admin/users/${owner}/repos`, { name, auto_init: true, private: below(2) === 1 })
    const { json } = await root.must('POST', `/repos/${owner}/${name}/issues`, { title: 'one' })
    const home = { owner, name, issue: json.number as number }
    homes.push(home)
    return home
  }
  const some = async (): Promise<Home> => (homes.length === 0 ? begin() : of(homes))
  const forget = (home: Home): void => void homes.splice(homes.indexOf(home), 1)
  const last = async (path: string): Promise<{ id: number } | undefined> =>
    ((await root.must('GET', path)).json as { id: number }[]).at(-1)
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    begin,
    attach: async () => {
      const home = await some()
      return root.must('POST', `${api(home)}/issues/${home.issue}/assets`, undefined, upload('a.txt', size()))
    },
    release: async () => {
      const home = await some()
      const { json } = await root.must('POST', `${api(home)}/releases`, { tag_name: `v${(made += 1)}` })
      return root.must('POST', `${api(home)}/releases/${json.id}/assets`, undefined, upload('r.txt', size()))
    },
    endRelease: async () => {
      const home = await some()
      const release = await last(`${api(home)}/releases`)
      if (release) await root.must('DELETE', `${api(home)}/releases/${release.id}`)
    },
    detach: async () => {
      const home = await some()
      const file = await last(`${api(home)}/issues/${home.issue}/assets`)
      if (file) await root.must('DELETE', `${api(home)}/issues/${home.issue}/assets/${file.id}`)
    },
    commit: async () =>
      root.must('POST', `${api(await some())}/contents/f${(made += 1)}`, {
        content: Buffer.from(size()).toString('base64'),
      }),
    write: async () =>
      root.must('POST', `${api(await some())}/wiki/new`, { title: `p${(made += 1)}`, content_base64: 'eA==' }),
    large: async () => {
      const home = await some()
      const reply = await new LfsClient(root, { fullName: `${home.owner}/${home.name}` }).put(contentOf(size()))
      assert.equal(reply.status, 200, reply.text)
    },
    hide: async () => root.must('PATCH', api(await some()), { private: below(2) === 1 }),
    rename: async () => {
      const home = await some()
      const name = `named${(made += 1)}`
      await root.must('PATCH', api(home), { name })
      home.name = name
    },
    fork: async () => {
      const [home, name] = [await some(), `fork${(made += 1)}`]
      // An owner has at most one fork of a repository.
      const { status, text } = await forge.as('bob').post(`${api(home)}/forks`, { name })
      assert.ok([202, 403, 404, 409].includes(status), text)
    },
    transfer: async () => {
      const home = await some()
      const to = ownerOf()
      if (to === home.owner) return
      const { status, text } = await root.post(`${api(home)}/transfer`, { new_owner: to })
      assert.ok([202, 403, 409, 422].includes(status), text)
      const moved = await root.get(`/repos/${to}/${home.name}`)
      if (moved.status === 200) home.owner = to
    },
    remove: async () => {
      const home = await some()
      await root.must('DELETE', api(home))
      forget(home)
    },
    publish: async () =>
      root.must('PUT', `/api/packages/${ownerOf()}/generic/tool/${below(3)}/f${(made += 1)}`, undefined, {
        site: true,
        raw: size(),
      }),
    unpublish: async () => {
      const { status } = await root.delete(`/packages/${ownerOf()}/generic/tool/${below(3)}`)
      assert.ok([204, 404].includes(status), String(status))
    },
    image: async () => {
      const [images, layer, owner] = [await imagesAs(forge, 'alice'), size(), of(['alice', 'alices-guild'])]
      const digest = `sha256:${sha256(layer)}`
      await images('POST', `/v2/${owner}/img/blobs/uploads?digest=${digest}`, undefined, { raw: layer })
      const part = { mediaType: 'x', digest, size: layer.length }
      const raw = JSON.stringify({
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: part,
        layers: [part],
      })
      const headers = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' }
      const { status, text } = await images('PUT', `/v2/${owner}/img/manifests/t${below(3)}`, undefined, {
        raw,
        headers,
      })
      assert.equal(status, 201, text)
    },
  }
  const names = Object.keys(acts)
  const done: string[] = []
  for (let round = 0; round < 4; round += 1) {
    // Each round performs every kind in another order.
    const left = [...names]
    while (left.length > 0) {
      const [name = ''] = left.splice(below(left.length), 1)
      done.push(name)
      await acts[name]?.()
    }
    await forge.settle()
    assert.deepEqual(await examined(forge.services), [], done.join(' '))
  }
  assert.ok((await ledgerOf(forge)).length > 8, 'much is stored')

  // A recount finds and repairs falsified entries, for single owners and for all.
  const right = await ledgerOf(forge)
  await transaction(forge.services.db, (tx) => sql`update usage set size_bytes = size_bytes + 7`.execute(tx))
  assert.ok((await examined(forge.services, { fix: true })).length >= right.length)
  assert.deepEqual(await ledgerOf(forge), right)
  await transaction(forge.services.db, (tx) => sql`delete from usage`.execute(tx))
  await examined(forge.services, { fix: true })
  assert.deepEqual(await ledgerOf(forge), right)

  await root.must('DELETE', '/admin/users/alice?purge=true')
  await root.must('DELETE', '/admin/users/bob?purge=true')
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
  assert.deepEqual(await ledgerOf(forge), [], 'nobody is left who stores anything')
})
