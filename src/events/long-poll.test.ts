import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction, type Db } from '../db/database.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import { openTestDatabase } from '../testing/database.ts'
import { attachEvents, createEventHub, publish } from './hub.ts'
import { longPoll, type LongPollOptions } from './long-poll.ts'

const touch = (db: Db, repoId: number): Promise<void> =>
  transaction(db, (tx) => publish(tx, 'repo.updated', { repoId: repoId as RepoId, doerId: 1 as UserId }))

test('a long poll answers at once, after an event, or with nothing when its time is up', async () => {
  await using test = await openTestDatabase()
  const live = attachEvents(test.db, createEventHub([]))
  let looks = 0
  let value: string | undefined
  const options = (more: Partial<LongPollOptions<string>> = {}): LongPollOptions<string> => ({
    live,
    accepts: (event) => event.ids['repoId'] === 7,
    look: async () => {
      looks += 1
      return value
    },
    waitMs: 10_000,
    signal: new AbortController().signal,
    ...more,
  })

  value = 'there already'
  assert.equal(await longPoll(options()), 'there already')
  assert.equal(looks, 1)

  value = undefined
  const waiting = longPoll(options())
  await touch(test.db, 8)
  await touch(test.db, 7)
  value = 'found'
  await touch(test.db, 7)
  assert.equal(await waiting, 'found')
  assert.ok(looks >= 3 && looks <= 4, `${looks} looks`)

  value = undefined
  const beganMs = performance.now()
  assert.equal(await longPoll(options({ waitMs: 30 })), undefined)
  assert.ok(performance.now() - beganMs < 2000)

  const leave = new AbortController()
  const left = longPoll(options({ signal: leave.signal }))
  leave.abort()
  assert.equal(await left, undefined)
  assert.equal(live.watcherCount, 0)

  const stopped = longPoll(options())
  live.close()
  assert.equal(await stopped, undefined)
})
