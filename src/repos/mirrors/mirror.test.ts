import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { repositoryPath } from '../../git/git-key.ts'
import { zeroOid } from '../../lib/refs.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

const openForge = (more: Record<string, Record<string, string | number | boolean>> = {}) =>
  startForge({ settings: { migrations: { ALLOW_LOCALNETWORKS: true }, ...more } })

async function mirrorOf(forge: Forge, source: Forge, fullName: string, more: object = {}): Promise<string> {
  await forge.as('bob').must('POST', '/repos/migrate', {
    clone_addr: `${source.url}/${fullName}.git`,
    repo_name: 'mirror',
    mirror: true,
    ...more,
  })
  return '/repos/bob/mirror'
}

const branchesOf = async (forge: Forge, name: string, api: string): Promise<string[]> =>
  (await forge.as(name).must('GET', `${api}/branches`)).json.map((each: { name: string }) => each.name).sort()

test('repoMirrorSync: new, moved, deleted and replaced branches follow; the fetch leaves nothing behind', async () => {
  await using source = await startForge()
  await using forge = await openForge()
  const original = await source.given.repo({ private: true })
  const alice = source.as('alice')
  await alice.must('POST', `${original.api}/branches`, { new_branch_name: 'old' })
  await alice.must('POST', `${original.api}/branches`, { new_branch_name: 'gone' })
  const { token } = await source.account('alice')
  const mirror = await mirrorOf(forge, source, original.fullName, { auth_username: 'alice', auth_password: token })
  const bob = forge.as('bob')
  const shown = (await bob.must('GET', mirror)).json
  assert.deepEqual([shown.mirror, shown.mirror_interval, shown.has_pull_requests], [true, '8h0m0s', false])
  const row = await forge.services.db.selectFrom('mirror').selectAll().executeTakeFirstOrThrow()
  assert.equal(JSON.stringify(row).includes(token), false)

  await alice.must('DELETE', `${original.api}/branches/gone`)
  await alice.must('DELETE', `${original.api}/branches/old`)
  await alice.must('POST', `${original.api}/branches`, { new_branch_name: 'old/new' })
  await alice.must('POST', `${original.api}/tags`, { tag_name: 'v1', message: 'first' })
  await alice.must('POST', `${original.api}/contents/late.txt`, { content: base64('late') })
  assert.equal((await bob.post(`${mirror}/mirror-sync`)).status, 200)
  await forge.settle()
  assert.deepEqual(await branchesOf(forge, 'bob', mirror), ['main', 'old/new'])
  assert.equal((await bob.get(`${mirror}/contents/late.txt`)).status, 200)
  assert.deepEqual(
    (await bob.must('GET', `${mirror}/tags`)).json.map((each: { name: string }) => each.name),
    ['v1'],
  )
  const { db, git } = forge.services
  const repo = await db.selectFrom('repo').selectAll().where('is_mirror', '=', true).executeTakeFirstOrThrow()
  assert.deepEqual(
    (await git.readRefs(repo.git_key)).map(({ name }) => name),
    ['refs/heads/main', 'refs/heads/old/new', 'refs/tags/v1'],
  )
  assert.deepEqual(await examined(forge.services, { only: ['references'] }), [])
})

test('repoMirrorSync: more references than one change allows are copied, and files from a power failure are ignored', async () => {
  await using source = await startForge()
  await using forge = await openForge()
  const original = await source.given.repo()
  const folderOf = async ({ services: { db, config } }: Forge): Promise<string> => {
    const { git_key: key } = await db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
    return repositoryPath(config.paths.repositories, key)
  }
  const packed = join(await folderOf(source), 'packed-refs')
  const { json } = await source.as('alice').must('GET', `${original.api}/branches/main`)
  const lines = Array.from(
    { length: 10_500 },
    (_, index) => `${json.commit.id} refs/heads/topic/${index % 50}/${index}\n`,
  )
  await writeFile(packed, lines.join(''))
  const mirror = await mirrorOf(forge, source, original.fullName)
  const bob = forge.as('bob')
  const count = async (): Promise<string | null> =>
    (await bob.must('GET', `${mirror}/branches?limit=1`)).headers.get('x-total-count')
  assert.equal(await count(), '10501')
  assert.deepEqual(await readdir(join(await folderOf(forge), 'refs/heads')), [], 'references are packed into one file')

  await writeFile(packed, lines.slice(0, 200).join(''))
  const left = join(await folderOf(forge), 'refs/fetched/heads/topic/7')
  await mkdir(left, { recursive: true })
  await writeFile(join(left, '7'), '')
  assert.equal((await bob.post(`${mirror}/mirror-sync`)).status, 200)
  await forge.settle()
  assert.equal(await count(), '201')
  const row = await forge.services.db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  assert.deepEqual(await forge.services.git.readRefs(row.git_key, 'refs/fetched/'), [])
})

test('repoMirrorSync: only writers may start a sync, and only of a mirror', async () => {
  await using forge = await openForge()
  const repo = await forge.given.repo()
  const mirror = await mirrorOf(forge, forge, repo.fullName)
  assert.equal((await forge.guest.post(`${mirror}/mirror-sync`)).status, 401)
  assert.equal((await forge.as('carol').post(`${mirror}/mirror-sync`)).status, 403)
  assert.equal((await forge.as('alice').post(`${repo.api}/mirror-sync`)).status, 400)
})

