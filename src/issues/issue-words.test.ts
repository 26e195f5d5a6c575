import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf, transaction } from '../db/database.ts'
import { startForge } from '../testing/forge.ts'

test('issueListIssues, issueSearchIssues: of a word that more have the newest texts are found, of a rare one all', async () => {
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
  assert.deepEqual(await ask(`${large.api}/issues?q=common&limit=2`), ['2000', [2100, 2099]])
  assert.deepEqual(await ask(`${large.api}/issues?q=unusual&limit=2`), ['1', [7]])
  assert.deepEqual(await ask(`${large.api}/issues?q=common&limit=2&page=5000`), ['2000', []])
  await alice.must('POST', `${large.api}/issues/3/comments`, { body: 'that is common' })
  assert.deepEqual(await ask(`${large.api}/issues?q=common&limit=2&page=1001`), ['2001', [3]])
  assert.deepEqual(await ask(`${large.api}/issues?q=common&sort=oldest&limit=2`), ['2001', [3, 101]])
  assert.deepEqual(await ask('/repos/issues/search?q=common&limit=2'), ['2001', [1, 2100]])
  assert.deepEqual(await ask('/repos/issues/search?q=unusual&limit=2'), ['1', [7]])
})
