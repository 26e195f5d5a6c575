import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { publicKey } from '../src/testing/samples.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { addressOf, bodyFor, clientOf, eachOf, everythingOn, jobTokens, type Caller } from './authorization-world.ts'

/**
 * Every operation answers for a repository, account or organization that the caller may not see as for a missing one: with
 * the same status, body, challenge and redirect.
 */

/** Values of one parameter: a hidden name and a missing name of the same length. */
interface Pair {
  readonly what: string
  readonly hidden: Readonly<Record<string, string>>
  readonly missing: Readonly<Record<string, string>>
}

const repoPairs: readonly Pair[] = [
  { what: 'a private repository', hidden: { reponame: 'riddle' }, missing: { reponame: 'nought' } },
  { what: 'a public repository of a private account', hidden: { username: 'hermit' }, missing: { username: 'nobody' } },
]

/** An answer without the names in the request. */
const leaked = (
  answer: { status: number; text: string; headers: Headers },
  names: Readonly<Record<string, string>>,
) => {
  const header = (name: string) => answer.headers.get(name) ?? ''
  // A token contains the time when it was made.
  const body = answer.text.replace(/"request_id":"[^"]*"/, '').replace(/eyJ[\w-]+\.[\w.-]+/, 'a token')
  const whole = [answer.status, header('location'), header('www-authenticate'), header('allow'), body].join('\n')
  return Object.values(names).reduce((text, name) => text.replaceAll(name, '…'), whole)
}

/** A private repository, account and organization with contents, and callers who may not see them. */
async function makeSecrets(forge: Forge): Promise<Caller[]> {
  const [alice, hermit] = [forge.as('alice'), forge.as('hermit')]
  await forge.given.repo({ owner: 'alice', name: 'open' })
  await forge.given.repo({ owner: 'alice', name: 'riddle', private: true })
  const held = await forge.given.repo({ owner: 'hermit', name: 'open' })
  await forge.given.org({ owner: 'hermit', name: 'public-house' })
  await hermit.must('PUT', '/orgs/public-house/public_members/hermit')
  await hermit.must('POST', '/user/keys', { title: 'key', key: publicKey })
  await hermit.must('PUT', '/user/starred/alice/open')
  await hermit.must('PUT', '/user/following/alice')
  await hermit.must('POST', `${held.api}/issues`, { title: 'a sorrow' })
  await hermit.must('PUT', '/api/packages/hermit/generic/tool/1/f', undefined, { site: true, raw: 'x' })
  await forge.given.org({ owner: 'hermit', name: 'club' })
  await hermit.must('PUT', '/orgs/club/public_members/hermit')
  await forge.given.org({ owner: 'alice', name: 'cabal' })
  await alice.must('POST', '/orgs/cabal/repos', { name: 'plans', auto_init: true })
  await alice.must('POST', '/orgs/cabal/labels', { name: 'plot', color: '#001122' })
  await alice.must('PATCH', '/orgs/cabal', { visibility: 'private' })
  await alice.must('POST', '/orgs', { username: 'junta' })
  await alice.must('POST', '/orgs/junta/rename', { new_name: 'putsch' })
  await alice.must('PATCH', '/orgs/putsch', { visibility: 'private' })
  const root = forge.as('root')
  await forge.account('eremit')
  await root.must('POST', '/admin/users/eremit/rename', { new_username: 'anchorite' })
  await root.must('PATCH', '/admin/users/anchorite', { login_name: 'anchorite', source_id: 0, visibility: 'private' })
  const { user, token } = await forge.account('stranger')
  const { writing } = await jobTokens(forge, 'open')
  await root.must('PATCH', '/admin/users/hermit', { login_name: 'hermit', source_id: 0, visibility: 'private' })
  await forge.settle()
  const caller = { scopes: undefined, isSiteAdmin: false, rank: 0, org: 'none' as const }
  return [
    { name: 'a guest', token: undefined, login: undefined, ...caller },
    { name: user.name, token, login: user.name, ...caller },
    { name: 'a job of another repository', token: writing, login: 'actions', ...caller },
  ]
}

/** Operations whose answer ends by itself. */
const endingOf = (forge: Forge): NamedOperation[] =>
  forge.services.operations().filter(({ cost }) => cost !== 'waiting')

/** The callers whom an operation can tell apart: a page takes every token for a guest. */
const callersOf = (operation: NamedOperation, callers: readonly Caller[]): readonly Caller[] =>
  isPage(operation) ? callers.slice(0, 1) : callers

/** Compares what operations answer for a hidden repository and for a missing one. @returns the number of comparisons */
async function compareRepositories(isTried: (operation: NamedOperation) => boolean): Promise<number> {
  await using forge = await startForge({ settings: everythingOn, users: ['alice', 'hermit', 'stranger'] })
  const callers = await makeSecrets(forge)
  const different: string[] = []
  let compared = 0
  const operations = endingOf(forge).filter((each) => each.path.includes('{reponame}') && isTried(each))
  await eachOf(operations, 8, async (operation) => {
    for (const { what, hidden, missing } of repoPairs) {
      for (const caller of callersOf(operation, callers)) {
        const answers: string[] = []
        for (const names of [hidden, missing]) {
          const path = addressOf(operation, { username: 'alice', reponame: 'open', ...names })
          answers.push(leaked(await clientOf(forge, caller)(operation, path, bodyFor(operation)), names))
        }
        compared += 1
        if (answers[0] !== answers[1]) {
          different.push(`${operation.id} as ${caller.name}, ${what}: ${answers.map(short).join(' and ')}`)
        }
      }
    }
  })
  assert.deepEqual(different.slice(0, 40), [], `${different.length} of ${compared}`)
  return compared
}

