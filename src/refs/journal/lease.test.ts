import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { collectEffects, refEffect } from '../../access/contributions/ref-effect.ts'
import { contributionsOf } from '../../access/feature.ts'
import { engineOf, transaction } from '../../db/database.ts'
import { ProcessLease } from '../../db/process-lease.ts'
import { deleteProcess, insertProcess } from '../../db/process.store.ts'
import { workerOfProcess } from '../../jobs/job.store.ts'
import type { Oid } from '../../lib/ids.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { until } from '../../testing/until.ts'
import { codeOf } from '../git-repository.ts'
import { settleLeftovers } from './leftovers.service.ts'
import { openJournal, settle, type RefChange, type RefOrigin } from './ref-door.service.ts'

const ref = 'refs/heads/topic'

/** Makes a repository with one commit, a branch update, and a function that reads its record. */
async function given(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice', name: 'code', files: { a: 'a' } })
  const { db, git } = forge.services
  const row = await db.selectFrom('repo').selectAll().where('name', '=', 'code').executeTakeFirstOrThrow()
  const head = (await git.readRef(row.git_key, 'refs/heads/main')) as Oid
  const change: RefChange = { ref, old: '0'.repeat(40) as Oid, new: head }
  const origin: RefOrigin = { doerId: (await forge.account('alice')).user.id, via: 'push' }
  const status = async () => (await forge.as('alice').get(`${repo.api}/branches/topic`)).status
  /** Counts `refs.updated` events that create the branch. */
  const countCreated = async (): Promise<number> => {
    const events = await db.selectFrom('event').select('data').where('name', '=', 'refs.updated').execute()
    return events.filter(({ data }) => data.includes(ref)).length
  }
  const moveInGit = async () => assert.deepEqual(await git.updateRefs(row.git_key, [change]), { ok: true })
  return { repository: codeOf(row), change, origin, status, countCreated, moveInGit, repoId: row.id }
}

/** The same application as in another process of the instance. */
function otherProcess(forge: Forge, services = forge.services): Services {
  const { db } = services
  return { ...services, process: new ProcessLease({ db, log: () => undefined, leaseMs: 600_000 }) }
}

/** As if the process was killed and its heartbeat stopped. */
const die = async (services: Services): Promise<void> => {
  const id = await services.process.id()
  await transaction(services.db, (tx) => deleteProcess(tx, id))
}

test('lease: an entry stays while its process lives, and is settled once after its death', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { repository, change, origin, status, countCreated, moveInGit } = await given(forge)
  const other = otherProcess(forge)
  await openJournal(other, repository, [change], origin)
  await moveInGit()
  assert.equal(await settleLeftovers(forge.services, 'abandoned'), 0)
  assert.equal(await status(), 404)
  await die(other)
  const settled = await Promise.all([1, 2, 3].map(() => settleLeftovers(forge.services, 'abandoned')))
  assert.ok(settled.some((count) => count === 1))
  assert.deepEqual([await status(), await countCreated()], [200, 1])
  assert.equal(await settleLeftovers(forge.services, 'all'), 0)
})

test('lease: the doctor leaves a running change alone, and reports a change once', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { repository, change, origin, status, countCreated, moveInGit } = await given(forge)
  const other = otherProcess(forge)
  const journal = await openJournal(other, repository, [change], origin)
  await moveInGit()
  assert.deepEqual(await examined(forge.services, { fix: true, only: ['references'] }), [])
  await settle(other, journal, [change])
  assert.deepEqual([await status(), await countCreated()], [200, 1])
})

test('lease: the doctor and concurrent settling record a difference once', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { repository, change, origin, status, countCreated, moveInGit } = await given(forge)
  const other = otherProcess(forge)
  await openJournal(other, repository, [change], origin)
  await moveInGit()
  await die(other)
  await Promise.all([
    examined(forge.services, { fix: true, only: ['references'] }),
    settleLeftovers(forge.services, 'abandoned'),
    examined(forge.services, { fix: true, only: ['references'] }),
    examined(forge.services, { fix: true }),
  ])
  await settleLeftovers(forge.services, 'abandoned')
  assert.deepEqual([await status(), await countCreated()], [200, 1])
  assert.deepEqual(await examined(forge.services), [])
})

const counted = refEffect({
  name: 'testCount',
  data: Type.Object({}),
  about: () => 'count',
  apply: async (tx, _data, { repoId }) =>
    void (await tx
      .updateTable('repo')
      .set((row) => ({ description: sql<string>`${row.ref('description')} || 'x'` }))
      .where('id', '=', repoId)
      .execute()),
})

