import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOrigin } from '../src/audit/request-origin.ts'
import { engineOf } from '../src/db/database.ts'
import { apiErrors } from '../src/http/error-forms.ts'
import type { NamedOperation } from '../src/http/operation.ts'
import { startForge } from '../src/testing/forge.ts'
import {
  clientOf,
  eachOf,
  everythingOn,
  makeWorld,
  pathFor,
  predict,
  type WorldRepository,
} from './authorization-world.ts'

/**
 * Every declared operation × every kind of caller × visibility of the repository, derived from the declarations: the server
 * refuses what the requirements refuse, with the status of the first failing one.
 */

/** Sends what the requirements of operations refuse. @returns the numbers of refusals and of operations */
async function expectRefusals(isTried: (operation: NamedOperation) => boolean) {
  await using forge = await startForge({ settings: everythingOn })
  const { callers, repositories } = await makeWorld(forge)
  const operations = forge.services
    .operations()
    .filter(({ base, id, accepts }) => base !== 'site' && accepts.includes('token') && id !== 'adminWatchEvents')
    .filter(isTried)
  const requests = operations.flatMap((operation) => {
    const inRepo = operation.path.includes('{reponame}')
    return callers.flatMap((caller) =>
      (inRepo ? repositories : repositories.slice(0, 1)).map((repository) => ({
        operation,
        caller,
        repository,
        outcome: predict(operation, caller, repository),
      })),
    )
  })
  const wrong: string[] = []
  let refused = 0
  await eachOf(
    requests.filter(({ outcome }) => typeof outcome === 'number' || outcome === 'refused'),
    8,
    async ({ operation, caller, repository, outcome }) => {
      refused += 1
      const { status, text } = await clientOf(forge, caller)(operation, pathFor(operation, repository))
      if (!hasErrorBody(text)) {
        wrong.push(`${operation.id} as ${caller.name} on ${repository.repo}: the body is ${text}`)
      }
      if (outcome === 'refused' ? status >= 400 : status === outcome) return
      wrong.push(`${operation.id} as ${caller.name} on ${repository.repo}: ${outcome} expected, ${status} came`)
    },
  )
  assert.deepEqual(wrong.slice(0, 40), [], `${wrong.length} of ${refused}`)
  return { refused, count: operations.length }
}

test('every operation that reads refuses callers as its requirements do, with the status of the first failing one', async () => {
  const { refused, count } = await expectRefusals(({ method }) => method === 'GET')
  assert.ok(refused > count * 15, `${refused} refusals were tried`)
})

test('every operation that writes refuses callers as its requirements do, with the status of the first failing one', async () => {
  const { refused, count } = await expectRefusals(({ method }) => method !== 'GET')
  assert.ok(refused > count * 15, `${refused} refusals were tried`)
})

/** The contract's error body: `message` and `url`, or `message` only for an account that may not act. */
function hasErrorBody(text: string): boolean {
  try {
    const body = JSON.parse(text) as { message?: unknown; url?: unknown; code?: unknown }
    if (typeof body.message !== 'string' || body.message === '') return false
    return Object.keys(body).length === 1 || (typeof body.url === 'string' && typeof body.code === 'string')
  } catch {
    return false
  }
}

test('every operation of the API throws its refusals and answers with the error body of the API', async () => {
  await using forge = await startForge()
  const found = forge.services.operations().filter(({ base, family, reply, errors }) => {
    if (base !== 'api' || family !== 'api') return false
    return errors !== apiErrors || Object.keys(reply).some((status) => Number(status) >= 400)
  })
  assert.deepEqual(
    found.map(({ id }) => id),
    [],
  )
})

