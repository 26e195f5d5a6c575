import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBytes, isPage } from '../src/http/operation.ts'
import { dice } from '../src/testing/dice.ts'
import { examined } from '../src/testing/doctor.ts'
import { startForge } from '../src/testing/forge.ts'
import { Requests, type FuzzRequest } from './fuzz/requests.ts'
import { makeWorld, type World } from './fuzz/world.ts'

/** Number of requests; CI uses the default. */
const total = Number(process.env['INGOT_FUZZ_REQUESTS'] ?? 1600)
const seed = Number(process.env['INGOT_FUZZ_SEED'] ?? 1)

/** Requests per test world, which they gradually destroy, and requests at a time. */
const ofAWorld = 300
const atOnce = 6

/** A request that takes longer hangs, in milliseconds. */
const longestMs = 30_000

const timeout = 120_000 + total * 100

test(
  `${total} random requests of all operations cause no server error and nothing for the doctor to find`,
  {
    timeout,
  },
  async () => {
    await using forge = await startForge({
      settings: {
        repository: { ENABLE_FLAGS: true },
        quota: { ENABLED: true },
        server: { LFS_START_SERVER: true },
        actions: { ENABLED: true },
      },
    })
    const operations = forge.services.operations().filter(
      // A stream of events does not end.
      ({ reply }) =>
        !Object.values(reply).some((shape) => isBytes(shape) && shape.mediaTypes.includes('text/event-stream')),
    )
    const roll = dice(seed)
    const requests = new Requests(roll, operations)
    const wrong = new Map<string, string>()
    const done = new Set<string>()

    async function ask(world: World, request: FuzzRequest): Promise<void> {
      const { name, client, browser } = request.caller
      const say = (what: string): void =>
        void wrong.set(
          `${request.operation.id} ${what.slice(0, 60)}`,
          `${request.method} ${request.path} as ${name} with ${request.shown.slice(0, 300)}: ${what}`,
        )
      try {
        const inBrowser = isPage(request.operation)
        const answer = await (inBrowser ? forge.guest : client).send(request.method, request.path, undefined, {
          site: true,
          headers: { ...request.headers, ...(inBrowser ? { cookie: browser.cookieHeader() } : {}) },
          ...(request.body === undefined ? {} : { raw: request.body }),
          signal: AbortSignal.timeout(longestMs),
        })
        // The family answers 501 for some unsupported requests.
        if (answer.status >= 500 && answer.status !== 501) say(`${answer.status} ${answer.text.slice(0, 200)}`)
        // A form that took effect redirects, as does a page for a guest who has to sign in.
        const isDone =
          answer.status < 300 || (answer.status === 303 && !answer.headers.get('location')?.includes('login'))
        if (isDone) {
          done.add(request.operation.id)
          world.known.harvest(request.path, answer.json)
        }
      } catch (error) {
        say(String(error instanceof Error ? (error.cause ?? error) : error))
      }
    }

    for (let made = 0, number = 1; made < total; number++) {
      const world = await makeWorld(forge, number)
      const end = Math.min(total, made + ofAWorld)
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (made < end) {
            made += 1
            await ask(world, requests.next(world))
          }
        }),
      )
      await forge.settle()
    }
    const causes = forge.defects
      .splice(0)
      .map((error) => (error instanceof Error ? (error.stack ?? '') : String(error)))
    const report = [...new Set(causes)].slice(0, 20).join('\n')
    assert.deepEqual([...wrong.values()], [], report)
    assert.deepEqual(causes, [], 'defects in the background')
    assert.deepEqual(await examined(forge.services), [])
    // Otherwise the test would only exercise refusals.
    assert.ok(done.size > operations.length / 6, `${done.size} operations succeeded`)
  },
)
