import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { attachClock } from '../db/clock.ts'
import { transaction, type Db } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { attachEvents, createEventHub } from './hub.ts'
import { subscriber } from './subscriber.ts'
import type { RepoId } from '../lib/ids.ts'
import { migrationsUpTo, openTestDatabase } from '../testing/database.ts'
import { startForge } from '../testing/forge.ts'
import { job } from '../jobs/job.ts'
import { listJobs } from '../jobs/queue.ts'
import { startWorkers } from '../jobs/workers.ts'

const refsUpdated =
  '{"name":"refs.updated","data":{"repoId":1,"doerId":2,"updates":[{"ref":"refs/heads/b","old":"0000000000000000000000000000000000000000","new":"84bb6a04efe357e85cf0a578bffd5039181160e3"}],"origin":"api"},"atMs":1795339322620}'
const repoDeleted =
  '{"name":"repo.deleted","data":{"repoId":1,"doerId":2,"ownerId":2,"ownerName":"alice","name":"r","gitKeys":[],"avatarKey":"left-behind"},"atMs":1795339322650}'

/** Rows as the release before the table of events wrote them: jobs of subscribers carry the event itself. */
const rows = [
  ['measureRepository', refsUpdated, '1', 'measure 1', 'waiting', 90, 5],
  ['readCommitMessages', refsUpdated, null, 'repo 1', 'waiting', 50, 5],
  ['readCommitMessages', refsUpdated.replace('heads/b', 'heads/c'), null, 'repo 1', 'waiting', 50, 5],
  ['maintainRepository', '{"repoId":1}', '1', 'maintain 1', 'waiting', 90, 2],
  ['removeRepoFiles', repoDeleted, null, null, 'waiting', 50, 5],
  ['checkPull', '{"pullId":7}', '7', null, 'failed', 50, 5],
  ['task.update_mirrors', '{}', 'task.update_mirrors', 'task.update_mirrors', 'waiting', 90, 1],
] as const

const runAtMs = 1_795_339_322_650

async function insertRows(db: Db, wanted: readonly string[] = []): Promise<void> {
  await transaction(db, async (tx) => {
    for (const [name, input, key, lane, state, priority, attempts] of rows) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      await sql`insert into job (name, input, unique_key, lane, state, priority, max_attempts, run_at_ms, created_unix,
        updated_unix) values (${name}, ${input}, ${key}, ${lane}, ${state}, ${priority}, ${attempts}, ${runAtMs},
        1795339322, 1795339322)`.execute(tx)
    }
  })
}

interface Heard {
  readonly heard: string[]
}

test('jobs that the release before left are done after the upgrade, in their lanes and pools', async () => {
  await using test = await openTestDatabase(migrationsUpTo('repositories-2'))
  await insertRows(test.db)
  assert.equal((await migrate(test.db))[0], 'events-1')
  attachClock(test.db, { nowMs: () => runAtMs + 1000 })
  assert.deepEqual(
    (await listJobs(test.db, { limit: 10 })).map((row) => [row.name, row.pool, row.is_held, row.version]).toReversed(),
    [
      ['measureRepository', 'default', false, 1],
      ['readCommitMessages', 'default', false, 1],
      ['readCommitMessages', 'default', true, 1],
      ['maintainRepository', 'maintenance', false, 1],
      ['removeRepoFiles', 'default', false, 1],
      ['checkPull', 'default', false, 1],
      ['task.update_mirrors', 'tasks', false, 1],
    ],
  )
  const heard: string[] = []
  const hear = (name: string, on: 'refs.updated' | 'repo.deleted') =>
    subscriber({
      name,
      on,
      async afterCommit(ctx: Heard, event) {
        const about = event.name === 'refs.updated' ? event.data.updates[0]?.ref : event.data.avatarKey
        ctx.heard.push(`${name} ${event.data.repoId} ${about} ${event.atMs}`)
      },
    })
  const hub = createEventHub<Heard>([
    hear('measureRepository', 'refs.updated'),
    hear('readCommitMessages', 'refs.updated'),
    hear('removeRepoFiles', 'repo.deleted'),
  ])
  attachEvents(test.db, hub)
  // Its input has another shape by now.
  const maintain = job({
    name: 'maintainRepository',
    input: Type.Object({ repo: Type.Object({ id: Type.Integer() }), steps: Type.Array(Type.String()) }),
    version: 3,
    upgrade: {
      1: (input: { repoId: RepoId }) => ({ repo: { id: input.repoId } }),
      2: (input: { repo: { id: number } }) => ({ ...input, steps: ['repack'] }),
    },
    run: async (ctx: Heard, { repo, steps }) => void ctx.heard.push(`maintain ${repo.id} ${steps.join()}`),
  })
  const workers = startWorkers<Heard>({
    db: test.db,
    jobs: [...hub.jobs, maintain],
    createContext: () => ({ heard }),
    log: () => {},
    slots: {},
  })
  await workers.settle()
  await workers.stop(0)
  assert.deepEqual(heard.toSorted(), [
    'maintain 1 repack',
    'measureRepository 1 refs/heads/b 1795339322620',
    'readCommitMessages 1 refs/heads/b 1795339322620',
    'readCommitMessages 1 refs/heads/c 1795339322620',
    'removeRepoFiles 1 left-behind 1795339322650',
  ])
  assert.deepEqual(
    (await listJobs(test.db, { limit: 10 })).map((row) => [row.name, row.state]),
    [
      ['task.update_mirrors', 'waiting'],
      ['checkPull', 'failed'],
    ],
  )
})

test('what the release before asked for is done by the real subscribers', async () => {
  await using forge = await startForge()
  const { db, blobs } = forge.services
  await blobs.repoAvatars.put('left-behind', Readable.from([Buffer.from('a picture')]), { maxBytes: 100 })
  await insertRows(db, ['removeRepoFiles', 'measureRepository', 'maintainRepository', 'readCommitMessages'])
  await transaction(db, (tx) => tx.updateTable('job').set({ run_at_ms: 0 }).execute())
  await forge.settle()
  assert.deepEqual(await listJobs(db, { limit: 10 }), [])
  assert.equal(await blobs.repoAvatars.get('left-behind'), undefined)
})

test('a step that is missing between two versions is a defect of the declaration', () => {
  const declare = (): unknown =>
    job({ name: 'gapInSteps', input: Type.Object({}), version: 3, upgrade: { 1: () => ({}) }, run: async () => {} })
  assert.throws(declare, /the input of job gapInSteps has no step from version 2 to 3/)
})
