import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { startForge } from '../testing/forge.ts'
import { engineOf, transaction } from './database.ts'
import { isDatabaseAway } from './reach.ts'

test('a connection that the server ends fails the open transaction, and nothing else (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  const { kind, reader } = engineOf(database.db)
  if (kind !== 'postgres') return context.skip('SQLite has no connections')
  const failing = transaction(database.db, async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(reader)
    // The message comes while no statement runs.
    await sleep(200)
    await sql`select 1`.execute(tx)
  })
  await assert.rejects(failing, isDatabaseAway)
  assert.equal((await sql`select 1`.execute(reader)).rows.length, 1)
})

test('requests get 503 while PostgreSQL is away, and answers when it is back (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  if (database.options.kind !== 'postgres') return context.skip('SQLite is never away')
  const behind = new URL(database.options.url)
  const sockets = new Set<Socket>()
  let isAway = false
  const front = createServer((socket) => {
    if (isAway) return void socket.destroy()
    const onward = connect(Number(behind.port || 5432), behind.hostname)
    for (const each of [socket, onward]) {
      sockets.add(each)
      each.on('error', () => undefined).on('close', () => (socket.destroy(), onward.destroy()))
    }
    socket.pipe(onward).pipe(socket)
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const url = new URL(behind)
  url.host = `127.0.0.1:${(front.address() as AddressInfo).port}`
  try {
    await using forge = await startForge({ users: ['alice'], database: { ...database.options, url: url.href } })
    const alice = forge.as('alice')
    const repo = await forge.given.repo({ owner: 'alice' })
    isAway = true
    for (const socket of sockets) socket.destroy()
    const [read, write] = [await alice.get(repo.api), await alice.post(`${repo.api}/issues`, { title: 'lost' })]
    assert.deepEqual([read.status, write.status], [503, 503])
    assert.match(read.text, /the database does not answer/)
    assert.equal((await fetch(`${forge.url}/${repo.fullName}`)).status, 503)
    isAway = false
    assert.equal((await alice.get(repo.api)).status, 200)
    await alice.must('POST', `${repo.api}/issues`, { title: 'kept' })
    assert.deepEqual(
      (await alice.get(`${repo.api}/issues`)).json.map(({ title }: { title: string }) => title),
      ['kept'],
    )
    // The workers noticed that the database was away.
    forge.defects.length = 0
  } finally {
    front.close()
  }
})
