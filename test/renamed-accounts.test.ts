import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { startForge, testPassword, type Forge } from '../src/testing/forge.ts'
import * as otherAddresses from '../src/web/links/other-addresses.routes.ts'
import { addressOf, bodyFor, eachOf, everythingOn } from './authorization-world.ts'

/**
 * The former name of an account redirects to its current name, wherever a path names an account. The test reads the
 * parameters from the declared operations.
 */

const former = { account: 'before', org: 'junta' }
const current = { account: 'after', org: 'council' }

/** Path parameters that name an account, with the renamed account that the test puts there. */
const kindOf: Readonly<Record<string, 'account' | 'org'>> = {
  username: 'account',
  collaborator: 'account',
  target: 'account',
  user: 'account',
  timetrackingusername: 'account',
  org: 'org',
}

/** Operations that resolve no account from the parameter, each with the reason. */
const exempt: readonly (readonly [operation: RegExp, parameter: string, reason: string])[] = [
  [/ListTeamRepo$|TeamRepository$/, 'org', 'the team decides the organization (recorded, teams)'],
  [/^conan/, 'user', 'a part of the coordinates of a Conan package'],
  [/^admin(?:Adopt|DeleteUnadopted)Repository$/, 'username', 'the name of a folder on the disk'],
  [/^downloadRepoAttachment$/, 'username', 'the id of the file finds it'],
  [/^goGet/, 'username', 'the Go tool takes a module under the path that it asked for only'],
  [/^(?:vagrant|conan|swift)(?:Authenticate|CheckCredentials|Login)$/, 'username', 'only the credentials are checked'],
  [/^lfs/, 'username', 'src/lfs/objects/object.test.ts: the addresses gain `.git`'],
]

const isExempt = (operation: NamedOperation, parameter: string): boolean =>
  exempt.some(([operations, exempted]) => operations.test(operation.id) && exempted === parameter)

const accountParameters = (operation: NamedOperation): string[] =>
  Object.keys(operation.params).filter((parameter) => parameter in kindOf && !isExempt(operation, parameter))

/** The other parameters of a path have their current values, so that one redirect leads to the answer. */
const values = {
  ...Object.fromEntries(Object.entries(kindOf).map(([parameter, kind]) => [parameter, current[kind]])),
  reponame: 'home',
  quotagroup: 'all',
  protocol: 'v2',
  list: 'specs',
  form: 'rss',
  number: '1',
}

async function makeRenamed(forge: Forge): Promise<void> {
  const [root, owner] = [forge.as('root'), forge.as(former.account)]
  const { api } = await forge.given.repo({ owner: former.account, name: values.reponame })
  await owner.must('POST', `${api}/issues`, { title: 'one' })
  await forge.given.org({ owner: former.account, name: former.org })
  await root.must('POST', '/admin/quota/groups', { name: values.quotagroup })
  await root.must('POST', `/admin/users/${former.account}/rename`, { new_username: current.account })
  await root.must('POST', `/orgs/${former.org}/rename`, { new_name: current.org })
}

/** Returns the address of an operation below the site. */
const below = ({ base }: NamedOperation, path: string): string =>
  (base === 'api' ? '/api/v1' : base === 'vendor' ? '/api/service/v1' : '') + path

/** The administrator asks, who may do everything; some operations take the password only. */
function send(forge: Forge, operation: NamedOperation, path: string) {
  const takesPassword = operation.requires.some(({ codes }) => codes.includes('basicAuth'))
  const basic = { login: 'root', password: testPassword }
  const client = takesPassword ? forge.as('root', { basic }) : forge.as('root')
  const body = operation.id === 'createOrgRepoDeprecated' ? { name: 'new' } : bodyFor(operation)
  return client.send(operation.method, below(operation, path), body, { site: true })
}

/** A permanent redirect that keeps the method: clients repeat a write as GET after 301. */
const permanent = ({ method }: NamedOperation): number => (method === 'GET' ? 301 : 308)

/** Pages first ask for a session; in one they redirect by the same requirements, and so does what other addresses lead to. */
const asksPrograms = (operation: NamedOperation): boolean => !isPage(operation) && !(operation.id in otherAddresses)

test('a former name of an account redirects in every path parameter that names an account', async () => {
  await using forge = await startForge({ settings: everythingOn, users: [former.account] })
  await makeRenamed(forge)
  const wrong: string[] = []
  let requestCount = 0
  await eachOf(forge.services.operations().filter(asksPrograms), 8, async (operation) => {
    for (const parameter of accountParameters(operation)) {
      const kind = kindOf[parameter] ?? 'account'
      const path = (name: string) => addressOf(operation, { ...values, [parameter]: name })
      const { status, headers } = await send(forge, operation, path(former[kind]))
      requestCount += 1
      const location = headers.get('location')
      const expected = below(operation, path(current[kind]))
      const isRight = location === expected && status === (operation.family === 'git' ? permanent(operation) : 307)
      if (!isRight) wrong.push(`${operation.id}, ${parameter}: ${status} ${location}`)
    }
  })
  assert.deepEqual(wrong, [])
  assert.ok(requestCount > 300, `${requestCount} were asked`)
})

test('a former name of a repository redirects, and the redirect of a write keeps the method', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice'] })
  const { api } = await forge.given.repo({ owner: 'alice', name: 'former' })
  await forge.as('alice').must('POST', `${api}/issues`, { title: 'one' })
  await forge.as('alice').must('PATCH', api, { name: 'present' })
  const wrong: string[] = []
  let requestCount = 0
  const inRepo = (operation: NamedOperation) =>
    asksPrograms(operation) && operation.path.includes('{username}/{reponame}') && !isExempt(operation, 'username')
  await eachOf(forge.services.operations().filter(inRepo), 8, async (operation) => {
    const path = (reponame: string) => addressOf(operation, { ...values, username: 'alice', reponame })
    const { status, headers } = await send(forge, operation, path('former'))
    requestCount += 1
    const location = headers.get('location')
    const expected = below(operation, path('present'))
    if (status !== permanent(operation) || location !== expected) wrong.push(`${operation.id}: ${status} ${location}`)
  })
  assert.deepEqual(wrong, [])
  assert.ok(requestCount > 250, `${requestCount} were asked`)
})

test('a client that follows the redirects of former names reads and writes under the current name', async () => {
  await using forge = await startForge({ users: ['alice', former.account] })
  await forge.given.repo({ owner: 'alice', name: 'home' })
  await forge.as('alice').must('PUT', `/repos/alice/home/collaborators/${former.account}`)
  await forge.as('alice').must('PATCH', '/repos/alice/home', { name: 'house' })
  await forge.as('root').must('POST', `/admin/users/${former.account}/rename`, { new_username: current.account })
  const { token } = await forge.account('alice')
  const follow = async (method: string, path: string, body?: unknown): Promise<number> => {
    const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    return (await fetch(`${forge.url}/api/v1${path}`, { method, headers, ...content })).status
  }
  assert.equal(await follow('GET', `/repos/alice/home/collaborators/${former.account}`), 204)
  assert.equal(await follow('POST', '/repos/alice/home/issues', { title: 'one' }), 201)
  assert.equal(await follow('DELETE', `/repos/alice/home/collaborators/${former.account}`), 204)
  assert.equal((await forge.as('alice').get(`/repos/alice/house/collaborators/${current.account}`)).status, 404)
})
