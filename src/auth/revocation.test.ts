import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { holdNextRead } from '../testing/hold-read.ts'
import { openTestDatabase } from '../testing/database.ts'
import { startForge, testPassword, type Forge } from '../testing/forge.ts'

/** Starts two processes of one instance with a shared database and data folder. */
async function startTwo(): Promise<AsyncDisposable & { readonly one: Forge; readonly other: Forge }> {
  const stack = new AsyncDisposableStack()
  const dataFolder = mkdtempSync(join(tmpdir(), 'ingot-two-'))
  stack.defer(() => rmSync(dataFolder, { recursive: true, force: true, maxRetries: 3 }))
  const { options: database } = stack.use(await openTestDatabase())
  const one = stack.use(await startForge({ dataFolder, database }))
  const other = stack.use(await startForge({ dataFolder, database }))
  return { one, other, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Returns the statuses of requests sent after `change` was answered, while other requests run all the time. */
async function statusesAfter(ask: () => Promise<number>, change: () => Promise<unknown>): Promise<number[]> {
  let isChanged = false
  let isOver = false
  const after: number[] = []
  const askers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const sentAfter = isChanged
      const status = await ask()
      if (sentAfter) after.push(status)
    }
  })
  await change()
  isChanged = true
  while (after.length < 40) await new Promise(setImmediate)
  isOver = true
  await Promise.all(askers)
  return after
}

const onlyStatus = (statuses: readonly number[]): readonly number[] => [...new Set(statuses)]

test('every process refuses a revoked token as soon as the revocation is answered', async () => {
  await using forges = await startTwo()
  const { one, other } = forges
  const { user } = await one.account('alice')
  for (const revoker of [one, other, one, other]) {
    const owner = revoker.as('alice', { basic: { login: 'alice', password: testPassword } })
    const made = (await owner.must('POST', `/users/${user.name}/tokens`, { name: 'short', scopes: ['all'] })).json
    const asker = one.as('alice', { token: made.sha1 })
    const statuses = await statusesAfter(
      async () => (await asker.get('/user')).status,
      () => owner.must('DELETE', `/users/${user.name}/tokens/${made.id}`),
    )
    assert.deepEqual(onlyStatus(statuses), [401])
  }
})

test('every process refuses a former password at once', async () => {
  await using forges = await startTwo()
  const { one, other } = forges
  await one.account('alice')
  let password = testPassword
  for (const changer of [one, other]) {
    const asker = one.as('alice', { basic: { login: 'alice', password } })
    assert.equal((await asker.get('/user')).status, 200)
    const next = `${password}x`
    await changer.as('root').must('PATCH', '/admin/users/alice', { source_id: 0, login_name: 'alice', password: next })
    assert.equal((await asker.get('/user')).status, 401)
    password = next
    assert.equal((await one.as('alice', { basic: { login: 'alice', password } }).get('/user')).status, 200)
  }
})

test('every process applies a revoked right at once', async () => {
  await using forges = await startTwo()
  const { one, other } = forges
  const repo = await one.given.repo({ owner: 'alice', private: true })
  await one.account('bob')
  for (const taker of [one, other, one, other]) {
    const owner = taker.as('alice', { basic: { login: 'alice', password: testPassword } })
    await owner.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
    const asker = one.as('bob')
    assert.equal((await asker.get(repo.api)).status, 200)
    const statuses = await statusesAfter(
      async () => (await asker.get(repo.api)).status,
      () => owner.must('DELETE', `${repo.api}/collaborators/bob`),
    )
    assert.deepEqual(onlyStatus(statuses), [404])
  }
})

test('a late read of a token before its revocation caches nothing', async () => {
  await using forge = await startForge()
  const { user } = await forge.account('alice')
  const owner = forge.as('alice', { basic: { login: 'alice', password: testPassword } })
  const made = (await owner.must('POST', `/users/${user.name}/tokens`, { name: 'short', scopes: ['all'] })).json
  const asker = forge.as('alice', { token: made.sha1 })
  const held = holdNextRead(forge, '"access_token"')
  const early = asker.get('/user')
  await Promise.race([held.isRead, early])
  await owner.must('DELETE', `/users/${user.name}/tokens/${made.id}`)
  assert.equal((await forge.as('root').get('/user')).status, 200)
  held.release()
  assert.equal((await early).status, 200)
  assert.equal((await asker.get('/user')).status, 401)
})
