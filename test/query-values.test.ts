import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isBytes, type NamedOperation } from '../src/http/operation.ts'
import { startForge } from '../src/testing/forge.ts'
import { givenPull } from '../src/testing/given-pull.ts'

/** The parts of a contract operation that this test reads. */
interface ContractOperation {
  readonly id: string
  readonly query?: readonly { readonly name: string; readonly enum?: readonly string[] }[]
}

const contract = new Map(
  (JSON.parse(readFileSync('test/contract/operations.json', 'utf8')) as ContractOperation[]).map(
    ({ id, query }) => [id, (query ?? []).filter((each) => each.enum).map(({ name }) => name)] as const,
  ),
)

/** A plain value of each declared type, then values outside of every list. */
const triedValues: Readonly<Record<string, readonly string[]>> = {
  integer: ['1', '-1', '0', '999999999999999', 'many'],
  string: ['nonsense', '\0', '%'],
  boolean: ['true', 'perhaps'],
  array: ['nonsense', '-1,x'],
}

const typeOf = ({ query }: NamedOperation, name: string): string => {
  const { type } = (query[name] ?? {}) as { readonly type?: string }
  return type ?? 'string'
}

const pathValues: Readonly<Record<string, string>> = {
  username: 'alice',
  org: 'guild',
  sha: 'main',
  ref: 'main',
  filepath: 'README.md',
  diffType: 'diff',
  ball_type: 'zipball',
}

/** The address of an operation with existing things as its parameters. */
const addressOf = (path: string, index: number): string =>
  path.replace(/\{([\w-]+)\+?\}/g, (_, name: string) =>
    name === 'reponame' ? 'tool' : name === 'index' ? String(index) : (pathValues[name] ?? '1'),
  )

interface BodySchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly required?: readonly string[]
  readonly items?: BodySchema
  readonly anyOf?: readonly BodySchema[]
}

/** A value that satisfies a schema, with the required members of records. */
function exampleOf(schema: BodySchema): unknown {
  if (schema.enum) return schema.enum[0]
  const [first] = schema.anyOf ?? []
  if (first) return exampleOf(first)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] as BodySchema)]),
      )
    case 'array':
      return schema.items ? [exampleOf(schema.items)] : []
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return false
    case undefined:
    default:
      return schema.format === 'date-time' ? '2030-01-02T03:04:05Z' : 'text'
  }
}

/** Valid bodies, each with a zero byte in one text or an oversized whole number. */
function withUnkept(schema: BodySchema): unknown[] {
  if (schema.enum) return []
  const [first] = schema.anyOf ?? []
  if (first) return withUnkept(first)
  if (schema.type === 'array' && schema.items) return withUnkept(schema.items).map((item) => [item])
  if (schema.type === 'object') {
    const whole = exampleOf(schema) as object
    return Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      withUnkept(member).map((value) => ({ ...whole, [name]: value })),
    )
  }
  if (schema.type === 'integer' || schema.type === 'number') return [2 ** 53, -1e300]
  return schema.type === 'string' || schema.type === undefined ? ['a\0b'] : []
}

test('no body stores a text with a zero byte or an inexact number: 422, or an earlier refusal, on both databases', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { repository: { ENABLE_FLAGS: true }, quota: { ENABLED: true } },
  })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const pull = await givenPull(forge, { repo })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const root = forge.as('root')
  const wrong: string[] = []
  const refused = new Map<number, number>()
  for (const operation of forge.services.operations()) {
    if (operation.base !== 'api' || operation.body === undefined || isBytes(operation.body)) continue
    for (const body of withUnkept(operation.body as BodySchema)) {
      const { status } = await root.send(operation.method, addressOf(operation.path, pull.number), body)
      refused.set(status, (refused.get(status) ?? 0) + 1)
      if (status < 400 || status >= 500) wrong.push(`${operation.id} with ${JSON.stringify(body)}: ${status}`)
    }
  }
  const causes = forge.defects.splice(0).map(String)
  assert.deepEqual(wrong, [], causes.join('\n'))
  assert.ok((refused.get(422) ?? 0) > 200, `422 was answered ${refused.get(422)} times`)
})

test('no value of a query parameter causes a server error', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { repository: { ENABLE_FLAGS: true }, quota: { ENABLED: true } },
  })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const pull = await givenPull(forge, { repo })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const root = forge.as('root')
  const wrong: string[] = []
  let requestCount = 0
  let listed = 0
  for (const operation of forge.services.operations()) {
    // A stream of events does not end.
    const isEndless = Object.values(operation.reply).some(
      (shape) => isBytes(shape) && shape.mediaTypes.includes('text/event-stream'),
    )
    if (operation.base !== 'api' || isEndless) continue
    const lists = contract.get(operation.id) ?? []
    const names = operation.method === 'GET' ? [...new Set([...Object.keys(operation.query), ...lists])] : lists
    const path = addressOf(operation.path, pull.number)
    for (const name of names) {
      listed += lists.includes(name) ? 1 : 0
      for (const value of triedValues[typeOf(operation, name)] ?? []) {
        const answer = await root.send(operation.method, `${path}?${name}=${encodeURIComponent(value)}`)
        requestCount += 1
        if (answer.status >= 500) wrong.push(`${operation.id} with ${name}=${value}: ${answer.status}`)
      }
    }
  }
  assert.ok(requestCount > 500 && listed > 10, `${requestCount} requests, ${listed} parameters with a list`)
  const causes = forge.defects.splice(0).map(String)
  assert.deepEqual(wrong, [], causes.join('\n'))
})
