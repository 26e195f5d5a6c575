import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageKind } from '../access/quota/quota.rules.ts'
import { addToUsage, loadUsage, setUsage } from '../access/quota/usage.store.ts'
import { transaction } from '../db/database.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import { examined } from '../testing/doctor.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { upload } from '../testing/upload.ts'

const idOf = async (forge: Forge, name: string): Promise<UserId> =>
  (await forge.services.db.selectFrom('user').select('id').where('lower_name', '=', name).executeTakeFirstOrThrow()).id

/** Returns the usage of an account without empty kinds. */
async function used(forge: Forge, name: string): Promise<Partial<Record<UsageKind, number>>> {
  const usage = await loadUsage(forge.services.db, await idOf(forge, name))
  return Object.fromEntries(Object.entries(usage).filter(([, bytes]) => bytes !== 0))
}

const examineUsage = (forge: Forge, fix = false): Promise<string[]> =>
  examined(forge.services, { fix, only: ['usage'] })

test('usage: files of issues and comments are charged to the owner of the repository until their deletion', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const issue = await forge.given.issue()
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  await forge.settle()
  const before = await used(forge, 'alice')
  const other = (await bob.must('POST', `${issue.repo.api}/issues`, { title: 'by bob' })).json
  const file = (await alice.must('POST', `${issue.api}/assets`, undefined, upload('a.txt', '12345'))).json
  await bob.must('POST', `${issue.repo.api}/issues/${other.number}/assets`, undefined, upload('b.txt', '1234567'))
  const comment = (await alice.must('POST', `${issue.api}/comments`, { body: 'x' })).json
  const ofComment = `${issue.repo.api}/issues/comments/${comment.id}`
  await alice.must('POST', `${ofComment}/assets`, undefined, upload('c.txt', '123'))
  assert.deepEqual(await used(forge, 'alice'), { ...before, 'attachments:issues': 15 })
  assert.deepEqual(await used(forge, 'bob'), {}, 'the uploader is not charged')

  await alice.must('DELETE', `${issue.api}/assets/${file.id}`)
  assert.equal((await used(forge, 'alice'))['attachments:issues'], 10)
  await alice.must('DELETE', ofComment)
  assert.equal((await used(forge, 'alice'))['attachments:issues'], 7)
  await alice.must('DELETE', `${issue.repo.api}/issues/${other.number}`)
  assert.deepEqual(await used(forge, 'alice'), before)
  assert.deepEqual(await examineUsage(forge), [])
})

test('usage: git data are charged as public or private to the owner of the repository or fork', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const org = await forge.given.org()
  await forge.as('bob').must('POST', `${repo.api}/forks`, { name: 'fork' })
  await forge.settle()
  const { 'repos:public': size = 0, ...others } = await used(forge, 'alice')
  assert.ok(size > 0)
  assert.deepEqual(others, {})
  const { 'repos:public': forkSize = 0 } = await used(forge, 'bob')
  assert.ok(forkSize > 0)

  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.deepEqual(await used(forge, 'alice'), { 'repos:private': size })
  assert.deepEqual(await used(forge, 'bob'), { 'repos:private': forkSize }, 'forks follow their base')

  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: org })
  assert.deepEqual(await used(forge, 'alice'), {})
  assert.deepEqual(await used(forge, org), { 'repos:private': size })

  const content = Buffer.alloc(100_000, 'some words of a file that is none too short ').toString('base64')
  await forge.as('alice').must('POST', `/repos/${org}/${repo.name}/contents/long.txt`, { content, message: 'm' })
  await forge.settle()
  const { 'repos:private': grown = 0 } = await used(forge, org)
  assert.ok(grown > size, `${grown} is more than ${size}`)
  assert.deepEqual(await examineUsage(forge), [])

  await forge.as('alice').must('DELETE', `/repos/${org}/${repo.name}`)
  assert.deepEqual(await used(forge, org), {})
})

