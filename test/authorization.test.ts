import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamedOperation } from '../src/http/operation.ts'
import { grants, levelOf, parseScopes, type TokenScopes } from '../src/auth/token-scopes.ts'
import { engineOf } from '../src/db/database.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { createToken } from '../src/users/credentials/token.service.ts'

/**
 * Every declared operation × every kind of caller × visibility of the repository, made from the declarations: what the
 * requirements of an operation refuse, the server refuses, with the status of the first one that does.
 */

/** Somebody who asks, with what the world gave them. */
interface Caller {
  readonly name: string
  readonly token: string | undefined
  /** undefined: everything. */
  readonly scopes: TokenScopes | undefined
  readonly isSiteAdmin: boolean
  /** Login; undefined for guests. */
  readonly login: string | undefined
  /** Rank in the private repository (0 to 4). */
  readonly rank: number
  readonly org: 'owner' | 'member' | 'none'
}

interface Place {
  readonly repo: string
  readonly isPrivate: boolean
  readonly isArchived: boolean
}

type Outcome = number | readonly number[] | 'passed' | 'unknown'

const unitCode = /^(RR|RW)\(([\w|]+)\)$/

/** What the requirements say to a caller; `unknown` where a check depends on more than the caller and the repository. */
function predict(operation: NamedOperation, caller: Caller, place: Place): Outcome {
  const lacks = (categories: readonly string[]): boolean =>
    caller.scopes !== undefined &&
    categories.some((each) => !grants(caller.scopes as TokenScopes, each as never, levelOf(operation.method)))
  if (lacks(operation.scope)) return 403
  const rank = place.isPrivate ? caller.rank : Math.max(caller.rank, 1)
  let inOrg = false
  for (const code of operation.requires.flatMap((requirement) => requirement.codes)) {
    const outcome = predictCode(code)
    if (outcome !== 'passed') return outcome
  }
  return 'passed'

  function predictCode(code: string): Outcome {
    const unit = unitCode.exec(code)
    if (unit) return rank >= (unit[1] === 'RR' ? 1 : 2) ? 'passed' : 403
    if (code.startsWith('scope:')) return lacks(code.slice(6).split('+')) ? 403 : 'passed'
    switch (code) {
      case 'T':
        return caller.login === undefined ? 401 : 'passed'
      case 'SA':
        return caller.isSiteAdmin ? 'passed' : 403
      case 'resolve:repo':
        return rank === 0 ? 404 : 'passed'
      case 'publicOnlyCheck':
        return caller.scopes?.publicOnly && place.isPrivate && operation.path.includes('{reponame}') ? 403 : 'passed'
      case 'RO':
        return rank >= 4 ? 'passed' : 403
      case 'RA':
        return rank >= 3 ? 'passed' : 403
      case 'NA':
        return place.isArchived ? 423 : 'passed'
      case 'resolve:org':
        inOrg = true
        return 'passed'
      case 'OO':
        return !inOrg ? 'unknown' : caller.isSiteAdmin || caller.org === 'owner' ? 'passed' : 403
      case 'OM':
        return !inOrg ? 'unknown' : caller.isSiteAdmin || caller.org !== 'none' ? 'passed' : 403
      case 'selfOrAdmin':
        return caller.isSiteAdmin || caller.login === 'alice' ? 'passed' : 403
      case 'basicAuth':
        return 401
      case 'AR':
      case 'gitRepo':
      case 'resolve:user':
      case 'resolve:team':
      case 'userVisible':
      case 'exploreSignIn':
      case 'WH':
      case 'attachmentsEnabled':
      case 'issuesOrPullsEnabled':
      case 'issuesEnabled':
      case 'pullsEnabled':
        return 'passed'
      default:
        // Settings that are on here.
        return /^(?:quota|flags|stars|forks|swagger|federation)Enabled$/.test(code) ? 'passed' : 'unknown'
    }
  }
}

const values: Readonly<Record<string, string>> = {
  username: 'alice',
  org: 'guild',
  index: '1',
  id: '1',
  teamid: '1',
  sha: 'main',
  ref: 'main',
  diffType: 'diff',
  attachment_id: '1',
  position: '1',
  delivery_id: '1',
  comment: '1',
  run_id: '1',
  'user-id': '1',
  'repository-id': '1',
  'activity-id': '1',
  job_id: '1',
  cache_id: '1',
  ball_type: 'zipball',
  filepath: 'README.md',
}