test('repoMirrorSync: an unreachable source is recorded and retried when due; branches stay', async () => {
  await using forge = await openForge()
  const mirror = await (async () => {
    await using source = await startForge()
    const original = await source.given.repo()
    return await mirrorOf(forge, source, original.fullName, { mirror_interval: '1h' })
  })()
  await forge.as('bob').must('POST', `${mirror}/mirror-sync`)
  await forge.settle()
  const { db, clock } = forge.services
  const row = await db.selectFrom('mirror').selectAll().executeTakeFirstOrThrow()
  assert.notEqual(row.last_error, '')
  assert.ok(row.next_unix > clock.nowMs() / 1000 + 3000)
  assert.deepEqual(await branchesOf(forge, 'bob', mirror), ['main'])
})

test('update_mirrors: syncs due mirrors; an interval of 0 is never due', async () => {
  await using forge = await openForge()
  const repo = await forge.given.repo()
  const mirror = await mirrorOf(forge, forge, repo.fullName, { mirror_interval: '10m' })
  await forge.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: 'one' })
  const runTask = async () => {
    await forge.as('root').must('POST', '/admin/cron/update_mirrors')
    await forge.settle()
  }
  await runTask()
  assert.deepEqual(await branchesOf(forge, 'bob', mirror), ['main'])
  forge.clock.advance(601_000)
  await runTask()
  assert.deepEqual(await branchesOf(forge, 'bob', mirror), ['main', 'one'])

  await forge.as('bob').must('PATCH', mirror, { mirror_interval: '0' })
  await forge.as('alice').must('DELETE', `${repo.api}/branches/one`)
  forge.clock.advance(1e9)
  await runTask()
  assert.deepEqual(await branchesOf(forge, 'bob', mirror), ['main', 'one'])
})

test('repoMigrate, repoEdit: an interval is checked and stored', async () => {
  await using forge = await openForge()
  const repo = await forge.given.repo()
  const body = { clone_addr: `${forge.url}/${repo.fullName}.git`, repo_name: 'mirror', mirror: true }
  for (const interval of ['1s', 'often', '-1h', '1h 2m']) {
    const reply = await forge.as('bob').post('/repos/migrate', { ...body, mirror_interval: interval })
    assert.equal(reply.status, 422, interval)
  }
  const mirror = await mirrorOf(forge, forge, repo.fullName, { mirror_interval: '1.5h' })
  const bob = forge.as('bob')
  assert.equal((await bob.must('GET', mirror)).json.mirror_interval, '1h30m0s')
  const edited = await bob.patch(mirror, { mirror_interval: '12h', enable_prune: false })
  assert.deepEqual([edited.status, edited.json.mirror_interval], [200, '12h0m0s'])
  assert.equal((await bob.patch(mirror, { mirror_interval: '1m' })).status, 422)
  await forge.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: 'kept' })
  await bob.must('POST', `${mirror}/mirror-sync`)
  await forge.settle()
  await forge.as('alice').must('DELETE', `${repo.api}/branches/kept`)
  await bob.must('POST', `${mirror}/mirror-sync`)
  await forge.settle()
  assert.deepEqual(await branchesOf(forge, 'bob', mirror), ['kept', 'main'], 'without pruning')
})

test('repoMigrate: new mirrors are refused while they are disabled', async () => {
  await using forge = await openForge({ mirror: { DISABLE_NEW_PULL: true } })
  const repo = await forge.given.repo()
  const body = { clone_addr: `${forge.url}/${repo.fullName}.git`, repo_name: 'mirror' }
  assert.equal((await forge.as('bob').post('/repos/migrate', { ...body, mirror: true })).status, 403)
  assert.equal((await forge.as('bob').post('/repos/migrate', body)).status, 201)
})

test('repoMirrorSync: the default branch follows the original, and is never missing', async () => {
  await using source = await startForge()
  await using forge = await openForge()
  const original = await source.given.repo()
  const alice = source.as('alice')
  const mirror = await mirrorOf(forge, source, original.fullName)
  const bob = forge.as('bob')
  const sync = async (): Promise<unknown[]> => {
    assert.equal((await bob.post(`${mirror}/mirror-sync`)).status, 200)
    await forge.settle()
    const { git } = forge.services
    const row = await forge.services.db
      .selectFrom('repo')
      .selectAll()
      .where('is_mirror', '=', true)
      .executeTakeFirstOrThrow()
    const shown = (await bob.must('GET', mirror)).json
    assert.equal((await bob.get(`${mirror}/contents/README.md`)).status, 200)
    assert.equal((await git.readHead(row.git_key)).branch, shown.default_branch)
    return [shown.default_branch, await branchesOf(forge, 'bob', mirror)]
  }
  // Renamed at the original.
  await alice.must('PATCH', `${original.api}/branches/main`, { name: 'trunk' })
  assert.deepEqual(await sync(), ['trunk', ['trunk']])
  const events = await forge.services.db.selectFrom('event').select('data').where('name', '=', 'repo.updated').execute()
  assert.ok(events.some(({ data }) => JSON.stringify(data).includes('main')))
  // Another default branch; a name that the old one excludes.
  await alice.must('POST', `${original.api}/branches`, { new_branch_name: 'next' })
  await alice.must('PATCH', original.api, { default_branch: 'next' })
  assert.deepEqual(await sync(), ['next', ['next', 'trunk']])
  await alice.must('PATCH', `${original.api}/branches/next`, { name: 'later' })
  await alice.must('PATCH', `${original.api}/branches/later`, { name: 'next/one' })
  assert.deepEqual(await sync(), ['next/one', ['next/one', 'trunk']])
  // The original's HEAD names no branch, and its branch is gone.
  const { git, db } = source.services
  const { git_key: key } = await db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  await git.setHead(key, 'nowhere')
  const old = await git.readRef(key, 'refs/heads/next/one')
  assert.ok(old)
  await git.updateRefs(key, [{ ref: 'refs/heads/next/one', old, new: zeroOid(old) }])
  assert.deepEqual(await sync(), ['trunk', ['trunk']])
})
