import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineOf, transaction, type Db, type Tx } from '../db/database.ts'
import { closeDatabase, openDatabase } from '../db/open.ts'
import { startWorkers } from '../jobs/workers.ts'
import { findJob, listJobs } from '../jobs/queue.ts'
import type { IssueId, RepoId, UserId } from '../lib/ids.ts'
import { openTestDatabase } from '../testing/database.ts'
import { currentPosition, readEvents, type EventPosition } from './cursor.ts'
import { attachEvents, createEventHub, publish, type EventHub } from './hub.ts'
import { clearOldEvents } from './retention.ts'
import { subscriber } from './subscriber.ts'

const doerId = 3 as UserId
const beginning = 0 as EventPosition
const silent = (): void => {}

const touch = (tx: Tx, repoId: number): Promise<void> =>
  publish(tx, 'repo.created', { repoId: repoId as RepoId, doerId })

/** Reads all events after a position in small pages. */
async function readOn(db: Db, after = beginning): Promise<{ seen: number[]; position: EventPosition }> {
  const seen: number[] = []
  for (let position = after; ;) {
    const page = await readEvents(db, { after: position, limit: 7 })
    seen.push(...page.events.map((event) => Number(event.repoId)))
    position = page.position
    if (page.isEnd) return { seen, position }
  }
}

test('readEvents returns events in the order of their publication, with their subjects', async () => {
  await using test = await openTestDatabase()
  attachEvents(test.db, createEventHub([]))
  assert.deepEqual(await readOn(test.db), { seen: [], position: 0 })
  await transaction(test.db, async (tx) => {
    await touch(tx, 1)
    await publish(tx, 'issue.opened', { repoId: 2 as RepoId, issueId: 11 as IssueId, doerId, isPull: false })
    await publish(tx, 'user.blocked', { blockerId: 4 as UserId, blockedId: 5 as UserId, doerId: 4 as UserId })
  })
  await transaction(test.db, (tx) => touch(tx, 1))
  const { events, ...page } = await readEvents(test.db, { after: beginning, limit: 10 })
  assert.deepEqual(
    events.map(({ name, actorId, ownerId, repoId, issueId, data }) => [name, actorId, ownerId, repoId, issueId, data]),
    [
      ['repo.created', 3, undefined, 1, undefined, { repoId: 1, doerId: 3 }],
      ['issue.opened', 3, undefined, 2, 11, { repoId: 2, issueId: 11, doerId: 3, isPull: false }],
      ['user.blocked', 4, 4, undefined, undefined, { blockerId: 4, blockedId: 5, doerId: 4 }],
      ['repo.created', 3, undefined, 1, undefined, { repoId: 1, doerId: 3 }],
    ],
  )
  assert.deepEqual(page, { position: events[3]?.position, isEnd: true, isIncomplete: false })

  const [first, second] = events
  const one = await readEvents(test.db, { after: beginning, limit: 1 })
  assert.deepEqual([one.position, one.isEnd], [first?.position, false])
  const ofRepo = await readEvents(test.db, { after: beginning, limit: 10, repoId: 2 as RepoId })
  assert.deepEqual([ofRepo.events.length, ofRepo.position, ofRepo.isEnd], [1, page.position, true])
  const ofOwner = await readEvents(test.db, { after: beginning, limit: 10, ownerId: 4 as UserId })
  assert.deepEqual(
    ofOwner.events.map((event) => event.name),
    ['user.blocked'],
  )
  const ofName = await readEvents(test.db, { after: second?.position ?? beginning, limit: 10, names: ['repo.created'] })
  assert.deepEqual(
    ofName.events.map((event) => event.repoId),
    [1],
  )
})

test('an event that is committed later is read later, whatever its id (PostgreSQL)', async (context) => {
  await using test = await openTestDatabase()
  if (engineOf(test.db).kind !== 'postgres') return context.skip('SQLite has one writer')
  attachEvents(test.db, createEventHub([]))
  const written = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  // The event with the smallest id is committed last. Its row exists, but nobody can see it yet.
  const slow = transaction(test.db, async (tx) => {
    await tx
      .insertInto('event')
      .values({
        ...{ name: 'repo.created', version: 1, actor_id: doerId, owner_id: null, repo_id: 1 as RepoId, issue_id: null },
        ...{ data: JSON.stringify({ repoId: 1, doerId }), at_ms: 1 },
      })
      .execute()
    written.resolve()
    await goOn.promise
  })
  await written.promise
  await transaction(test.db, (tx) => touch(tx, 2))
  const before = await readOn(test.db)
  assert.deepEqual(before.seen, [2])
  goOn.resolve()
  await slow
  assert.deepEqual((await readOn(test.db, before.position)).seen, [1])
  assert.deepEqual((await readOn(test.db)).seen, [2, 1], 'who reads later reads in the same order')
})