const pathFor = (operation: NamedOperation, place: Place): string =>
  operation.path.replace(/\{([\w-]+)\+?\}/g, (_, name: string) =>
    name === 'reponame' ? place.repo : (values[name] ?? 'x'),
  )

async function makeWorld(forge: Forge): Promise<{ callers: Caller[]; places: Place[] }> {
  const places: Place[] = [
    { repo: 'open', isPrivate: false, isArchived: false },
    { repo: 'hidden', isPrivate: true, isArchived: false },
    { repo: 'closed', isPrivate: true, isArchived: true },
  ]
  const ranks = { reader: 'read', writer: 'write', manager: 'admin' } as const
  for (const { repo, isPrivate, isArchived } of places) {
    await forge.given.repo({ owner: 'alice', name: repo, private: isPrivate })
    await forge.as('alice').must('POST', `/repos/alice/${repo}/issues`, { title: 'one' })
    for (const [login, permission] of Object.entries(ranks)) {
      await forge.account(login)
      await forge.as('alice').must('PUT', `/repos/alice/${repo}/collaborators/${login}`, { permission })
    }
    if (isArchived) await forge.as('alice').must('PATCH', `/repos/alice/${repo}`, { archived: true })
  }
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const known = [
    { login: 'root', rank: 4, org: 'none' as const },
    { login: 'alice', rank: 4, org: 'owner' as const },
    { login: 'manager', rank: 3, org: 'none' as const },
    { login: 'writer', rank: 2, org: 'none' as const },
    { login: 'reader', rank: 1, org: 'none' as const },
    { login: 'stranger', rank: 0, org: 'none' as const },
  ]
  const guest: Caller = {
    name: 'a guest',
    token: undefined,
    scopes: undefined,
    isSiteAdmin: false,
    login: undefined,
    rank: 0,
    org: 'none',
  }
  const callers: Caller[] = [guest]
  for (const { login, rank, org } of known) {
    const { user, token } = await forge.account(login)
    const about = { isSiteAdmin: login === 'root', login, rank, org }
    callers.push({ name: login, token, scopes: undefined, ...about })
    if (login !== 'root' && login !== 'alice') continue
    const kinds = [
      ['read:activitypub'],
      ['read:repository', 'read:issue', 'read:user', 'read:organization', 'read:admin'],
      ['public-only', 'all'],
    ]
    for (const scopes of kinds) {
      const made = await createToken(forge.services, user, { name: scopes.join(), scopes })
      callers.push({
        name: `${login} with ${scopes.join()}`,
        token: made.token,
        scopes: parseScopes(made.row.scopes),
        ...about,
      })
    }
  }
  return { callers, places }
}

/** Runs work on all items, a few at a time. */
async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
    }),
  )
}

test('every operation refuses whom its requirements refuse, with the status of the first that does', async () => {
  // What settings turn off is not there for anybody: everything is on.
  await using forge = await startForge({
    settings: {
      log: { LEVEL: 'none' },
      repository: { ENABLE_FLAGS: true },
      quota: { ENABLED: true },
      federation: { ENABLED: true },
      server: { LFS_START_SERVER: true },
    },
  })
  const { callers, places } = await makeWorld(forge)
  const operations = forge.services.operations().filter(({ base, id }) => base === 'api' && id !== 'adminWatchEvents')
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
    requests.filter(({ outcome }) => typeof outcome === 'number'),
    8,
    async ({ operation, caller, place, outcome }) => {
      refused += 1
      const client = forge.as('root', caller.token === undefined ? {} : { token: caller.token })
      const { status } = await client.send(operation.method, pathFor(operation, place))
      if (status !== outcome) {
        wrong.push(`${operation.id} as ${caller.name} on ${place.repo}: ${String(outcome)} expected, ${status} came`)
      }
    },
  )
  assert.deepEqual(wrong.slice(0, 40), [], `${wrong.length} of ${refused}`)
  assert.ok(refused > operations.length * 3, `${refused} refusals were tried`)
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
  assert.deepEqual(byLoad('vital'), ['health', 'signInPage', 'signInSubmit'])
  // Each of them has a limit of its own, for all and for each account.
  assert.ok(
    byLoad('waiting').every((id) => /(?:watch|list)Events$/i.test(id)),
    String(byLoad('waiting')),
  )
  assert.ok(byLoad('expensive').includes('repoCompareDiff'))
})