test('handlers refuse with the error body of the API and name the first missing field', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice', 'bob'] })
  const { api } = await forge.given.repo({ owner: 'alice', name: 'home' })
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  await alice.must('POST', `${api}/issues`, { title: 'one' })
  const { json: comment } = await alice.must('POST', `${api}/issues/1/comments`, { body: 'said' })
  const one = `${api}/issues/1`
  const refused: [method: string, path: string, body?: unknown][] = [
    ['PATCH', one, { title: 'two' }],
    ['PATCH', `${api}/issues/comments/${comment.id}`, { body: 'x' }],
    ['DELETE', `${api}/issues/comments/${comment.id}`],
    ['DELETE', `${one}/labels`],
    ['POST', `${one}/times`, { time: 5 }],
    ['DELETE', `${one}/times`],
    ['POST', `${one}/stopwatch/start`],
    ['DELETE', `${one}/stopwatch/delete`],
  ]
  for (const [method, path, body] of refused) {
    const { status, text } = await bob.send(method, path, body)
    assert.deepEqual([status, hasErrorBody(text)], [403, true], `${method} ${path}: ${text}`)
  }
  const named: [path: string, body: unknown, message: string][] = [
    ['/markup', { Mode: 'moon', Text: 'x' }, '[Mode]: unknown mode moon'],
    [`${api}/transfer`, {}, '[new_owner]: is required'],
    [`${api}/actions/workflows/w.yml/dispatches`, {}, '[ref]: is required'],
    [`${api}/actions/workflows/w.yml/dispatches`, undefined, '[ref]: is required'],
  ]
  for (const [path, body, message] of named) {
    const { status, json } = await alice.send('POST', path, body)
    assert.deepEqual([status, json?.message], [422, message], path)
  }
  const sudo = await bob.send('GET', '/user?sudo=alice')
  assert.deepEqual([sudo.status, Object.keys(sudo.json)], [403, ['message']])
})

test('wrong credentials are 401 on every operation of the API', async () => {
  await using forge = await startForge()
  const repository = { repo: 'open', isPrivate: false, isArchived: false }
  const wrong: string[] = []
  await eachOf(
    forge.services.operations().filter(({ base }) => base === 'api'),
    8,
    async (operation) => {
      const { status } = await forge
        .as('root', { token: '0'.repeat(40) })
        .send(operation.method, pathFor(operation, repository))
      if (status !== 401) wrong.push(`${operation.id}: ${status}`)
    },
  )
  assert.deepEqual(wrong, [])
})

test('an operation declared as reading opens no transaction', async () => {
  await using forge = await startForge({ settings: { quota: { ENABLED: true } } })
  const { repositories } = await makeWorld(forge)
  await forge.settle()
  // The time of a token's last use is written for every request.
  forge.services.tokenUse.note = () => undefined
  const { writer } = engineOf(forge.services.db)
  const begin = writer.transaction.bind(writer)
  let begun = 0
  writer.transaction = () => {
    // Heartbeats and jobs begin transactions outside of requests.
    if (requestOrigin()) begun += 1
    return begin()
  }
  const reading = forge.services
    .operations()
    .filter(({ base, method, writes, cost }) => base === 'api' && !writes && method === 'GET' && cost !== 'waiting')
  assert.ok(reading.length > 100)
  const wrong: string[] = []
  await forge
    .as('alice')
    .must('POST', '/repos/alice/open/issues', { title: 'the transactions of requests are counted' })
  assert.ok(begun > 0)
  await forge.settle()
  for (const operation of reading) {
    for (const client of [forge.as('alice'), forge.guest]) {
      const before = begun
      await client.get(pathFor(operation, repositories[0] as WorldRepository))
      if (begun > before) wrong.push(operation.id)
    }
  }
  writer.transaction = begin
  assert.deepEqual([...new Set(wrong)], [])
})

test('expensive, waiting and always admitted operations are declared as such', async () => {
  await using forge = await startForge()
  const byCost = (cost: string): string[] =>
    forge.services
      .operations()
      .filter((operation) => operation.cost === cost)
      .map(({ id }) => id)
      .toSorted()
  assert.deepEqual(byCost('vital'), ['health', 'passkeySignInSubmit', 'signInPage', 'signInSubmit'])
  // Each has a limit for all callers and for each account.
  assert.ok(
    byCost('waiting').every((id) =>
      /(?:watch|list)(?:Events|AuditLog)$|^(?:runnerFetchTask|followIssue|follow\w+View)$/i.test(id),
    ),
    String(byCost('waiting')),
  )
  assert.ok(byCost('expensive').includes('repoCompareDiff'))
})
