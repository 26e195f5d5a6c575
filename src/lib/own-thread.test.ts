import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from './errors.ts'
import { type Asker, createOwnThread, type OwnThread, SpareThreads, ThreadOverrun } from './own-thread.ts'
import { usualWorkLimits, WorkBudget, WorkTooCostly } from './work-budget.ts'
import type { TextAnswer, TextJob } from '../markup/text-job.ts'

type Thread = OwnThread<TextJob, TextAnswer>

async function withThread(use: (thread: Thread) => Promise<void>, more = {}): Promise<void> {
  const thread: Thread = createOwnThread({
    name: 'texts',
    file: 'markup-worker.js',
    timeoutMs: 20_000,
    maxQueue: 8,
    idleMs: 20_000,
    maxMemoryMb: 384,
    ...more,
  })
  try {
    await use(thread)
  } finally {
    await thread.close()
  }
}

const asker = (viewer: number, budget = new WorkBudget()): Asker => ({ claim: { viewer, address: 'here' }, budget })

/** Leaves when `leaving` says so. */
const leavingAsker = (viewer: number, leaving: AbortController): Asker =>
  asker(viewer, new WorkBudget(usualWorkLimits, () => leaving.signal))

const job = (text: string): TextJob => ({ kind: 'runs', sources: [text] })

/** Takes minutes. */
const endless: TextJob = { kind: 'lines', language: 'csharp', source: 'ab '.repeat(80_000) }

const reasonOf = (ask: Promise<unknown>): Promise<unknown> =>
  ask.then(
    () => undefined,
    (error: unknown) => error,
  )

test('own thread: the next job is that of the user with the least use', () =>
  withThread(
    async (thread) => {
      const done: number[] = []
      const ask = (viewer: number, text: string) => thread.ask(job(text), asker(viewer)).then(() => done.push(viewer))
      await Promise.all([ask(1, 'a'), ask(1, 'b'), ask(1, 'c'), ask(2, 'd'), ask(2, 'e'), ask(3, 'f')])
      assert.deepEqual(new Set(done.slice(0, 3)), new Set([1, 2, 3]))
    },
    { maxQueue: 16 },
  ))

test('own thread: a job whose askers all left does not begin, and one that runs is ended', () =>
  withThread(async (thread) => {
    const leaving = new AbortController()
    const by = leavingAsker(1, leaving)
    const running = reasonOf(thread.ask(endless, by))
    const waiting = reasonOf(thread.ask(job('waits'), by))
    const other = thread.ask(job('other'), asker(2))
    const reason = new Error('left')
    leaving.abort(reason)
    assert.deepEqual(await Promise.all([running, waiting]), [reason, reason])
    assert.equal((await other).kind, 'runs')
    assert.equal(thread.begun, 2)
  }))

test('own thread: equal jobs run once, and go on for the one who stays', () =>
  withThread(async (thread) => {
    const leaving = new AbortController()
    const first = reasonOf(thread.ask(job('same'), leavingAsker(1, leaving), 'same'))
    const second = thread.ask(job('same'), asker(2), 'same')
    leaving.abort(new Error('left'))
    assert.ok((await first) instanceof Error)
    assert.equal((await second).kind, 'runs')
    assert.equal(thread.begun, 1)
  }))

test('own thread: a full line has room for a user with less use, in the place of the last job of the one with the most', () =>
  withThread(
    async (thread) => {
      const slow: TextJob = { kind: 'lines', language: 'csharp', source: 'ab '.repeat(1500) }
      await thread.ask(slow, asker(1))
      const leaving = new AbortController()
      const holding = reasonOf(thread.ask(endless, leavingAsker(9, leaving)))
      const waiting = [1, 2, 3, 4].map((viewer) => reasonOf(thread.ask(job(`${viewer}`), asker(viewer))))
      const more = reasonOf(thread.ask(job('5'), asker(5)))
      const again = await reasonOf(thread.ask(job('1 again'), asker(1)))
      assert.ok(again instanceof Unavailable && again.code === 'texts_busy')
      leaving.abort(new Error('left'))
      await holding
      const [first, ...others] = await Promise.all([...waiting, more])
      assert.ok(first instanceof Unavailable && first.code === 'texts_busy')
      assert.deepEqual(others, [undefined, undefined, undefined, undefined])
    },
    { maxQueue: 4 },
  ))

test('own thread: a job takes its processor time from the budget, and does not begin without any', () =>
  withThread(async (thread) => {
    const budget = new WorkBudget({ ...usualWorkLimits, threadUs: 1 })
    await thread.ask(job('first'), asker(1, budget))
    assert.ok((await reasonOf(thread.ask(job('second'), asker(1, budget)))) instanceof WorkTooCostly)
    assert.equal(thread.begun, 1)
    await thread.ask(job('third'), asker(1))
  }))

test('own thread: a job above its processor time ends the thread, whose start is not counted', () =>
  withThread(
    async (thread) => {
      await thread.ask(job('short'), asker(1))
      const reason = await reasonOf(thread.ask(endless, asker(1)))
      assert.ok(reason instanceof ThreadOverrun, String(reason))
      assert.equal((await thread.ask(job('next'), asker(1))).kind, 'runs')
    },
    // On a busy machine, the job waits longer for the processor than it computes.
    { timeoutMs: 500, wallMs: 100_000 },
  ))

test('own thread: an idle thread is left to the next one, and a busy one is ended', async () => {
  const spares = new SpareThreads(1)
  const used: number[] = []
  for (const text of ['first', 'second']) {
    await withThread(
      async (thread) => {
        assert.equal(thread.isRunning, false)
        const answer = await thread.ask(job(text), asker(1))
        assert.deepEqual(answer, { kind: 'runs', runs: [{ text, links: [] }] })
        used.push(spares.count)
      },
      { spares },
    )
    assert.equal(spares.count, 1)
  }
  assert.deepEqual(used, [0, 0])
  await withThread(
    async (thread) => {
      void reasonOf(thread.ask(endless, asker(1)))
      await thread.close()
    },
    { spares },
  )
  assert.equal(spares.count, 0)
})
