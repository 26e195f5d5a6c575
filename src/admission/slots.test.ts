import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteBudget } from './byte-budget.ts'
import type { Claim } from './claim.ts'
import { Slots } from './slots.ts'
import { Requests } from './requests.ts'
import { dividedUsually } from './shares.ts'

const guest = (address: string, repository?: string): Claim => ({
  viewer: undefined,
  isAdmin: false,
  address,
  repository,
})
const person = (viewer: number, address: string, repository?: string): Claim => ({
  viewer,
  isAdmin: false,
  address,
  repository,
})
const admin: Claim = { viewer: 1, isAdmin: true, address: 'a', repository: undefined }

const slotsOf = (total: number, more: { maxWaiting?: number; waitMs?: number; now?: () => number } = {}) =>
  new Slots({
    what: 'clones',
    code: 'clones_busy',
    limits: dividedUsually(total),
    maxWaiting: 64,
    waitMs: 60_000,
    ...more,
  })

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a guest may take a quarter of the places, an address half, all guests three quarters; one is kept for administrators', async () => {
  const slots = slotsOf(16)
  const stop = new AbortController()
  const take = (claim: Claim) => slots.take(claim, stop.signal).catch(() => undefined)
  for (let each = 0; each < 30; each++) void take(guest('a'))
  assert.deepEqual([slots.taken, slots.waiting], [4, 16])
  for (let viewer = 10; viewer < 16; viewer++) for (let each = 0; each < 2; each++) void take(person(viewer, 'a'))
  assert.equal(slots.taken, 8, 'accounts at one address')
  for (const address of ['b', 'c', 'd']) for (let each = 0; each < 4; each++) void take(guest(address))
  assert.equal(slots.taken, 15, 'guests have 12 of them, and one is kept back')
  void take(person(2, 'z'))
  assert.equal(slots.taken, 15)
  void take(admin)
  assert.equal(slots.taken, 16)
  stop.abort()
  await settled()
  assert.equal(slots.waiting, 0, 'a client that leaves is removed from the queue')
})

test('a repository may take three quarters of the places', () => {
  const slots = slotsOf(16)
  for (let viewer = 10; viewer < 40; viewer++) slots.take(person(viewer, `a${viewer}`, 'busy')).catch(() => undefined)
  assert.equal(slots.taken, 12)
  void slots.take(person(50, 'z', 'other'))
  assert.equal(slots.taken, 13)
})

test('a free place goes to the client with the least recent use, not to the one with the most requests', async () => {
  let now = 0
  const slots = slotsOf(4, { now: () => now })
  const order: string[] = []
  const held = await Promise.all(['a', 'b', 'c'].map((address) => slots.take(guest(address))))
  const wait = (claim: Claim, name: string) =>
    void slots.take(claim).then((release) => {
      order.push(name)
      now += 1000
      release()
    })
  for (let each = 0; each < 5; each++) wait(guest('a'), `greedy ${each}`)
  wait(guest('z'), 'newcomer')
  now += 10_000
  held[0]?.()
  for (let each = 0; each < 20; each++) await settled()
  assert.deepEqual(order, ['newcomer', 'greedy 0', 'greedy 1', 'greedy 2', 'greedy 3', 'greedy 4'])
  for (const release of held) {
    release?.()
    release?.()
  }
  assert.equal(slots.taken, 0, 'a place is released once')
})

test('the queue is limited per client and in all, as is the wait, and a refusal has a retry time', async () => {
  const slots = slotsOf(4, { maxWaiting: 8, waitMs: 50 })
  void slots.take(guest('a'))
  const waiting = Array.from({ length: 2 }, () => slots.take(guest('a')))
  const busy = { status: 503, code: 'clones_busy', data: { retryAfterSeconds: 1 } }
  await assert.rejects(slots.take(guest('a')), busy)
  for (const each of waiting) await assert.rejects(each, busy)
  assert.equal(slots.waiting, 0)
  void slots.take(guest('b'))
})

test('work of the server itself takes no place', async () => {
  const slots = slotsOf(4)
  const releases = await Promise.all(Array.from({ length: 100 }, () => slots.take(undefined)))
  assert.equal(slots.taken, 0)
  for (const release of releases) release()
  assert.equal(slots.taken, 0)
})

test('requests: a write is refused while reads still have room', () => {
  const requests = new Requests(16)
  for (let viewer = 0; viewer < 12; viewer++) {
    try {
      requests.enter(person(viewer, `${viewer}`), true)
    } catch {
      // The last requests exceed the limit.
    }
  }
  // Three quarters of sixteen, less one that is kept for administrators.
  assert.equal(requests.underWay, 11)
  assert.throws(() => requests.enter(person(99, 'z'), true), { status: 503, code: 'requests_busy' })
  requests.enter(person(99, 'z'), false)
  requests.leave(person(99, 'z'), false)
  assert.equal(requests.underWay, 11)
})

test('bytes count against the total and each share until they are released', () => {
  const limits = { total: 100, person: 60, address: 100, guests: 100, repository: 100, reserved: 0 }
  const budget = new ByteBudget(limits)
  budget.take(guest('a'), 60)
  assert.throws(() => budget.take(guest('a'), 1), { status: 503, code: 'bodies_busy' })
  budget.take(guest('b'), 40)
  assert.throws(() => budget.take(guest('c'), 1), { status: 503 })
  budget.release(guest('a'), 60)
  budget.take(guest('a'), 30)
  budget.release(guest('b'), 40)
  budget.release(guest('a'), 30)
  assert.equal(budget.heldBytes, 0)
})
