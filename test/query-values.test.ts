import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { NamedOperation } from '../src/http/operation.ts'
import { startForge } from '../src/testing/forge.ts'
import { givenPull } from '../src/testing/given-pull.ts'

/** What this test reads of an operation of the contract. */
interface ContractOperation {
  readonly id: string
  readonly query?: readonly { readonly name: string; readonly enum?: readonly string[] }[]
}

const contract = new Map(
  (JSON.parse(readFileSync('contract/operations.json', 'utf8')) as ContractOperation[]).map(
    ({ id, query }) => [id, (query ?? []).filter((each) => each.enum).map(({ name }) => name)] as const,
  ),
)

/** Values that no parameter lists, by the type that it is declared with. */
const oddValues: Readonly<Record<string, readonly string[]>> = {
  integer: ['-1', '0', '999999999999999', 'many'],
  string: ['nonsense', '\0', '%'],
  boolean: ['perhaps'],
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

test('no value of a query parameter is a defect: neither one that its list does not have, nor one out of range', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { repository: { ENABLE_FLAGS: true }, quota: { ENABLED: true } },
  })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const pull = await givenPull(forge, { repo })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const root = forge.as('root')
  const wrong: string[] = []
  let asked = 0
  let listed = 0
  for (const operation of forge.services.operations()) {
    // A stream of events goes on for ever.
    if (operation.base !== 'api' || operation.id === 'adminWatchEvents') continue
    const lists = contract.get(operation.id) ?? []
    const names = operation.method === 'GET' ? [...new Set([...Object.keys(operation.query), ...lists])] : lists
    const path = operation.path.replace(/\{([\w-]+)\+?\}/g, (_, name: string) =>
      name === 'reponame' ? 'tool' : name === 'index' ? String(pull.number) : (pathValues[name] ?? '1'),
    )
    for (const name of names) {
      listed += lists.includes(name) ? 1 : 0
      for (const value of oddValues[typeOf(operation, name)] ?? []) {
        const answer = await root.send(operation.method, `${path}?${name}=${encodeURIComponent(value)}`)
        asked += 1
        if (answer.status >= 500) wrong.push(`${operation.id} with ${name}=${value}: ${answer.status}`)
      }
    }
  }
  assert.ok(asked > 500 && listed > 10, `${asked} requests, ${listed} parameters with a list`)
  const causes = forge.defects.splice(0).map(String)
  assert.deepEqual(wrong, [], causes.join('\n'))
})
