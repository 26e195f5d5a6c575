import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { ForgeClient } from '../../testing/client.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { databaseSettings, startProgram } from '../../testing/serving-program.ts'
import { until } from '../../testing/until.ts'
import { Receiver } from '../receiver.test-support.ts'

/** Number of kills; `INGOT_CRASH_ROUNDS` raises it. */
const rounds = Number(process.env['INGOT_CRASH_ROUNDS'] ?? 5)

/** Starting the program takes a second or, on a busy machine, some. */
const timeout = 60_000 + rounds * 10_000

const settings = `
[log]
LEVEL = none
[cron]
ENABLED = false
[webhook]
ALLOWED_HOST_LIST = loopback
[ingot]
JOB_LEASE = 1s
JOB_POLL_INTERVAL = 200ms
`

/** Opens issues until the program is gone. Adds the numbers of those that it acknowledged to `made`. */
async function openIssues(client: ForgeClient, made: number[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      const { status, json } = await client.post('/repos/root/told/issues', { title: 'an issue' })
      if (status === 201) made.push(json.number)
    } catch {
      // The program was killed during the answer.
      return
    }
  }
}

/** Numbers in the order in which they came first. */
const firsts = (numbers: readonly number[]): number[] => [...new Set(numbers)]

test(
  `deliveries: the sender is killed ${rounds} times under load; each event arrives in order under one id`,
  { timeout },
  async () => {
    await using database = await openTestDatabase()
    const folder = mkdtempSync(join(tmpdir(), 'ingot-webhook-crash-'))
    writeFileSync(join(folder, 'app.ini'), settings + databaseSettings(database))
    // Slow answers, so that kills meet deliveries in progress.
    const slowly = async (response: { end(): unknown }): Promise<void> => {
      await wait(Math.random() * 8)
      response.end()
    }
    await using one = await Receiver.start((_, response) => void slowly(response))
    await using other = await Receiver.start((_, response) => void slowly(response))
    const made: number[] = []
    try {
      for (let round = 0; round <= rounds; round++) {
        const running = await startProgram(folder)
        const { root } = running
        if (round === 0) {
          await root.must('POST', '/user/repos', { name: 'told' })
          for (const receiver of [one, other]) {
            const config = { url: receiver.url, content_type: 'json' }
            const body = { type: 'gitea', active: true, events: ['issues_only'], config }
            await root.must('POST', '/repos/root/told/hooks', body)
          }
        }
        const isLast = round === rounds
        let isOver = false
        const before = made.length
        const writing = Promise.all([1, 2].map(() => openIssues(root, made, () => isOver)))
        // A slow machine needs its time until deliveries are under way.
        await until(() => made.length > before + 1, 'two issues')
        await wait(Math.random() * 500)
        isOver = isLast
        if (!isLast) await running.kill()
        await writing
        if (!isLast) continue
        const hasAll = (receiver: Receiver): boolean => {
          const got = new Set(receiver.got.map(({ json }) => json.number))
          return made.every((number) => got.has(number))
        }
        await until(() => hasAll(one) && hasAll(other), 'every event at both receivers')
        await running.kill()
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    assert.ok(made.length > rounds, `${made.length} issues were made`)
    for (const { got, ids } of [one, other]) {
      const numbers = got.map(({ json }) => json.number as number)
      const order = firsts(numbers)
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
        'what happened first arrives first',
      )
      const idsOf = new Map<number, Set<string>>()
      for (const [index, number] of numbers.entries()) {
        idsOf.set(number, (idsOf.get(number) ?? new Set()).add(ids[index] as string))
      }
      assert.ok(
        [...idsOf.values()].every((each) => each.size === 1),
        'an event has one id however often it is sent',
      )
      assert.equal(new Set(ids).size, order.length, 'and each its own')
    }
  },
)
