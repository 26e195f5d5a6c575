import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { allTables } from '../src/db/schema.ts'
import { isBytes, isPage, type NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { givenPull } from '../src/testing/given-pull.ts'
import { base64 } from '../src/testing/samples.ts'
import { addressOf, everythingOn } from './authorization-world.ts'

/**
 * What HTTP itself demands of each declared operation: HEAD like GET, 405 with `Allow`, sane pages of lists, and no defect and no
 * row from a body that is broken.
 */

const manyRequests = { timeout: 300_000 }

const isEndless = ({ reply, cost }: NamedOperation): boolean =>
  cost === 'waiting' ||
  Object.values(reply).some((shape) => isBytes(shape) && shape.mediaTypes.includes('text/event-stream'))

/** Creates one of the usual things, so that many addresses lead to something. */
async function makeWorld(forge: Forge) {
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  const { api } = repo
  await forge.given.org({ owner: 'alice', name: 'guild' })
  for (const name of ['one', 'two', 'three']) {
    await alice.must('POST', `${api}/issues`, { title: name })
    await alice.must('POST', `${api}/issues/1/comments`, { body: name })
    await alice.must('POST', `${api}/labels`, { name, color: '#00aabb' })
    await alice.must('POST', `${api}/milestones`, { title: name })
    await alice.must('POST', `${api}/contents/${name}.txt`, { content: base64(name), new_branch: name })
    await alice.must('POST', `${api}/tags`, { tag_name: `v-${name}` })
    await alice.must('POST', `${api}/releases`, { tag_name: `r-${name}` })
    await alice.must('POST', '/orgs/guild/labels', { name, color: '#00aabb' })
    await alice.must('POST', '/orgs/guild/repos', { name })
    await alice.must('POST', '/orgs/guild/teams', { name, units_map: { 'repo.code': 'read' } })
    await alice.must('POST', '/user/applications/oauth2', { name, redirect_uris: ['https://app.invalid/'] })
  }
  const pull = await givenPull(forge, { repo })
  await forge.settle()
  return { username: 'alice', reponame: 'tool', org: 'guild', owner: 'alice', repo: 'tool', index: String(pull.number) }
}

const prefixes: Readonly<Partial<Record<NamedOperation['base'], string>>> = {
  api: '/api/v1',
  vendor: '/api/service/v1',
}

/** Returns the whole path of an operation. */
const pathOf = (operation: NamedOperation, given: Readonly<Record<string, string>>): string =>
  (prefixes[operation.base] ?? '') + addressOf(operation, given)

/** Headers that differ between two answers of the same thing. */
const ofEachAnswer = new Set([
  'date',
  'connection',
  'keep-alive',
  'x-request-id',
  'set-cookie',
  'content-security-policy',
  'etag',
  'server-timing',
])

const shownHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...headers]
      .filter(([name]) => !ofEachAnswer.has(name) && !/^x-ratelimit|^content-length$|^transfer-encoding$/.test(name))
      // Addresses of downloads have a signature.
      .map(([name, value]) => [name, name === 'location' ? value.replace(/\?.*/s, '') : value]),
  )

for (const [kind, isOfKind, fewest] of [
  ['operation', (each: NamedOperation) => !isPage(each), 200],
  ['page', isPage, 100],
] as const) {
  test(`HEAD of every ${kind} with GET has its status and headers, and no body`, manyRequests, () =>
    sendHead(isOfKind, fewest),
  )
}