test('usage: an upload during a transfer is charged to the new owner', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org()
  const issue = await forge.given.issue()
  const alice = forge.as('alice')
  const sent = Array.from({ length: 6 }, (_, index) =>
    alice.post(`${issue.api}/assets`, undefined, upload(`${index}.txt`, '1234567890')),
  )
  const moved = alice.must('POST', `${issue.repo.api}/transfer`, { new_owner: org })
  const kept = (await Promise.all(sent)).filter(({ status }) => status === 201).length
  await moved
  await forge.settle()
  assert.deepEqual(await used(forge, 'alice'), {})
  assert.equal((await used(forge, org))['attachments:issues'] ?? 0, kept * 10)
  assert.deepEqual(await examineUsage(forge), [])
})

test('doctor: wrong rows of the ledger are found and recounted', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const issue = await forge.given.issue()
  await forge.as('alice').must('POST', `${issue.api}/assets`, undefined, upload('a.txt', '12345'))
  await forge.settle()
  const right = await used(forge, 'alice')
  const { db } = forge.services
  const { id } = await db.selectFrom('repo').select('id').executeTakeFirstOrThrow()
  assert.deepEqual(await examineUsage(forge), [])

  await transaction(db, (tx) => addToUsage(tx, { repoId: id }, 'attachments:issues', 7))
  const tooMuch = `repository ${id}: attachments:issues is 12 and should be 5 bytes`
  assert.deepEqual(await examineUsage(forge), [`usage: ${tooMuch} (fixable)`])
  assert.deepEqual(await examineUsage(forge, true), [`usage: ${tooMuch} (fixed)`])
  assert.deepEqual(await used(forge, 'alice'), right)

  await transaction(db, (tx) => setUsage(tx, [id], ['attachments:issues'], []))
  const missing = `repository ${id}: attachments:issues is missing and should be 5 bytes`
  assert.deepEqual(await examineUsage(forge, true), [`usage: ${missing} (fixed)`])

  const bob = await idOf(forge, 'bob')
  await transaction(db, (tx) => tx.updateTable('usage').set({ owner_id: bob }).where('kind', 'like', 'att%').execute())
  const alice = await idOf(forge, 'alice')
  const charged = `repository ${id}: attachments:issues is charged to account ${bob} and should be to ${alice}`
  assert.deepEqual(await examineUsage(forge, true), [`usage: ${charged} (fixed)`])
  assert.deepEqual(await used(forge, 'alice'), right)
  assert.deepEqual(await used(forge, 'bob'), {})
  assert.deepEqual(await examineUsage(forge), [])
})

test('usage: data without a repository are charged to an account, besides its repositories', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const ownerId = await idOf(forge, 'alice')
  const add = (bytes: number) => transaction(forge.services.db, (tx) => addToUsage(tx, { ownerId }, 'packages', bytes))
  await add(300)
  await add(-100)
  assert.deepEqual(await used(forge, 'alice'), { packages: 200 })
  const gone = { repoId: 12_345 as RepoId }
  await transaction(forge.services.db, (tx) => addToUsage(tx, gone, 'packages', 5))
  assert.deepEqual(await used(forge, 'alice'), { packages: 200 }, 'a deleted repository uses nothing')
})

test('userCheckQuota: files count against the total of the instance', async () => {
  await using forge = await startForge({
    settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: 1_000_000 } },
  })
  const issue = await forge.given.issue()
  await forge.settle()
  const alice = forge.as('alice')
  const check = async () => (await alice.must('GET', '/user/quota/check?subject=size:repos:all')).json
  assert.equal(await check(), true)
  await alice.must('POST', `${issue.api}/assets`, undefined, upload('large.txt', 'x'.repeat(1_000_000)))
  assert.equal(await check(), false)
  assert.equal((await alice.post(`${issue.api}/assets`, undefined, upload('b.txt', 'x'))).status, 413)
})