test('all readers see each event of concurrent writers exactly once and in the same order', async () => {
  await using test = await openTestDatabase()
  attachEvents(test.db, createEventHub([]))
  const isPostgres = engineOf(test.db).kind === 'postgres'
  // On PostgreSQL, half of the writers use another connection pool, as another process would.
  const other = isPostgres ? openDatabase(test.options) : test.db
  if (isPostgres) attachEvents(other, createEventHub([]))
  const writers = 16
  const each = 40
  let isWriting = true
  const writing = Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let count = 0; count < each; count++) {
        await transaction(writer % 2 === 0 ? test.db : other, async (tx) => {
          await touch(tx, writer * each + count)
          // Some transactions stay open longer after they have an id.
          if (count % 5 === writer % 5) await tx.selectFrom('event').select('id').limit(1).execute()
        })
      }
    }),
  ).finally(() => (isWriting = false))
  const follow = async (db: Db): Promise<number[]> => {
    const seen: number[] = []
    let position = beginning
    for (let isLast = false; ; isLast = !isWriting) {
      const read = await readOn(db, position)
      seen.push(...read.seen)
      position = read.position
      if (isLast) return seen
    }
  }
  const [first, second] = await Promise.all([follow(test.db), follow(other), writing])
  assert.equal(first.length, writers * each)
  assert.equal(new Set(first).size, writers * each)
  assert.deepEqual(second, first)
  for (let writer = 0; writer < writers; writer++) {
    const own = first.filter((number) => Math.floor(number / each) === writer)
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
      'what one did after the other is read so',
    )
  }
  if (isPostgres) await closeDatabase(other)
})

interface Heard {
  readonly heard: string[]
}

const hearRepos = subscriber({
  name: 'hearRepos',
  on: 'repo.created',
  lane: () => 'repos',
  afterCommit: async (ctx: Heard, event) => void ctx.heard.push(`repo ${event.data.repoId}`),
})

function work(db: Db, hub: EventHub<Heard>): { heard: string[]; run(): Promise<void> } {
  const heard: string[] = []
  return {
    heard,
    async run() {
      const workers = startWorkers({ db, jobs: hub.jobs, createContext: () => ({ heard }), log: silent, slots: {} })
      await workers.settle()
      await workers.stop(0)
    },
  }
}

test('an event of a newer release blocks readers and its subscribers until a release can read it', async () => {
  await using test = await openTestDatabase()
  const hub = createEventHub([hearRepos])
  attachEvents(test.db, hub)
  for (const repoId of [1, 2, 3]) await transaction(test.db, (tx) => touch(tx, repoId))
  const setVersion = (version: number): Promise<unknown> =>
    transaction(test.db, (tx) =>
      tx
        .updateTable('event')
        .set({ version })
        .where('repo_id', '=', 2 as RepoId)
        .execute(),
    )
  await setVersion(7)
  const page = await readEvents(test.db, { after: beginning, limit: 10 })
  assert.deepEqual([page.events.map((event) => event.repoId), page.isEnd], [[1], true])
  assert.equal(page.position, page.events[0]?.position)
  assert.match(page.waitsFor ?? '', /event repo.created is of version 7, which a newer release writes/)

  const worker = work(test.db, hub)
  await worker.run()
  assert.deepEqual(worker.heard, ['repo 1'], 'its lane keeps the order')
  const jobs = (await listJobs(test.db, { limit: 10 })).map((job) => [job.state, job.attempt, job.problem])
  assert.deepEqual(jobs, [
    ['waiting', 0, null],
    ['waiting', 0, 'unreadable'],
  ])

  await setVersion(1)
  const [last] = await listJobs(test.db, { limit: 1, offset: 1 })
  assert.ok(last)
  await transaction(test.db, (tx) => tx.updateTable('job').set({ run_at_ms: 0 }).execute())
  await worker.run()
  assert.deepEqual(worker.heard, ['repo 1', 'repo 2', 'repo 3'])
  assert.equal(await findJob(test.db, last.id), undefined)
  assert.deepEqual((await readOn(test.db)).seen, [1, 2, 3])
})

const hearBeside = subscriber({
  name: 'hearBeside',
  on: 'repo.created',
  afterCommit: async (ctx: Heard, event) => void ctx.heard.push(`repo ${event.data.repoId}`),
})

test('old events are deleted, except those with unfinished jobs', async () => {
  await using test = await openTestDatabase()
  const hub = createEventHub([hearBeside])
  attachEvents(test.db, hub)
  for (const repoId of [1, 2, 3, 4]) await transaction(test.db, (tx) => touch(tx, repoId))
  const { events } = await readEvents(test.db, { after: beginning, limit: 10 })
  const positionOf = (index: number): EventPosition => events[index]?.position as EventPosition
  const run = { signal: new AbortController().signal, progress: silent }
  const past = -60_000
  assert.equal(await clearOldEvents(test.db, 60_000, run), 0, 'they are young')

  await transaction(test.db, (tx) =>
    tx
      .deleteFrom('job')
      .where('event_id', '<>', events[1]?.id as never)
      .execute(),
  )
  assert.equal(await clearOldEvents(test.db, past, run), 3, 'one of four has a job')
  assert.deepEqual((await readOn(test.db)).seen, [2])

  assert.equal((await readEvents(test.db, { after: beginning, limit: 1 })).isIncomplete, true)
  assert.equal((await readEvents(test.db, { after: positionOf(3), limit: 1 })).isIncomplete, false)
  const worker = work(test.db, hub)
  await worker.run()
  assert.deepEqual(worker.heard, ['repo 2'])
  assert.equal(await clearOldEvents(test.db, past, run), 1)
  await transaction(test.db, (tx) => touch(tx, 5))
  assert.ok((await currentPosition(test.db)) > positionOf(3), 'positions are never given again')
})
