import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineOf } from '../src/db/database.ts'
import { startForge } from '../src/testing/forge.ts'
import { clientOf, eachOf, everythingOn, makeWorld, pathFor, predict, type Place } from './authorization-world.ts'

/**
 * Every declared operation × every kind of caller × visibility of the repository, made from the declarations: what the
 * requirements of an operation refuse, the server refuses, with the status of the first one that does.
 */

test('every operation refuses whom its requirements refuse, with the status of the first that does', async () => {
  await using forge = await startForge({ settings: everythingOn })
  const { callers, places } = await makeWorld(forge)
  const operations = forge.services
    .operations()
    .filter(({ base, id, accepts }) => base !== 'site' && accepts.includes('token') && id !== 'adminWatchEvents')
  const requests = operations.flatMap((operation) => {
    const inRepo = operation.path.includes('{reponame}')
    return callers.flatMap((caller) =>
      (inRepo ? places : places.slice(0, 1)).map((place) => ({
        operation,
        caller,
        place,
        outcome: predict(operation, caller, place),
      })),
    )
  })
  const wrong: string[] = []
  let refused = 0
  await eachOf(
    requests.filter(({ outcome }) => typeof outcome === 'number' || outcome === 'refused'),
    8,
    async ({ operation, caller, place, outcome }) => {
      refused += 1
      const { status } = await clientOf(forge, caller)(operation, pathFor(operation, place))
      if (outcome === 'refused' ? status >= 400 : status === outcome) return
      wrong.push(`${operation.id} as ${caller.name} on ${place.repo}: ${outcome} expected, ${status} came`)
    },
  )
  assert.deepEqual(wrong.slice(0, 40), [], `${wrong.length} of ${refused}`)
  assert.ok(refused > operations.length * 15, `${refused} refusals were tried`)
})

test('wrong credentials are 401 on every operation of the API', async () => {
  await using forge = await startForge()
  const place = { repo: 'open', isPrivate: false, isArchived: false }
  const wrong: string[] = []
  await eachOf(
    forge.services.operations().filter(({ base }) => base === 'api'),
    8,
    async (operation) => {
      const { status } = await forge
        .as('root', { token: '0'.repeat(40) })
        .send(operation.method, pathFor(operation, place))
      if (status !== 401) wrong.push(`${operation.id}: ${status}`)
    },
  )
  assert.deepEqual(wrong, [])
})

test('an operation that is declared to change nothing opens no transaction', async () => {
  await using forge = await startForge({ settings: { quota: { ENABLED: true } } })
  const { places } = await makeWorld(forge)
  await forge.settle()
  // When a token was used last is noted whatever it asks for.
  forge.services.tokenUse.note = () => undefined
  const { writer } = engineOf(forge.services.db)
  const begin = writer.transaction.bind(writer)
  let begun = 0
  writer.transaction = () => {
    begun += 1
    return begin()
  }
  const reading = forge.services
    .operations()
    .filter(({ base, method, writes, load }) => base === 'api' && !writes && method === 'GET' && load !== 'waiting')
  assert.ok(reading.length > 100)
  const wrong: string[] = []
  for (const operation of reading) {
    for (const client of [forge.as('alice'), forge.guest]) {
      const before = begun
      await client.get(pathFor(operation, places[0] as Place))
      if (begun > before) wrong.push(operation.id)
    }
  }
  writer.transaction = begin
  assert.deepEqual([...new Set(wrong)], [])
})

test('operations that cost much, wait, or are always let in are declared as such', async () => {
  await using forge = await startForge()
  const byLoad = (load: string): string[] =>
    forge.services
      .operations()
      .filter((operation) => operation.load === load)
      .map(({ id }) => id)
      .toSorted()
  assert.deepEqual(byLoad('vital'), ['health', 'passkeySignInSubmit', 'signInPage', 'signInSubmit'])
  // Each of them has a limit of its own, for all and for each account.
  assert.ok(
    byLoad('waiting').every((id) => /(?:watch|list)(?:Events|AuditLog)$|^runnerFetchTask$/i.test(id)),
    String(byLoad('waiting')),
  )
  assert.ok(byLoad('expensive').includes('repoCompareDiff'))
})
