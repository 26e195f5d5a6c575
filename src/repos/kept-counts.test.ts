import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf } from '../db/database.ts'
import { startForge } from '../testing/forge.ts'

/** Kept counts, by table and column. */
const counts: readonly (readonly [table: string, columns: readonly string[]])[] = [
  [
    'repo',
    ['num_issues', 'num_closed_issues', 'num_pulls', 'num_closed_pulls', 'num_stars', 'num_watches', 'num_forks'],
  ],
  ['"user"', ['num_repos', 'num_stars', 'num_followers', 'num_following']],
  ['label', ['num_issues', 'num_closed_issues']],
  ['milestone', ['num_issues', 'num_closed_issues']],
  ['topic', ['num_seen_0', 'num_seen_1', 'num_seen_2', 'num_seen_3']],
  ['notification_tally', ['total']],
]

test('each list shows its rows even if the kept counts are wrong', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = forge.as('alice')
  await alice.must('POST', '/orgs', { username: 'guild' })
  await alice.must('POST', '/orgs/guild/repos', { name: 'hall', private: true })
  const repo = await forge.given.repo({ owner: 'alice', name: 'hello' })
  const label = (await alice.must('POST', `${repo.api}/labels`, { name: 'bug', color: '#123456' })).json
  const milestone = (await alice.must('POST', `${repo.api}/milestones`, { title: 'one' })).json
  for (const title of ['first word', 'second word']) {
    // oxlint-disable-next-line no-await-in-loop -- in this order
    await alice.must('POST', `${repo.api}/issues`, {
      title,
      labels: [label.id],
      milestone: milestone.id,
      assignees: ['alice'],
      body: 'for @alice',
    })
  }
  await alice.must('PUT', `${repo.api}/topics/forge`)
  await alice.must('PUT', '/user/starred/alice/hello')
  await alice.must('PUT', `${repo.api}/subscription`)
  await alice.must('PUT', '/user/following/bob')
  await forge.as('bob').must('POST', `${repo.api}/issues/1/comments`, { body: 'hello @alice' })
  await forge.settle()
  const lists = [
    `${repo.api}/issues`,
    ...['latest', 'oldest', 'recentupdate', 'mostcomment', 'nearduedate', 'farduedate'].map(
      (sort) => `${repo.api}/issues?sort=${sort}`,
    ),
    ...['labels=bug', 'milestones=one', 'created_by=alice', 'assigned_by=alice', 'mentioned_by=alice', 'q=word'].map(
      (filter) => `${repo.api}/issues?state=open&${filter}`,
    ),
    `${repo.api}/issues?since=2000-01-01T00:00:00Z`,
    `${repo.api}/issues/comments`,
    `${repo.api}/labels`,
    `${repo.api}/milestones`,
    `${repo.api}/stargazers`,
    `${repo.api}/subscribers`,
    ...['', 'q=word', 'created=true', 'assigned=true', 'mentioned=true', 'labels=bug', 'owner=alice'].map(
      (filter) => `/repos/issues/search?${filter}`,
    ),
    ...['', 'q=hello', 'uid=1', 'sort=stars&order=desc', 'sort=size', 'priority_owner_id=1'].map(
      (filter) => `/repos/search?${filter}`,
    ),
    ...['name', 'id', 'newest', 'recentupdate', 'alphabetically', 'moststars'].map(
      (order) => `/user/repos?order_by=${order}`,
    ),
    '/users/alice/repos',
    '/orgs/guild/repos',
    '/user/starred',
    '/user/subscriptions',
    '/user/following',
    '/users/bob/followers',
    '/topics/search?q=',
    '/notifications?all=true',
    '/user/teams',
    '/orgs/guild/teams',
    '/orgs/guild/members',
    '/users/search?q=',
  ]
  const idsIn = (json: unknown): unknown => {
    const rows = Array.isArray(json) ? json : Object.values(json as object).find(Array.isArray)
    return (rows as { id?: unknown }[]).map(({ id }) => id)
  }
  const shown = async () => {
    const found: unknown[] = []
    for (const path of lists) {
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      const { status, json } = await alice.get(path)
      found.push([path, status, status === 200 ? idsIn(json) : json])
    }
    return found
  }
  const right = await shown()
  for (const list of right) {
    const [path, status, ids] = list as [string, number, unknown[]]
    assert.equal(status, 200, path)
    if (!path.includes('uid=1')) assert.ok(ids.length > 0, `${path} shows rows`)
  }
  const { writer } = engineOf(forge.services.db)
  for (const count of [0, 1_000_000]) {
    for (const [table, columns] of counts) {
      // oxlint-disable-next-line no-await-in-loop -- one writer
      await sql.raw(`update ${table} set ${columns.map((column) => `${column} = ${count}`).join()}`).execute(writer)
    }
    // oxlint-disable-next-line no-await-in-loop -- after the counts were set
    assert.deepEqual(await shown(), right, `with every count ${count}`)
  }
})