test('every operation of the API answers for a hidden repository as for a missing one', async () => {
  const compared = await compareRepositories((operation) => !isPage(operation))
  assert.ok(compared > 900, `${compared} were compared`)
})

test('every page and form answers for a hidden repository as for a missing one', async () => {
  const compared = await compareRepositories(isPage)
  assert.ok(compared > 400, `${compared} were compared`)
})

/** Operations on an account that the caller names: a stranger can follow a private account (recorded, users). */
const actsOnNamed = /^\/user\/(?:following|block|unblock)\//

/** Values of parameters that name an account beside the owner of the address. */
const named = (name: string) => ({ collaborator: name, target: name, user: name, timetrackingusername: name })

/** Owners that the callers may not see, and missing names of the same length; `in` is the parameter that the pair needs. */
const ownerPairs: readonly (Pair & { readonly in: RegExp })[] = [
  {
    in: /\{(?:username|org)\}/,
    what: 'a private account and a private organization',
    hidden: { username: 'hermit', org: 'cabal' },
    missing: { username: 'nobody', org: 'nihil' },
  },
  {
    in: /\{(?:username|org)\}/,
    what: 'former names of a private account and a private organization',
    hidden: { username: 'eremit', org: 'junta' },
    missing: { username: 'nobody', org: 'nihil' },
  },
  {
    in: /\{username\}/,
    what: 'a private organization in the place of an account',
    hidden: { username: 'cabal', org: 'cabal' },
    missing: { username: 'nihil', org: 'nihil' },
  },
  {
    in: /\{(?:collaborator|target|user|timetrackingusername)\}/,
    what: 'a private account beside an owner that the caller sees',
    hidden: { username: 'alice', ...named('hermit') },
    missing: { username: 'alice', ...named('nobody') },
  },
  {
    in: /\{(?:collaborator|target|user|timetrackingusername)\}/,
    what: 'the former name of a private account beside an owner that the caller sees',
    hidden: { username: 'alice', ...named('eremit') },
    missing: { username: 'alice', ...named('nobody') },
  },
  {
    in: /\{org\}.*\{username\}/,
    what: 'a private account in an organization that the caller sees',
    hidden: { org: 'club', username: 'hermit' },
    missing: { org: 'club', username: 'nobody' },
  },
  {
    in: /\{username\}.*\{org\}|\{org\}.*\{username\}/,
    what: 'the account of the caller and a private organization',
    hidden: { username: 'stranger', org: 'cabal' },
    missing: { username: 'stranger', org: 'nihil' },
  },
]

/** Compares what operations answer for hidden and missing accounts and organizations. @returns the number of comparisons */
async function compareOwners(isTried: (operation: NamedOperation) => boolean): Promise<number> {
  await using forge = await startForge({ settings: everythingOn, users: ['alice', 'hermit', 'stranger'] })
  const callers = await makeSecrets(forge)
  const different: string[] = []
  let compared = 0
  const operations = endingOf(forge).filter((each) => !actsOnNamed.test(each.path) && isTried(each))
  await eachOf(operations, 8, async (operation) => {
    const pairs = ownerPairs.filter((pair) => pair.in.test(operation.path))
    for (const caller of callersOf(operation, callers)) {
      const answerFor = async (names: Pair['hidden']): Promise<string> => {
        const path = addressOf(operation, { reponame: 'open', ...names })
        return leaked(await clientOf(forge, caller)(operation, path, bodyFor(operation)), names)
      }
      // Several pairs have the same missing name.
      const answers = new Map<string, string>()
      for (const { what, hidden, missing } of pairs) {
        const [answer, path] = [await answerFor(hidden), addressOf(operation, missing)]
        const expected = answers.get(path) ?? (await answerFor(missing))
        answers.set(path, expected)
        compared += 1
        if (answer !== expected) {
          different.push(`${operation.id} as ${caller.name}, ${what}: ${short(answer)} and ${short(expected)}`)
        }
      }
    }
  })
  assert.deepEqual(different.slice(0, 40), [], `${different.length} of ${compared}`)
  // Callers who may see the owners receive what the other callers do not.
  for (const path of [
    '/users/hermit/keys',
    '/users/hermit/orgs',
    '/packages/hermit',
    '/orgs/cabal/repos',
    '/orgs/cabal/labels',
  ]) {
    assert.notDeepEqual((await forge.as('root').must('GET', path)).json, [], path)
  }
  return compared
}

test('every operation of the API answers for a hidden account or organization as for a missing one', async () => {
  const compared = await compareOwners((operation) => !isPage(operation))
  assert.ok(compared > 1500, `${compared} were compared`)
})

test('every page and form answers for a hidden account or organization as for a missing one', async () => {
  const compared = await compareOwners(isPage)
  assert.ok(compared > 400, `${compared} were compared`)
})

const short = (text: string): string => text.replaceAll('\n', ' ').slice(0, 150)