/** Compares what operations answer to GET and to HEAD; more than `fewest` answer with 200. */
async function sendHead(isTried: (operation: NamedOperation) => boolean, fewest: number): Promise<void> {
  await using forge = await startForge({ users: ['alice'], settings: everythingOn })
  const given = await makeWorld(forge)
  const root = forge.as('root')
  const browser = await Browser.of(forge, 'alice')
  const wrong: string[] = []
  let found = 0
  for (const operation of forge.services.operations()) {
    if (operation.method !== 'GET' || isEndless(operation) || !isTried(operation)) continue
    const path = pathOf(operation, given)
    const ask = (method: string) =>
      isPage(operation)
        ? forge.guest.send(method, path, undefined, { site: true, headers: { cookie: browser.cookieHeader() } })
        : root.send(method, path, undefined, { site: true })
    const whole = await ask('GET')
    const head = await ask('HEAD')
    found += whole.status === 200 ? 1 : 0
    const say = (what: string) => wrong.push(`${operation.id} ${path}: ${what}`)
    if (head.status !== whole.status) say(`${head.status}, not ${whole.status}`)
    else if (head.bytes.length > 0) say(`a body of ${head.bytes.length} bytes`)
    else {
      const [one, other] = [JSON.stringify(shownHeaders(head.headers)), JSON.stringify(shownHeaders(whole.headers))]
      if (one !== other) say(`${one}, not ${other}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(forge.defects, [])
  assert.ok(found > fewest, `${found} answers with 200`)
}

test(
  'a method that no operation has answers 405 with Allow at every address, as JSON below /api',
  manyRequests,
  async () => {
    await using forge = await startForge({ users: ['alice'], settings: everythingOn })
    const given = await makeWorld(forge)
    const wrong: string[] = []
    for (const operation of forge.services.operations()) {
      // An address with a required query has no other methods.
      if (operation.whenQuery !== undefined) continue
      const path = pathOf(operation, given)
      const { status, headers, json, text } = await forge.as('root').send('PROPFIND', path, undefined, { site: true })
      const allowed = (headers.get('allow') ?? '').split(', ')
      const say = (what: string) => wrong.push(`${operation.id} ${path}: ${what}`)
      if (status !== 405) say(`${status} ${text.slice(0, 80)}`)
      else if (!allowed.includes(operation.method)) say(`Allow: ${allowed.join(', ')}, without ${operation.method}`)
      else if (allowed.includes('GET') !== allowed.includes('HEAD')) say(`Allow: ${allowed.join(', ')}`)
      else if (path.startsWith('/api/v1/') && text !== '' && typeof json?.message !== 'string') say(text.slice(0, 80))
    }
    assert.deepEqual(wrong, [])
    assert.deepEqual(forge.defects, [])
  },
)

/** Lists whose answers are larger than the setting; each has a row in the list of differences or a limit of its own. */
const ownLimits: ReadonlySet<string> = new Set([])

/** The places of operations: a test has those of one, or it takes longer than a test should. */
const places = [
  ['repositories', ({ path }: NamedOperation) => path.startsWith('/repos/')],
  ['everything else', ({ path }: NamedOperation) => !path.startsWith('/repos/')],
] as const

for (const [place, isInPlace] of places) {
  test(`no page of a list of ${place} is a defect, or larger than the setting allows`, manyRequests, () =>
    readPages(isInPlace),
  )
}

/** Reads pages of lists with each kind of number and size. */
async function readPages(isTried: (operation: NamedOperation) => boolean): Promise<void> {
  const settings = { ...everythingOn, api: { MAX_RESPONSE_ITEMS: 2, DEFAULT_PAGING_NUM: 1 } }
  await using forge = await startForge({ users: ['alice'], settings })
  const given = await makeWorld(forge)
  const root = forge.as('root')
  const [numbers, texts] = [
    ['0', '-1', '2', '9007199254740993', '99999999999999999999', '1e3'],
    ['', 'many', '1,2', '%00', '١'],
  ]
  const wrong: string[] = []
  let lists = 0
  for (const operation of forge.services.operations()) {
    if (!isTried(operation) || operation.base !== 'api' || operation.method !== 'GET' || isEndless(operation)) continue
    if (!('page' in operation.query) && !('limit' in operation.query)) continue
    const path = pathOf(operation, given)
    lists += 1
    for (const query of [
      ...numbers.map((page) => `page=${page}&limit=1`),
      ...numbers.map((limit) => `page=1&limit=${limit}`),
      ...texts.flatMap((each) => [`page=${each}`, `limit=${each}`, `page=${each}&limit=${each}`]),
      'page=1&page=2&limit=1&limit=2',
      'page[]=1&limit[]=1',
    ]) {
      const { status, json } = await root.get(`${path.slice('/api/v1'.length)}?${query}`)
      const rows = Array.isArray(json)
        ? json
        : Object.values((json ?? {}) as object).find((each) => Array.isArray(each))
      const count = Array.isArray(rows) ? rows.length : 0
      if (status >= 500) wrong.push(`${operation.id} ?${query}: ${status}`)
      const isPaged = /^page=1&limit=\d/.test(query) && 'page' in operation.query
      if (isPaged && count > 2 && !ownLimits.has(operation.id)) wrong.push(`${operation.id} ?${query}: ${count} rows`)
    }
  }
  assert.deepEqual(wrong, [], forge.defects.map(String).join('\n'))
  assert.deepEqual(forge.defects, [])
  assert.ok(lists > 40, `${lists} lists`)
}

interface BodySchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, BodySchema>>
}

type BrokenBody = readonly [type: string, raw: string | Uint8Array]

/** Bodies that are broken in each way, for a record with these members. */
function brokenBodies(members: readonly string[]): readonly BrokenBody[] {
  const json = 'application/json'
  const all = (value: string): string => `{${members.map((name) => `${JSON.stringify(name)}:${value}`).join(',')}}`
  const texts = all('"x"')
  const deep = 3000
  return [
    ...[
      '',
      ' ',
      '{',
      '{"a"',
      '[',
      ']',
      'null',
      '[]',
      '[null]',
      '"x"',
      '1',
      'true',
      'NaN',
      '\u0000',
      '\uFEFF{}',
      "{'a':1}",
    ].map((raw) => [json, raw] as const),
    [json, `${texts}]`],
    [json, `${texts}garbage`],
    [json, `${texts},`],
    [json, '['.repeat(deep) + ']'.repeat(deep)],
    [json, `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`],
    [json, all('['.repeat(500) + ']'.repeat(500))],
    [json, all('{"a":{"a":{"a":{}}}}')],
    [json, all('"\\ud800"')],
    [json, all('"a\\u0000b\\udfff"')],
    [json, all('1e400')],
    [json, all('-9007199254740993')],
    [json, all('[[],{},null]')],
    [json, all('{"__proto__":1,"constructor":1}')],
    [json, '{"__proto__":{"a":1},"constructor":{"prototype":1}}'],
    [json, texts.replace('{', '{"__proto__":null,') + texts],
    [json, `{${members.map((name) => `${JSON.stringify(name)}:1,${JSON.stringify(name)}:"\\ud800"`).join(',')}}`],
    [json, new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    [`${json}; charset=utf-16`, Buffer.from(texts, 'utf16le')],
    [`${json}; charset=nonsense`, texts],
    [`${json}; charset="`, texts],
    ['text/plain', texts],
    ['application/xml', '<a/>'],
    ['nonsense', texts],
    ['application/x-www-form-urlencoded', members.map((name) => `${name}=%ED%A0%80%00%zz`).join('&')],
    ['multipart/form-data', texts],
    ['multipart/form-data; boundary=b', `--b\r\nContent-Disposition: form-data; name="${members[0] ?? 'a'}"\r\n\r\n`],
    ['multipart/form-data; boundary=b', '--b--'],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\ncut'],
  ]
}

/** Rows that a request leaves behind whatever it asks: the audit log, attempts of credentials, jobs that are due, the index of a wiki. */
const traces = /^(?:audit|job|lease|process|event|wiki_index|wiki_page)/

const countRows = Object.keys(allTables)
  .filter((name) => !traces.test(name))
  .map((name) => `select '${name}' as name, count(*) as count from "${name}"`)
  .join(' union all ')

/** Returns the number of rows of each table. */
async function rowCounts({ services: { db } }: Forge): Promise<string> {
  const { rows } = await sql.raw<{ name: string; count: number }>(countRows).execute(db)
  return rows
    .map(({ name, count }) => `${name} ${count}`)
    .toSorted()
    .join('\n')
}

for (const [place, isInPlace] of places) {
  test(`no broken body of an operation on ${place} is a defect or leaves a row`, manyRequests, () =>
    sendBroken(isInPlace),
  )
}

/** Sends each broken body to operations. */
async function sendBroken(isTried: (operation: NamedOperation) => boolean): Promise<void> {
  await using forge = await startForge({ users: ['alice'], settings: everythingOn })
  const given = await makeWorld(forge)
  const root = forge.as('root')
  const wrong: string[] = []
  let asked = 0
  for (const operation of forge.services.operations()) {
    const { body, method } = operation
    if (!isTried(operation) || isPage(operation) || isEndless(operation)) continue
    if (method === 'GET' || body === undefined || isBytes(body)) continue
    const path = pathOf(operation, given)
    const members = Object.keys((body as BodySchema).properties ?? {})
    let bodies = brokenBodies(members)
    asked += bodies.length
    // Counting the rows of all tables costs more than a request, so they are counted around all bodies. The rows of an accepted
    // body would hide others: without it, the refused bodies are sent again.
    for (;;) {
      // Rows that follow from the requests before.
      await forge.settle()
      const before = await rowCounts(forge)
      const refused: BrokenBody[] = []
      for (const broken of bodies) {
        const [type, raw] = broken
        const headers = { 'content-type': type }
        const { status } = await root.send(method, path, undefined, { site: true, headers, raw })
        if (status >= 400) refused.push(broken)
        if (status >= 500 && status !== 501) {
          wrong.push(`${operation.id} with ${type} ${String(raw).slice(0, 60)}: ${status}`)
        }
      }
      if (refused.length === bodies.length) {
        const after = await rowCounts(forge)
        const known = new Set(before.split('\n'))
        const more = after.split('\n').filter((each) => !known.has(each))
        if (more.length > 0) wrong.push(`${operation.id} ${path}: a refused body, and ${more.join(', ')}`)
        break
      }
      bodies = refused
    }
  }
  assert.deepEqual(wrong, [], forge.defects.map(String).join('\n'))
  assert.deepEqual(forge.defects, [])
  assert.ok(asked > 2000, `${asked} requests`)
}
