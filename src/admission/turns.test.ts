import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Claim } from './claim.ts'
import { Turns, type Turn } from './turns.ts'

const guest = (address: string, viewer?: number): Claim => ({ viewer, isAdmin: false, address, repository: undefined })

/** An event loop whose turns and clock the test moves. */
class TestLoop {
  nowMs = 0
  #next: (() => void)[] = []
  #ready: (() => void)[] = []
  readonly #timers: { readonly work: () => void; readonly atMs: number }[] = []
  readonly now = (): number => this.nowMs
  readonly nextTurn = (work: () => void): void => void this.#next.push(work)
  readonly afterReady = (work: () => void): void => void this.#ready.push(work)
  readonly afterMs = (work: () => void, ms: number): void => void this.#timers.push({ work, atMs: this.nowMs + ms })

  /** Runs one turn; returns whether anything ran. */
  async turn(): Promise<boolean> {
    const due = this.#timers.filter(({ atMs }) => atMs <= this.nowMs)
    for (const each of due) this.#timers.splice(this.#timers.indexOf(each), 1)
    const work = [...due.map((each) => each.work), ...this.#next.splice(0)]
    for (const each of work) {
      each()
      await settled()
      for (let ready = this.#ready.shift(); ready !== undefined; ready = this.#ready.shift()) {
        ready()
        await settled()
      }
    }
    return work.length > 0
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Requests of one millisecond that note their name when they run. */
function scene() {
  const loop = new TestLoop()
  const turns = new Turns(loop)
  const order: string[] = []
  const run = (name: string, turn: Turn): void => {
    order.push(name)
    loop.nowMs += 1
    turn.end()
  }
  const ask = (claim: Claim, name: string): void => {
    const turn = turns.tryTake(claim)
    if (turn) run(name, turn)
    else void turns.take(claim).then((taken) => run(name, taken))
  }
  return { loop, turns, order, ask }
}

test('a turn of the loop starts requests for five milliseconds, and the rest in the next turns', async () => {
  const { loop, turns, order, ask } = scene()
  for (let each = 0; each < 12; each++) ask(guest('a'), `${each}`)
  assert.deepEqual([order.length, turns.waiting], [5, 7])
  await loop.turn()
  assert.deepEqual([order.length, turns.waiting], [10, 2])
  await loop.turn()
  assert.deepEqual(
    order,
    Array.from({ length: 12 }, (_, each) => `${each}`),
  )
})

test('a new address is next, however many requests of another address wait', async () => {
  const { loop, order, ask } = scene()
  for (let each = 0; each < 50; each++) ask(guest('a'), `a${each}`)
  ask(guest('b'), 'b')
  await loop.turn()
  assert.equal(order[5], 'b')
})

test('two addresses get equal time, whatever the number of their requests and accounts', async () => {
  const { loop, order, ask } = scene()
  for (let each = 0; each < 100; each++) ask(guest('a', each), 'a')
  for (let each = 0; each < 20; each++) ask(guest('b'), 'b')
  for (let turns = 0; turns < 8; turns++) await loop.turn()
  const ofB = order.slice(0, 40).filter((name) => name === 'b').length
  assert.ok(ofB >= 18 && ofB <= 20, `${ofB} of 40`)
})

test('people at one address share its time', async () => {
  const { loop, order, ask } = scene()
  for (let each = 0; each < 50; each++) ask(guest('a', 1), 'greedy')
  ask(guest('a', 2), 'modest')
  await loop.turn()
  assert.equal(order[5], 'modest')
})

test('while connections arrive, waiting requests leave the turns to them, but not for longer than ten milliseconds', async () => {
  const { loop, turns, order, ask } = scene()
  turns.accepted()
  ask(guest('a'), 'a')
  for (let each = 0; each < 10; each++) {
    await loop.turn()
    assert.deepEqual(order, [], `after ${each} ms`)
    loop.nowMs += 1
    turns.accepted()
  }
  await loop.turn()
  assert.deepEqual(order, ['a'])
  turns.accepted()
  ask(guest('b'), 'b')
  await loop.turn()
  await loop.turn()
  assert.deepEqual(order, ['a', 'b'])
})

test('an address runs eight requests at once; one that waits for something else makes room after a while', async () => {
  const { loop, turns, order, ask } = scene()
  const held = Array.from({ length: 8 }, () => turns.tryTake(guest('a')))
  assert.ok(held.every((turn) => turn !== undefined))
  ask(guest('a'), 'ninth')
  ask(guest('a'), 'tenth')
  await loop.turn()
  assert.deepEqual(order, [])
  ask(guest('b'), 'other')
  await loop.turn()
  assert.deepEqual(order, ['other'])
  held[0]?.end()
  held[0]?.end()
  await loop.turn()
  assert.deepEqual(order, ['other', 'ninth', 'tenth'])
  const again = turns.tryTake(guest('a'))
  assert.ok(again)
  ask(guest('a'), 'last')
  loop.nowMs += 100
  for (let each = 0; each < 3; each++) await loop.turn()
  assert.deepEqual(order.at(-1), 'last')
  assert.equal(turns.waiting, 0)
})

test('the line of one person has a limit', () => {
  const { turns } = scene()
  turns.accepted()
  for (let each = 0; each < 1024; each++) void turns.take(guest('a'))
  assert.throws(() => turns.take(guest('a')), { status: 503, code: 'requests_busy' })
  void turns.take(guest('b'))
  assert.equal(turns.waiting, 1025)
})
