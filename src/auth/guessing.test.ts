import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Clone } from '../testing/clone.ts'
import { openTestDatabase } from '../testing/database.ts'
import { startForge, testPassword, type Forge } from '../testing/forge.ts'
import { basicAuthorization } from '../testing/samples.ts'
import { forgetExpiredSessions } from './session.service.ts'
import { SignInAttempts } from './sign-in-attempts.ts'
import { Turns } from './turns.ts'

/** Sends a request with a password, from the address that the proxy in front names. */
async function ask(forge: Forge, login: string, password: string, from?: string) {
  const forwarded: Record<string, string> = from === undefined ? {} : { 'x-forwarded-for': from }
  return forge.guest.get('/user', { headers: { authorization: basicAuthorization(login, password), ...forwarded } })
}

async function guess(forge: Forge, count: number, from?: string): Promise<void> {
  for (let each = 0; each < count; each++) await ask(forge, 'alice', `guess ${each}`, from)
}

test('after ten wrong guesses other addresses, tokens and keys work, and the guessing address works after a pause', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  await guess(forge, 12, '203.0.113.1')
  const refused = await ask(forge, 'alice', testPassword, '203.0.113.1')
  assert.deepEqual(
    [refused.status, refused.json.code, refused.headers.get('retry-after')],
    [429, 'sign_in_throttled', '20'],
  )
  assert.equal((await ask(forge, 'alice', testPassword, '203.0.113.2')).status, 200, 'from elsewhere')
  assert.equal((await forge.as('alice').get('/user')).status, 200, 'by a token')
  forge.clock.advance(20_001)
  assert.equal((await ask(forge, 'alice', 'one more guess', '203.0.113.1')).status, 401)
  assert.equal((await ask(forge, 'alice', testPassword, '203.0.113.1')).status, 429)
  forge.clock.advance(20_001)
  assert.equal((await ask(forge, 'alice', testPassword, '203.0.113.1')).status, 200)
  assert.equal((await ask(forge, 'alice', testPassword, '203.0.113.1')).status, 200)
})

test('guesses of many names from one address take turns, except for names that signed in from there', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.now() })
  const from = '2001:db8:0:7::'
  assert.equal((await ask(forge, 'bob', testPassword, `${from}1`)).status, 200)
  const startedMs = performance.now()
  let quick = 0
  const attack = Promise.all(
    Array.from({ length: 34 }, async (_, each) => {
      assert.equal((await ask(forge, `name${each}`, 'spring2026', `${from}${each.toString(16)}`)).status, 401)
      if (performance.now() - startedMs < 400) quick++
    }),
  )
  const known = await ask(forge, 'bob', testPassword, `${from}3`)
  const knownMs = performance.now() - startedMs
  assert.equal(known.status, 200)
  assert.equal((await ask(forge, 'alice', testPassword, '2001:db8:0:8::1')).status, 200, 'from the next network')
  await attack
  assert.ok(quick <= 30, `the network of one customer is one address: ${quick} were quick`)
  assert.ok(performance.now() - startedMs >= 1900, 'what is more is looked at every half second')
  assert.ok(knownMs < performance.now() - startedMs, 'whoever signed in from there does not wait in line')
})

test('people who share the address of a guesser can sign in for the first time, while guesses stay slow', async () => {
  const people = Array.from({ length: 12 }, (_, each) => `person${each}`)
  await using forge = await startForge({ users: people, standAt: Date.now() })
  const from = '203.0.113.5'
  await Promise.all(Array.from({ length: 30 }, (_, each) => ask(forge, `name${each}`, 'spring2026', from)))
  const startedMs = performance.now()
  let isOver = false
  let looked = 0
  const guessers = Array.from({ length: 4 }, async (_, guesser) => {
    for (let each = 0; !isOver; each++) {
      const { status } = await ask(forge, `victim${each % 20}`, `guess ${guesser}-${each}`, from)
      if (status === 401) looked++
    }
  })
  const statuses = await Promise.all(people.map(async (name) => (await ask(forge, name, testPassword, from)).status))
  const afterMs = performance.now() - startedMs
  isOver = true
  await Promise.all(guessers)
  assert.deepEqual(statuses, Array(12).fill(200))
  assert.ok(looked <= (performance.now() - startedMs) / 500 + 2, `${looked} guesses in ${afterMs} ms`)
})

test('turns: a lower rank goes first, a disconnected client leaves the queue, and an excess client is refused', async () => {
  const turns = new Turns(20, 3)
  const order: string[] = []
  const gone = new AbortController()
  const take = async (name: string, rank: number, signal?: AbortSignal) => {
    if (await turns.take('key', rank, signal)) order.push(name)
    else order.push(`${name} refused`)
  }
  const left = assert.rejects(take('gone', 0, gone.signal))
  const waiting = [take('second', 1), take('first', 0)]
  await take('fourth', 0)
  gone.abort()
  await left
  waiting.push(take('third', 1))
  await Promise.all(waiting)
  assert.deepEqual(order, ['fourth refused', 'first', 'second', 'third'])
})

