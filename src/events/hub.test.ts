import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachClock } from '../db/clock.ts'
import { engineOf, transaction, type Db } from '../db/database.ts'
import { closeDatabase, openDatabase } from '../db/open.ts'
import { listJobs } from '../jobs/queue.ts'
import { startWorkers, type Workers } from '../jobs/workers.ts'
import type { IssueId, RepoId, UserId } from '../lib/ids.ts'
import { openTestDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { attachEvents, createEventHub, publish, type EventHub } from './hub.ts'
import { WatcherTooSlow, type LiveItem } from './live.ts'
import { subscriber } from './subscriber.ts'

interface Context {
  readonly heard: string[]
}

const silent = (): void => {}

function start(db: Db, hub: EventHub<Context>): Workers & Context & AsyncDisposable {
  const heard: string[] = []
  const workers = startWorkers({
    db,
    jobs: hub.jobs,
    createContext: () => ({ heard }),
    log: silent,
    slots: { default: 4 },
  })
  return Object.assign(workers, { heard, [Symbol.asyncDispose]: () => workers.stop(0) })
}

const repoId = 7 as RepoId
const doerId = 3 as UserId
const repoCreated = { repoId, doerId }
const issueOpened = { repoId, doerId, issueId: 11 as IssueId, isPull: false }

const hearIssues = subscriber({
  name: 'hearIssues',
  on: ['issue.opened', 'repo.created'],
  async afterCommit(ctx: Context, event) {
    ctx.heard.push(event.name === 'issue.opened' ? `issue ${event.data.issueId}` : `repo ${event.data.repoId}`)
  },
})

test('in-transaction subscribers run in the given order and see the rows of the transaction', async () => {
  await using test = await openTestDatabase()
  attachClock(test.db, { nowMs: () => 1_800_000_000_123 })
  const order: string[] = []
  const first = subscriber({
    name: 'writeFirst',
    on: 'repo.created',
    async inTransaction(tx, event, { clock }) {
      order.push(`first ${event.data.repoId} at ${event.atMs}`)
      assert.equal(clock.nowMs(), event.atMs)
      await tx.insertInto('instance_value').values({ name: 'first', value: 'written' }).execute()
    },
  })
  const second = subscriber({
    name: 'readSecond',
    on: ['repo.created', 'issue.opened'],
    async inTransaction(tx, event) {
      const rows = await tx.selectFrom('instance_value').selectAll().where('name', '=', 'first').execute()
      order.push(`second ${event.name} ${rows.length}`)
    },
  })
  attachEvents(test.db, createEventHub([first, second]))
  await transaction(test.db, (tx) => publish(tx, 'repo.created', repoCreated))
  assert.deepEqual(order, ['first 7 at 1800000000123', 'second repo.created 1'])
})

test('a before-commit subscriber receives the id of the event in its transaction and publishes nothing', async () => {
  await using test = await openTestDatabase()
  const ids: unknown[] = []
  const note = subscriber({
    name: 'noteIds',
    on: ['repo.created', 'issue.opened'],
    async beforeCommit(tx, event, eventId) {
      const row = await tx.selectFrom('event').select('name').where('id', '=', eventId).executeTakeFirstOrThrow()
      ids.push([row.name, event.data.repoId])
      if (event.name === 'issue.opened') await publish(tx, 'repo.updated', repoCreated)
    },
  })
  attachEvents(test.db, createEventHub([note]))
  await transaction(test.db, (tx) => publish(tx, 'repo.created', repoCreated))
  assert.deepEqual(ids, [['repo.created', 7]])
  const late = transaction(test.db, (tx) => publish(tx, 'issue.opened', issueOpened))
  await assert.rejects(late, /repo.updated was published after the events of its transaction were written/)
  assert.equal((await test.db.selectFrom('event').selectAll().execute()).length, 1)
})

test('a subscriber whose isNeeded returns false gets no job, except for a transaction with very many events', async () => {
  await using test = await openTestDatabase()
  const received: number[] = []
  const hearSome = subscriber({
    name: 'hearSome',
    on: 'issue.opened',
    async isNeeded(_tx, { data }) {
      received.push(data.issueId)
      return data.issueId % 2 === 0
    },
    async afterCommit() {},
  })
  attachEvents(test.db, createEventHub([hearSome, hearIssues]))
  const open = (...ids: readonly number[]) =>
    transaction(test.db, async (tx) => {
      for (const id of ids) await publish(tx, 'issue.opened', { ...issueOpened, issueId: id as IssueId })
    })
  const jobsOf = async (name: string): Promise<number> =>
    (await listJobs(test.db, { limit: 100 })).filter((job) => job.name === name).length
  await open(1, 2, 3)
  assert.deepEqual([received, await jobsOf('hearSome'), await jobsOf('hearIssues')], [[1, 2, 3], 1, 3])
  await open(...Array.from({ length: 20 }, (_, index) => 2 * index + 1))
  assert.deepEqual([received.length, await jobsOf('hearSome')], [3, 21])
})

test('an error of an in-transaction subscriber rolls back the transaction', async () => {
  await using test = await openTestDatabase()
  const refuse = subscriber({
    name: 'refuseAll',
    on: 'repo.created',
    async inTransaction() {
      throw new Error('refused')
    },
  })
  attachEvents(test.db, createEventHub([refuse, hearIssues]))
  const failing = transaction(test.db, async (tx) => {
    await tx.insertInto('instance_value').values({ name: 'change', value: '' }).execute()
    await publish(tx, 'repo.created', repoCreated)
  })
  await assert.rejects(failing, /refused/)
  assert.deepEqual(await test.db.selectFrom('instance_value').selectAll().execute(), [])
  assert.deepEqual(await listJobs(test.db, { limit: 1 }), [])
})

test('each after-commit subscriber gets one job, which stays until it succeeds', async () => {
  await using test = await openTestDatabase()
  let failures = 1
  const eventIds: unknown[] = []
  const stumble = subscriber({
    name: 'stumbleOnce',
    on: 'repo.created',
    retryDelayMs: () => 0,
    async afterCommit(ctx: Context, event, run) {
      eventIds.push(run.eventId)
      if (failures-- > 0) throw new Error('not yet')
      ctx.heard.push(`stumbled ${event.data.repoId} ${run.attempt}`)
    },
  })
  const hub = createEventHub<Context>([hearIssues, stumble])
  attachEvents(test.db, hub)
  await transaction(test.db, (tx) => publish(tx, 'repo.created', repoCreated))
  const rows = await listJobs(test.db, { limit: 10 })
  assert.deepEqual(rows.map((row) => row.name).sort(), ['hearIssues', 'stumbleOnce'])
  await using workers = start(test.db, hub)
  await workers.settle()
  assert.deepEqual(workers.heard.sort(), ['repo 7', 'stumbled 7 2'])
  const { id } = await test.db.selectFrom('event').select('id').executeTakeFirstOrThrow()
  assert.deepEqual(eventIds, [id, id], 'what is made of an event once is told by its id')
})

test('the jobs of a subscriber have its lane and merge key', async () => {
  await using test = await openTestDatabase()
  const merged = subscriber({
    name: 'refreshRepo',
    on: ['issue.opened', 'repo.updated'],
    merge: (event) => String(event.data.repoId),
    lane: (event) => `repo ${event.data.repoId}`,
    afterCommit: async (ctx: Context, event) => void ctx.heard.push(event.name),
  })
  const hub = createEventHub([merged])
  attachEvents(test.db, hub)
  await transaction(test.db, async (tx) => {
    await publish(tx, 'issue.opened', issueOpened)
    await publish(tx, 'repo.updated', repoCreated)
  })
  const [row, ...others] = await listJobs(test.db, { limit: 10 })
  assert.deepEqual([row?.unique_key, row?.lane, others.length], ['7', 'repo 7', 0])
  await using workers = start(test.db, hub)
  await workers.settle()
  assert.deepEqual(workers.heard, ['repo.updated'])
})

test('publishing an undeclared event, or without a hub, is a defect', async () => {
  await using test = await openTestDatabase()
  const without = transaction(test.db, (tx) => publish(tx, 'repo.created', repoCreated))
  await assert.rejects(without, /repo.created was published on a database without events/)
  attachEvents(test.db, createEventHub([]))
  const unknown = transaction(test.db, (tx) => publish(tx, 'repo.painted' as 'repo.created', repoCreated))
  await assert.rejects(unknown, /event repo.painted is wrong: there is no event of this name/)
  const malformed = transaction(test.db, (tx) => publish(tx, 'repo.created', { repoId } as typeof repoCreated))
  await assert.rejects(malformed, /event repo.created is wrong: .*doerId/)
  assert.throws(
    () => subscriber({ name: 'hearNothing', on: 'repo.painted' as 'repo.created', inTransaction: async () => {} }),
    /hears "repo.painted", which is no event/,
  )
  assert.throws(() => createEventHub([hearIssues, hearIssues]), /two subscribers are named hearIssues/)
})

test('a transaction whose subscribers publish in an endless loop is refused', async () => {
  await using test = await openTestDatabase()
  const echo = subscriber({
    name: 'echoUpdates',
    on: 'repo.updated',
    inTransaction: (tx, event) => publish(tx, 'repo.updated', event.data),
  })
  attachEvents(test.db, createEventHub([echo]))
  const endless = transaction(test.db, (tx) => publish(tx, 'repo.updated', repoCreated))
  await assert.rejects(endless, /more than 500 events answer each other, the last of them repo.updated/)
})

test('two applications in one process receive only their own events', async () => {
  await using one = await openTestDatabase()
  await using two = await openTestDatabase()
  const heard: string[] = []
  const hubOf = (name: string): EventHub<unknown> =>
    createEventHub([
      subscriber({ name: 'hearRepo', on: 'repo.created', inTransaction: async () => void heard.push(name) }),
    ])
  attachEvents(one.db, hubOf('one'))
  attachEvents(two.db, hubOf('two'))
  await transaction(two.db, (tx) => publish(tx, 'repo.created', repoCreated))
  assert.deepEqual(heard, ['two'])
})

test('watchers receive the committed events that they accept, with only the ids', async () => {
  await using test = await openTestDatabase()
  const live = attachEvents(test.db, createEventHub([]))
  const stop = new AbortController()
  const seen: LiveItem[] = []
  const watching = (async () => {
    const feed = live.watch({ accepts: (event) => event.name !== 'repo.created', signal: stop.signal })
    for await (const item of feed) if (item !== 'gap') seen.push(item)
  })()
  await assert.rejects(
    transaction(test.db, async (tx) => {
      await publish(tx, 'repo.updated', repoCreated)
      throw new Error('rolled back')
    }),
  )
  await transaction(test.db, async (tx) => {
    await publish(tx, 'repo.created', repoCreated)
    const zeros = '0'.repeat(40) as never
    const updates = [{ ref: 'refs/heads/main', old: zeros, new: zeros }]
    await publish(tx, 'refs.updated', { ...repoCreated, kind: 'code', origin: 'push', updates })
  })
  await until(() => seen.length > 0, 'the watcher sees the event')
  assert.deepEqual(
    seen.map((item) => item !== 'gap' && [item.name, item.ids]),
    [['refs.updated', { repoId: 7, doerId: 3 }]],
  )
  assert.equal(live.watcherCount, 1)
  stop.abort()
  await watching
  assert.equal(live.watcherCount, 0)
})

test('a slow watcher is dropped, an excess watcher is refused, and closing ends all watchers', async () => {
  await using test = await openTestDatabase()
  const live = attachEvents(test.db, createEventHub([]), { maxQueued: 2, maxWatchers: 2 })
  const all = { accepts: () => true, signal: new AbortController().signal }
  const slow = live.watch(all)[Symbol.asyncIterator]()
  const other = live.watch({ ...all, accepts: () => false })[Symbol.asyncIterator]()
  assert.throws(() => live.watch(all), /too many watch the events/)
  await transaction(test.db, async (tx) => {
    for (const isPull of [true, false]) await publish(tx, 'issue.opened', { ...issueOpened, isPull })
    await publish(tx, 'repo.created', repoCreated)
  })
  await assert.rejects(slow.next(), WatcherTooSlow)
  assert.equal(live.watcherCount, 1)
  live.close()
  // On PostgreSQL the new connection may have reported a gap.
  const first = await other.next()
  const ended = first.value === 'gap' ? await other.next() : first
  assert.deepEqual(ended, { value: undefined, done: true })
  assert.throws(() => live.watch(all), /the server is stopping/)
})

test('watchers of another process receive the events (PostgreSQL)', async (context) => {
  await using test = await openTestDatabase()
  if (engineOf(test.db).kind !== 'postgres') return context.skip('one process uses an SQLite file')
  attachEvents(test.db, createEventHub([]))
  const second = openDatabase(test.options)
  const live = attachEvents(second, createEventHub([]))
  const feed = live.watch({ accepts: () => true, signal: new AbortController().signal })[Symbol.asyncIterator]()
  assert.equal((await feed.next()).value, 'gap')
  await transaction(test.db, (tx) => publish(tx, 'repo.created', repoCreated))
  const { value } = await feed.next()
  assert.deepEqual(value !== 'gap' && value.ids, repoCreated)
  live.close()
  await closeDatabase(second)
})
