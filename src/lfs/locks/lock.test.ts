import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../testing/client.ts'
import { LfsClient, startLfs } from '../lfs.test-support.ts'

const pathsOf = (locks: readonly { readonly path: string }[]): string[] => locks.map(({ path }) => path)

async function makeWorld() {
  const forge = await startLfs({ settings: { server: { LFS_LOCKS_PAGING_NUM: 3 } } })
  const repo = await forge.given.repo()
  for (const [name, permission] of [
    ['bob', 'write'],
    ['reader', 'read'],
  ]) {
    await forge.account(name as string)
    await forge.as('alice').must('PUT', `${repo.api}/collaborators/${name}`, { permission })
  }
  const as = (name: string) => new LfsClient(forge.as(name), repo)
  const lock = (name: string, path: string): Promise<Answer> => as(name).send('POST', 'locks', { path })
  return { forge, repo, as, lock }
}

test('lfsCreateLock: refuses impossible paths, and locks all spellings of a path together', async () => {
  const { forge, as, lock } = await makeWorld()
  await using _ = forge
  for (const path of ['', '/', '..', '../../', 'a\nb', 'a\0b', 'x'.repeat(5000)]) {
    const { status, json } = await lock('alice', path)
    assert.equal(status, 400, JSON.stringify(path.slice(0, 20)))
    assert.equal(typeof json.message, 'string')
  }
  assert.equal((await as('alice').send('POST', 'locks', {})).status, 400)
  assert.equal((await as('alice').send('POST', 'locks', { path: 5 })).status, 400)
  const first = await lock('alice', '../../Dir/./a.bin')
  assert.deepEqual([first.status, first.json.lock.path, first.json.lock.owner], [201, 'Dir/a.bin', { name: 'alice' }])
  for (const path of ['Dir/a.bin', '/dir/A.BIN', 'x/../dir/a.bin']) {
    const taken = await lock('bob', path)
    assert.deepEqual([taken.status, taken.json.lock.id], [409, first.json.lock.id], path)
  }
  // A file can be locked before it exists.
  assert.equal((await lock('bob', 'not there/ü \'"<b>.bin')).status, 201)
})

test('lfsCreateLock: one of concurrent calls gets the lock', async () => {
  const { forge, lock } = await makeWorld()
  await using _ = forge
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => lock(index % 2 ? 'alice' : 'bob', 'a.bin')),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 409).length, 11)
  assert.equal(new Set(answers.map(({ json }) => json.lock.id)).size, 1)
})

test('lfsListLocks, lfsVerifyLocks: filter by path and id, page, and separate the caller’s locks', async () => {
  const { forge, repo, as, lock } = await makeWorld()
  await using _ = forge
  const made: string[] = []
  for (const [index, name] of ['alice', 'bob', 'alice', 'bob', 'alice'].entries()) {
    made.push((await lock(name, `${index}.bin`)).json.lock.id)
  }
  const reader = as('reader')
  const first = (await reader.send('GET', 'locks')).json
  assert.deepEqual(pathsOf(first.locks), ['0.bin', '1.bin', '2.bin'])
  const second = (await reader.send('GET', `locks?cursor=${first.next_cursor}&limit=100`)).json
  assert.deepEqual([pathsOf(second.locks), second.next_cursor], [['3.bin', '4.bin'], undefined])
  assert.equal((await reader.send('GET', 'locks?limit=1')).json.locks.length, 1)
  assert.deepEqual(pathsOf((await reader.send('GET', 'locks?path=x/../3.BIN')).json.locks), ['3.bin'])
  assert.deepEqual(pathsOf((await reader.send('GET', `locks?id=${made[4]}&refspec=refs/heads/other`)).json.locks), [
    '4.bin',
  ])
  for (const query of ['path=..', 'path=none', 'id=999999', 'cursor=999999']) {
    assert.deepEqual((await reader.send('GET', `locks?${query}`)).json.locks, [], query)
  }
  for (const query of ['id=x', 'cursor=x', 'id=-1', `id=${'9'.repeat(30)}`]) {
    assert.equal((await reader.send('GET', `locks?${query}`)).status, 400, query)
  }
  const verified = (await as('alice').send('POST', 'locks/verify', { ref: { name: 'refs/heads/main' } })).json
  assert.deepEqual([pathsOf(verified.ours), pathsOf(verified.theirs)], [['0.bin', '2.bin'], ['1.bin']])
  const rest = (await as('alice').send('POST', 'locks/verify', { cursor: verified.next_cursor })).json
  assert.deepEqual([pathsOf(rest.ours), pathsOf(rest.theirs)], [['4.bin'], ['3.bin']])
  // A lock survives the renaming of its repository.
  await forge.as('alice').must('PATCH', repo.api, { name: 'renamed' })
  const renamed = new LfsClient(forge.as('bob'), { fullName: 'alice/renamed' })
  assert.equal((await renamed.send('GET', 'locks?id=' + made[0])).json.locks.length, 1)
})

test('lfsDeleteLock: the owner deletes a lock, others with force; never one of another repository', async () => {
  const { forge, as, lock } = await makeWorld()
  await using _ = forge
  const { id } = (await lock('alice', 'a.bin')).json.lock
  assert.equal((await as('bob').send('POST', `locks/${id}/unlock`, {})).status, 403)
  assert.equal((await as('reader').send('POST', `locks/${id}/unlock`, { force: true })).status, 401)
  const other = await forge.given.repo({ owner: 'bob' })
  const elsewhere = new LfsClient(forge.as('bob'), other)
  assert.equal((await elsewhere.send('POST', `locks/${id}/unlock`, { force: true })).status, 404)
  assert.deepEqual((await elsewhere.send('GET', `locks?id=${id}`)).json.locks, [])
  const broken = await as('bob').send('POST', `locks/${id}/unlock`, { force: true })
  assert.deepEqual([broken.status, broken.json.lock.owner.name], [200, 'alice'])
  assert.equal((await as('alice').send('POST', `locks/${id}/unlock`, {})).status, 404)
  assert.equal((await as('alice').send('POST', 'locks/x/unlock', {})).status, 404)
  // The deletion of an account releases its locks.
  await lock('bob', 'b.bin')
  await forge.as('root').must('DELETE', '/admin/users/bob?purge=true')
  assert.deepEqual((await as('alice').send('GET', 'locks')).json.locks, [])
})