test('guesses of one name from many addresses are delayed, and the owner can sign in', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  for (let each = 0; each < 50; each++) await ask(forge, 'alice', 'guess', `203.0.113.${each}`)
  const timed = async (from: string) => {
    const startedMs = performance.now()
    const { status } = await ask(forge, 'alice', testPassword, from)
    return { status, ms: performance.now() - startedMs }
  }
  const first = await timed('198.51.100.1')
  assert.ok(first.status === 200 && first.ms > 1900, JSON.stringify(first))
  const second = await timed('198.51.100.1')
  assert.ok(second.status === 200 && second.ms < 1500, `where it was right before: ${JSON.stringify(second)}`)
  const storm = await Promise.all(Array.from({ length: 40 }, (_, each) => timed(`198.51.101.${each}`)))
  assert.equal(storm.filter(({ status }) => status === 429).length, 24, 'few wait at once')
})

test('X-Forwarded-For is trusted only from configured proxies', async () => {
  const settings = { security: { REVERSE_PROXY_TRUSTED_PROXIES: '192.0.2.1' } }
  await using forge = await startForge({ users: ['alice'], standAt: Date.now(), settings })
  for (let each = 0; each < 10; each++) await ask(forge, 'alice', 'guess', `203.0.113.${each}`)
  assert.equal((await ask(forge, 'alice', 'guess', '203.0.113.77')).status, 429)
  assert.equal(forge.answered.at(-1)?.ip, '127.0.0.1')
})

test('an unknown name takes as long as a known one', async () => {
  await using forge = await startForge({ users: ['alice', 'barred'] })
  await forge.as('root').must('PATCH', '/admin/users/barred', { prohibit_login: true })
  let looked = 0
  const { passwordChecks } = forge.services
  const { verify } = passwordChecks
  Object.assign(passwordChecks, {
    verify: (...given: Parameters<typeof verify>) => {
      looked++
      return verify(...given)
    },
  })
  for (const login of ['alice', 'nobody', 'barred', 'nobody@example.com']) {
    looked = 0
    assert.equal((await ask(forge, login, 'guess')).status, 401)
    assert.equal(looked, 1, login)
  }
})

test('git: too many guesses are 429 instead of 401, because helpers forget the password at 401', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const address = `/${repo.fullName}.git/info/refs?service=git-`
  const git = async (service: string, password: string) => {
    const headers = { authorization: basicAuthorization('alice', password) }
    return (await forge.guest.get(`${address}${service}`, { site: true, headers })).status
  }
  assert.equal(await git('upload-pack', 'wrong'), 401)
  await guess(forge, 10)
  assert.deepEqual([await git('upload-pack', testPassword), await git('receive-pack', testPassword)], [429, 429])
  const lfs = await forge.guest.post(
    `/${repo.fullName}.git/info/lfs/objects/batch`,
    { operation: 'download', objects: [] },
    {
      site: true,
      headers: { authorization: basicAuthorization('alice', testPassword), accept: 'application/vnd.git-lfs+json' },
    },
  )
  assert.equal(lfs.status, 429)
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  assert.match(await clone.must('log', '-1', '--format=%s'), /\S/, 'a token goes on working')
})

test('guesses count across the processes of a database, and after a restart', async () => {
  await using stack = new AsyncDisposableStack()
  const dataFolder = mkdtempSync(join(tmpdir(), 'ingot-guess-'))
  stack.defer(() => rmSync(dataFolder, { recursive: true, force: true, maxRetries: 3 }))
  const { options: database } = stack.use(await openTestDatabase())
  const options = { dataFolder, database, standAt: Date.now() }
  const countOf = async ({ services: { db } }: Forge): Promise<number> =>
    (await db.selectFrom('refused_attempt').select('id').execute()).length
  {
    await using one = await startForge({ users: ['alice'], ...options })
    await using other = await startForge(options)
    for (const [each, forge] of [one, other, one, other, one, other, one, other, one, other].entries()) {
      // A process reads the failures of others at most ten times a second.
      await wait(110)
      assert.equal((await ask(forge, 'alice', `guess ${each}`, '203.0.113.1')).status, 401)
    }
    await wait(110)
    assert.equal((await ask(one, 'alice', testPassword, '203.0.113.1')).status, 429)
    assert.equal((await ask(other, 'alice', testPassword, '203.0.113.1')).status, 429)
    assert.equal((await ask(other, 'alice', testPassword, '203.0.113.2')).status, 200, 'from elsewhere')
    assert.equal(await countOf(one), 10, 'neither right nor stopped attempts are recorded')
  }
  await using again = await startForge(options)
  assert.equal((await ask(again, 'alice', testPassword, '203.0.113.1')).status, 429)
  again.clock.advance(3_600_001)
  await forgetExpiredSessions(again.services)
  assert.equal(await countOf(again), 0)
})

test('the memory for guesses is bounded, for any number and length of names', () => {
  const attempts = new SignInAttempts({ nowMs: () => 1_000_000 })
  for (let each = 0; each < 30_000; each++) attempts.failed(`${each}`.padStart(4000, 'x'), `192.0.${each % 256}.1`)
  for (let each = 0; each < 10; each++) attempts.failed('x', '192.0.7.1')
  assert.throws(() => attempts.check('x', '192.0.7.1'), { status: 429 })
  attempts.check('x', '198.51.100.1')
})
