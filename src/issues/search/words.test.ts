import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf, transaction } from '../../db/database.ts'
import { startForge } from '../../testing/forge.ts'

test('issueListIssues, issueSearchIssues: a search within one repository finds every text with a word', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { db } = forge.services
  const [large, other] = [
    await forge.given.repo({ owner: 'alice', name: 'large' }),
    await forge.given.repo({ owner: 'alice', name: 'other' }),
  ]
  const alice = forge.as('alice')
  const { id } = (await alice.get(large.api)).json
  const numbers =
    engineOf(db).kind === 'sqlite'
      ? sql`(with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 2100) select i from numbers)`
      : sql`(select i from generate_series(1, 2100) as numbers(i))`
  await transaction(db, async (tx) => {
    await sql`insert into issue (repo_id, "index", is_pull, poster_id, title, content, created_unix, updated_unix)
      select repo.id, i, i < 0, repo.owner_id, case when i = 7 then 'unusual' else 'Issue ' || i end, 'a common text', i, i
      from repo cross join ${numbers} as n where repo.id = ${id}`.execute(tx)
    await sql`update repo set num_issues = 2100, last_index = 2100 where id = ${id}`.execute(tx)
  })
  await alice.must('POST', `${other.api}/issues`, { title: 'common here as well' })
  const ask = async (path: string) => {
    const { headers, json } = await alice.get(path)
    return [headers.get('x-total-count'), json.map((issue: { number: number }) => issue.number)]
  }
  assert.deepEqual(await ask(`${large.api}/issues?q=common&limit=2`), ['2100', [2100, 2099]])
  assert.deepEqual(await ask(`${large.api}/issues?q=unusual&limit=2`), ['1', [7]])
  assert.deepEqual(await ask(`${large.api}/issues?q=common&limit=2&page=5000`), ['2100', []])
  await alice.must('POST', `${large.api}/issues/3/comments`, { body: 'that is common' })
  assert.deepEqual(await ask(`${large.api}/issues?q=common&limit=2&page=1050`), ['2100', [2, 1]])
  assert.deepEqual(await ask(`${large.api}/issues?q=common&sort=oldest&limit=2`), ['2100', [1, 2]])
  assert.deepEqual(await ask(`${large.api}/issues?q=%2Bcommon%20-unusual&sort=oldest&limit=2&page=4`), ['2099', [8, 9]])
  assert.deepEqual(await ask('/repos/issues/search?q=common&limit=2'), ['2101', [1, 2100]])
  assert.deepEqual(await ask('/repos/issues/search?q=unusual&limit=2'), ['1', [7]])
})

test('issueSearchIssues, issueListIssues: texts in other repositories do not change the results of a repository', async () => {
  await using forge = await startForge({ users: ['alice', 'mallory'] })
  const { db } = forge.services
  const mine = await forge.given.repo({ owner: 'alice', name: 'mine' })
  const alice = forge.as('alice')
  const label = (await alice.must('POST', `${mine.api}/labels`, { name: 'rare', color: '#123456' })).json
  await alice.must('POST', `${mine.api}/issues`, { title: 'a common word', labels: [label.id] })
  await alice.must('POST', `${mine.api}/issues`, { title: 'a common word, closed' })
  await alice.must('PATCH', `${mine.api}/issues/2`, { state: 'closed' })
  const theirs = await forge.given.repo({ owner: 'mallory', name: 'theirs', private: true })
  const { id } = (await forge.as('mallory').get(theirs.api)).json
  const numbers =
    engineOf(db).kind === 'sqlite'
      ? sql`(with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 2100) select i from numbers)`
      : sql`(select i from generate_series(1, 2100) as numbers(i))`
  await transaction(db, (tx) =>
    sql`insert into issue (repo_id, "index", is_pull, poster_id, title, content, created_unix, updated_unix)
      select repo.id, i, i < 0, repo.owner_id, 'a common word', '', 3000000000, 3000000000
      from repo cross join ${numbers} as n where repo.id = ${id}`.execute(tx),
  )
  const ask = async (path: string) => {
    const { headers, json } = await alice.get(path)
    return [
      headers.get('x-total-count'),
      headers.get('x-result-bounded'),
      json.map((each: { number: number }) => each.number),
    ]
  }
  assert.deepEqual(await ask('/repos/issues/search?q=common&state=all'), ['2', null, [2, 1]])
  assert.deepEqual(await ask('/repos/issues/search?q=common&labels=rare'), ['1', null, [1]])
  assert.deepEqual(await ask(`${mine.api}/issues?q=common&labels=rare`), ['1', null, [1]])
  assert.deepEqual(await ask(`${mine.api}/issues?q=common&state=closed`), ['1', null, [2]])
})