test('lease: a stalled process moves references after its entry was dropped, and the change is recorded once', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { repository, change, origin, status, countCreated, moveInGit, repoId } = await given(forge)
  const services = {
    ...forge.services,
    parts: { ...contributionsOf(forge.services), refEffects: collectEffects([counted]) },
  }
  const slow = otherProcess(forge, services)
  const journal = await openJournal(slow, repository, [change], origin, { effect: counted.plan({}) })
  await die(slow)
  assert.equal(await settleLeftovers(services, 'abandoned'), 1)
  assert.deepEqual([await status(), await countCreated()], [404, 0])
  await moveInGit()
  await settle(slow, journal, [change])
  await settle(slow, journal, [change])
  assert.deepEqual([await status(), await countCreated()], [200, 1])
  const row = await services.db.selectFrom('repo').select('description').where('id', '=', repoId).executeTakeFirst()
  assert.equal(row?.description, 'x', 'the effect is applied once')
})

test('lease: a process that lost its lease writes nothing under its old id', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { repository, change, origin } = await given(forge)
  const other = otherProcess(forge)
  const old = await other.process.id()
  await die(other)
  const { id } = await openJournal(other, repository, [change], origin)
  const { db } = forge.services
  const entry = await db.selectFrom('ref_journal').select('process_id').where('id', '=', id).executeTakeFirstOrThrow()
  assert.notEqual(entry.process_id, old)
  assert.equal(entry.process_id, await other.process.id())
  assert.equal(await settleLeftovers(forge.services, 'abandoned'), 0)
  assert.equal(await settleLeftovers(forge.services, 'all'), 1)
})

test('lease: another process takes over after the heartbeat stops (PostgreSQL)', async (t) => {
  await using forge = await startForge({ users: ['alice'], settings: { ingot: { JOB_LEASE: '1s' } } })
  const { db } = forge.services
  if (engineOf(db).kind !== 'postgres') return t.skip('one process owns an SQLite database')
  const { repository, change, origin, status, countCreated, moveInGit } = await given(forge)
  await forge.settle()
  const other = otherProcess(forge)
  await openJournal(other, repository, [change], origin)
  await moveInGit()
  const id = await other.process.id()
  const running = await db.selectFrom('job').select('id').where('state', '=', 'running').execute()
  assert.deepEqual(running, [])
  await transaction(db, async (tx) => {
    await tx
      .insertInto('job')
      .values({
        ...{ name: 'cleanUpNothing', input: '{}', event_id: null, unique_key: null, lane: null, priority: 50 },
        ...{ max_attempts: 5, run_at_ms: 0, lease_until_ms: 9e15, leased_by: workerOfProcess + id, state: 'running' },
        ...{ progress: null, last_error: null, problem: null, created_unix: 0, updated_unix: 0 },
      })
      .execute()
    await tx.updateTable('process').set({ beat_ms: 0 }).where('id', '=', id).execute()
  })
  await until(async () => (await status()) === 200)
  const ofOther = db.selectFrom('job').select('state').where('name', '=', 'cleanUpNothing')
  await until(async () => (await ofOther.executeTakeFirst())?.state === 'waiting')
  assert.equal(await countCreated(), 1)
  const left = await db.selectFrom('process').select('id').execute()
  assert.deepEqual(left, [{ id: await forge.services.process.id() }])
})

test('lease: a process whose row is gone continues under a new id (PostgreSQL)', async (t) => {
  await using forge = await startForge()
  const { db } = forge.services
  if (engineOf(db).kind !== 'postgres') return t.skip('one process owns an SQLite database')
  const lease = new ProcessLease({ db, log: () => undefined, leaseMs: 200 })
  let losses = 0
  lease.onLoss(() => (losses += 1))
  const first = await lease.id()
  await transaction(db, (tx) => deleteProcess(tx, first))
  await until(() => lease.current !== undefined && lease.current !== first)
  assert.equal(losses, 1)
  await transaction(db, (tx) => insertProcess(tx, 'silent'))
  await transaction(db, (tx) => tx.updateTable('process').set({ beat_ms: 0 }).where('id', '=', 'silent').execute())
  await until(async () => !(await db.selectFrom('process').selectAll().execute()).some(({ id }) => id === 'silent'))
  const second = lease.current
  await lease.close()
  const left = await db.selectFrom('process').select('id').execute()
  assert.ok(left.every(({ id }) => id !== second))
})
