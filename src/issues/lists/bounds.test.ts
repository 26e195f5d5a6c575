import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf, transaction, type Db } from '../../db/database.ts'
import { parseSearchWords } from '../search/words.parse.ts'
import { findEverywhere } from '../search/search.store.ts'
import { startForge } from '../../testing/forge.ts'

const numbersTo = (db: Db, last: number) =>
  engineOf(db).kind === 'sqlite'
    ? sql`(with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${sql.lit(last)}) select i from numbers)`
    : sql`(select i from generate_series(1, ${sql.lit(last)}) as numbers(i))`

test('issueGetCommentsAndTimeline: a timeline of more than 1,000 entries is marked as bounded and links to the next entries', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { db } = forge.services
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/issues`, { title: 'long' })
  await transaction(db, (tx) =>
    sql`insert into comment (issue_id, type, poster_id, content, created_unix, updated_unix)
      select issue.id, 'comment', issue.poster_id, 'c' || n.i, n.i, n.i from issue cross join ${numbersTo(db, 1010)} as n`.execute(
      tx,
    ),
  )
  const path = `${repo.api}/issues/1/timeline`
  const whole = await alice.get(path)
  assert.deepEqual(
    [whole.json.length, whole.headers.get('x-total-count'), whole.headers.get('x-result-bounded')],
    [1000, '1000', 'total'],
  )
  const next = /<([^>]+)>; rel="next"/.exec(whole.headers.get('link') ?? '')?.[1] ?? ''
  assert.match(next, /\?limit=50&page=21$/)
  const rest = await alice.get(`${path}${next.slice(next.indexOf('?'))}`)
  assert.deepEqual(
    [rest.json.length, rest.json[0].body, rest.headers.get('x-result-bounded')],
    [10, 'c1001', null],
    'the pages go on where the whole answer ends',
  )
})

test('issueListIssues: the next link of a deep page has a cursor, which other orders refuse', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { db } = forge.services
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await transaction(db, async (tx) => {
    await sql`insert into issue (repo_id, "index", poster_id, title, content, created_unix, updated_unix)
      select repo.id, n.i, repo.owner_id, 't', '', n.i / 7, n.i from repo cross join ${numbersTo(db, 1120)} as n`.execute(
      tx,
    )
    await sql`update repo set num_issues = 1120`.execute(tx)
  })
  const page = async (query: string) => {
    const { json, headers, status } = await alice.get(`${repo.api}/issues?${query}`)
    const next = /<[^>]+[?]([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    return { status, next, numbers: status === 200 ? json.map(({ number }: { number: number }) => number) : [] }
  }
  assert.equal((await page('limit=50&page=19')).next, 'limit=50&page=20')
  const deep = await page('limit=50&page=20')
  assert.match(deep.next ?? '', /^cursor=[\w-]+&limit=50&page=21$/)
  const after = await page(deep.next ?? '')
  assert.deepEqual(after.numbers, (await page('limit=50&page=21')).numbers)
  assert.equal(after.numbers.length, 50)
  assert.match(after.next ?? '', /&page=22$/)
  assert.notEqual(after.next, deep.next)
  assert.deepEqual((await page(after.next ?? '').then((last) => page(last.next ?? ''))).next, undefined)
  for (const query of [`${deep.next}&sort=mostcomment`, 'cursor=x', `cursor=${'a'.repeat(5000)}`]) {
    // oxlint-disable-next-line no-await-in-loop -- three requests
    assert.equal((await page(query)).status, 422, query)
  }
})

test('issueGetRepoComments: a list of more than 1,000 comments has the full count and links to the next comments', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { db } = forge.services
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/issues`, { title: 'long' })
  await transaction(db, (tx) =>
    sql`insert into comment (issue_id, type, poster_id, content, created_unix, updated_unix)
      select issue.id, 'comment', issue.poster_id, 'c', n.i, n.i from issue cross join ${numbersTo(db, 1010)} as n`.execute(
      tx,
    ),
  )
  const { headers, json } = await alice.get(`${repo.api}/issues/comments`)
  assert.deepEqual([json.length, headers.get('x-total-count'), headers.get('x-result-bounded')], [1000, '1010', null])
  assert.match(headers.get('link') ?? '', /limit=50&page=21>; rel="next"/)
})

test('issueSearchIssues: a search that exhausts its row allowance returns what it found and says so', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { db } = forge.services
  const repo = await forge.given.repo({ owner: 'alice' })
  for (const title of ['a common word', 'a common word again', 'another common word']) {
    // oxlint-disable-next-line no-await-in-loop -- in this order
    await forge.as('alice').must('POST', `${repo.api}/issues`, { title })
  }
  const limits = { found: 100, gathered: 1000, repos: 10, tested: 500 }
  const search = (texts: number, owner?: string) =>
    db
      .selectFrom('user')
      .selectAll()
      .where('name', '=', 'alice')
      .executeTakeFirstOrThrow()
      .then(({ id }) =>
        findEverywhere(
          db,
          {
            scope: {
              kind: 'visible',
              viewer: undefined,
              ownerId: owner === undefined ? undefined : id,
              teamId: undefined,
            },
            isPull: [false, true],
            words: parseSearchWords('common'),
          },
          { limit: 10, offset: 0 },
          { ...limits, exactRepos: 10, texts },
        ),
      )
  const limited = await search(2)
  assert.deepEqual([limited.keys.length, limited.total, limited.bound], [2, 2, 'rows'])
  const enough = await search(3)
  assert.deepEqual([enough.keys.length, enough.total, enough.bound], [3, 3, undefined])
  const ofOwner = await search(2, 'alice')
  assert.deepEqual([ofOwner.total, ofOwner.bound], [3, undefined], 'the search of an owner is exact')
})

test('the description of the API names the header of bounded answers', async () => {
  await using forge = await startForge()
  const swagger = (await forge.guest.get('/swagger.v1.json', { site: true })).json
  const openapi = (await forge.guest.get('/api/openapi.json', { site: true })).json
  for (const { paths } of [swagger, openapi]) {
    assert.ok(paths['/repos/issues/search'].get.responses['200'].headers['X-Result-Bounded'])
  }
})

test('userTrackedTimes: a truncated list without pages is marked as bounded', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { db } = forge.services
  const issue = await forge.given.issue({ repo: await forge.given.repo({ owner: 'alice' }) })
  const { user } = await forge.account('alice')
  const { id } = (await forge.as('alice').must('GET', issue.api)).json
  const add = (count: number) =>
    transaction(db, (tx) =>
      sql`insert into tracked_time (issue_id, user_id, seconds, created_unix)
        select ${sql.lit(id)}, ${sql.lit(user.id)}, 1, i from ${numbersTo(db, count)} as numbers`.execute(tx),
    )
  const list = async () => {
    const { json, headers } = await forge.as('alice').must('GET', `${issue.repo.api}/times/alice`)
    return [json.length, headers.get('x-result-bounded')]
  }
  await add(1000)
  assert.deepEqual(await list(), [1000, null])
  await add(1)
  assert.deepEqual(await list(), [1000, 'rows'])
})
