import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentOf, LfsClient, startLfs } from '../../../lfs/lfs.test-support.ts'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'

test('lfsObjectsPage, lfsLocksPage, breakLfsLock: administrators only, and only where LFS is on', async () => {
  await using forge = await startLfs({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'write')
  const [alice, bob, carol] = await Promise.all(['alice', 'bob', 'carol'].map((name) => Browser.of(forge, name)))
  for (const path of ['', '/locks']) {
    const at = `/${repo.fullName}/settings/lfs${path}`
    assert.equal((await new Browser(forge).get(at)).status, 303, at)
    assert.equal((await carol?.get(at))?.status, 404, at)
    assert.equal((await bob?.get(at))?.status, 403, at)
    assert.equal((await alice?.get(at))?.status, 200, at)
  }
  const csrf = (await bob?.csrf('/repo/create')) ?? ''
  const refused = await bob?.post(`/${repo.fullName}/settings/lfs/locks/unlock`, { _csrf: csrf, id: '1' })
  assert.equal(refused?.status, 403)

  await using without = await startForge({ settings: { server: { LFS_START_SERVER: false } } })
  const other = await without.given.repo()
  const browser = await Browser.of(without, 'alice')
  assert.equal((await browser.get(`/${other.fullName}/settings/lfs`)).status, 404)
  assert.ok(!(await browser.get(`/${other.fullName}/settings`)).text.includes('/settings/lfs'))
})

test('lfsObjectsPage: lists the objects of the repository, the largest first', async () => {
  await using forge = await startLfs({ users: ['alice'] })
  const [repo, other] = [await forge.given.repo(), await forge.given.repo()]
  const [small, large, foreign] = [contentOf('small'), contentOf('large'.repeat(1000)), contentOf('foreign')]
  const client = new LfsClient(forge.as('alice'), repo)
  await client.put(small)
  await client.put(large)
  await new LfsClient(forge.as('alice'), other).put(foreign)
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get(`/${repo.fullName}/settings/lfs`)
  const shown = [...text.matchAll(/<code title="([0-9a-f]{64})">/g)].map(([, oid]) => oid)
  assert.deepEqual(shown, [large.oid, small.oid])
  assert.match(text, /4\.9 KB in all/)
  assert.match((await alice.get(`/${repo.fullName}/settings`)).text, /href="[^"]*\/settings\/lfs"/)
})

test('breakLfsLock: an administrator breaks a lock of this repository, and nobody in an archived one', async () => {
  await using forge = await startLfs({ users: ['alice', 'bob'] })
  const [repo, other] = [await forge.given.repo(), await forge.given.repo()]
  const lock = async (path: string, at = repo) => {
    await collaborator(forge, at, 'bob', 'write')
    const reply = await new LfsClient(forge.as('bob'), at).send('POST', 'locks', { path })
    assert.equal(reply.status, 201, reply.text)
    return String(reply.json.lock.id)
  }
  const id = await lock('art/logo <x>.psd')
  const foreign = await lock('kept.psd', other)
  const alice = await Browser.of(forge, 'alice')
  const at = `/${repo.fullName}/settings/lfs/locks`
  const { text } = await alice.get(at)
  assert.match(text, /art\/logo &lt;x(?:>|&gt;)\.psd/)
  assert.match(text, /href="\/bob"/)
  const csrf = { _csrf: await alice.csrf('/user/settings') }
  assert.equal((await alice.post(`${at}/unlock`, { ...csrf, id: foreign })).status, 404)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.match((await alice.get(at)).text, /disabled title="The repository is archived"/)
  assert.equal((await alice.post(`${at}/unlock`, { ...csrf, id })).status, 423)
  await forge.as('alice').must('PATCH', repo.api, { archived: false })
  assert.equal((await alice.submit(at, `${at}/unlock`)).headers.get('location'), at)
  const left = async (of = repo) => (await new LfsClient(forge.as('bob'), of).send('GET', 'locks')).json.locks.length
  assert.deepEqual([await left(), await left(other)], [0, 1])
  assert.match((await alice.get(at)).text, /No file is locked/)
})
