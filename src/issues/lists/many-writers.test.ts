import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { sql } from 'kysely'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'

interface ListedIssue {
  readonly number: number
  readonly state: string
  readonly created_at: string
  readonly updated_at: string
  readonly comments: number
  readonly due_date: string | null
  readonly labels: readonly { readonly name: string }[]
  readonly milestone: { readonly title: string; readonly due_on: string | null } | null
  readonly assignees: readonly { readonly login: string }[] | null
  readonly user: { readonly login: string }
}

/** Creates a repository in which several accounts open, close, label, assign and delete issues concurrently. */
async function busyRepository() {
  const forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'busy' })
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  const labels: number[] = []
  for (const name of ['one', 'two']) {
    // oxlint-disable-next-line no-await-in-loop -- their ids are in the order of their names
    labels.push((await alice.must('POST', `${repo.api}/labels`, { name, color: '#aabbcc' })).json.id)
  }
  const milestones: number[] = []
  for (const due of ['2030-01-01T00:00:00Z', null]) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    milestones.push(
      (await alice.must('POST', `${repo.api}/milestones`, { title: `until ${due}`, due_on: due })).json.id,
    )
  }
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1)
  await Promise.all(
    numbers.map((index) =>
      forge.as(index % 2 === 0 ? 'alice' : 'bob').must('POST', `${repo.api}/issues`, {
        title: `issue ${index}`,
        labels: index % 3 === 0 ? labels : labels.slice(index % 2),
        milestone: index % 4 === 0 ? 0 : milestones[index % 2],
        assignees: index % 3 === 1 ? ['alice', 'bob'] : [],
        body: index % 5 === 0 ? 'for @alice' : '',
        ...(index % 6 === 1 ? { due_date: `20${29 + index}-06-01T00:00:00Z` } : {}),
      }),
    ),
  )
  const act = (index: number): Promise<unknown>[] => [
    alice.must('PATCH', `${repo.api}/issues/${index}`, { state: index % 2 === 0 ? 'closed' : 'open' }),
    forge.as('bob').post(`${repo.api}/issues/${index}/labels`, { labels: [labels[1]] }),
    forge.as('bob').post(`${repo.api}/issues/${index}/comments`, { body: 'said' }),
    ...(index % 3 === 0 ? [alice.must('DELETE', `${repo.api}/issues/${index}/labels/${labels[0]}`)] : []),
    ...(index % 4 === 1
      ? [alice.must('PATCH', `${repo.api}/issues/${index}`, { assignees: ['bob'], milestone: milestones[0] })]
      : []),
  ]
  await Promise.all(numbers.flatMap(act))
  await alice.must('DELETE', `${repo.api}/issues/6`)
  await forge.settle()
  return { forge, repo, alice, milestones, labels }
}

test('issueListIssues: filters by label, milestone, author, assignee and state are right under concurrent writes', async () => {
  const { forge, repo, alice, milestones, labels } = await busyRepository()
  await using _ = forge
  assert.deepEqual(await examined(forge.services), [])
  const all: ListedIssue[] = (await alice.get(`${repo.api}/issues?state=all&limit=50`)).json
  const has = {
    'labels=one': (issue: ListedIssue) => issue.labels.some(({ name }) => name === 'one'),
    'labels=one,two': (issue: ListedIssue) => issue.labels.length === 2,
    'milestones=until%20null': (issue: ListedIssue) => issue.milestone?.title === 'until null',
    'created_by=bob': (issue: ListedIssue) => issue.user.login === 'bob',
    'assigned_by=bob': (issue: ListedIssue) => issue.assignees?.some(({ login }) => login === 'bob') ?? false,
    'assigned_by=bob&labels=two': (issue: ListedIssue) =>
      issue.labels.some(({ name }) => name === 'two') &&
      (issue.assignees?.some(({ login }) => login === 'bob') ?? false),
    'created_by=bob&since=2000-01-01T00:00:00Z': (issue: ListedIssue) => issue.user.login === 'bob',
  }
  for (const [query, isWanted] of Object.entries(has)) {
    for (const state of ['open', 'closed', 'all']) {
      const wanted = all.filter((issue) => isWanted(issue) && (state === 'all' || issue.state === state))
      // oxlint-disable-next-line no-await-in-loop -- few requests
      const reply = await alice.get(`${repo.api}/issues?state=${state}&${query}&limit=2`)
      assert.deepEqual(
        [query, state, Number(reply.headers.get('x-total-count')), reply.json.map(({ number }: ListedIssue) => number)],
        [query, state, wanted.length, wanted.slice(0, 2).map(({ number }) => number)],
      )
    }
  }
  await alice.must('DELETE', `${repo.api}/milestones/${milestones[0]}`)
  await alice.must('DELETE', `${repo.api}/labels/${labels[0]}`)
  assert.deepEqual(await examined(forge.services), [])
})

test('issueListIssues: each order merges both states and kinds, page by page', async () => {
  const { forge, repo, alice } = await busyRepository()
  await using _ = forge
  const all: ListedIssue[] = (await alice.get(`${repo.api}/issues?state=all&limit=50`)).json
  const due = ({ due_date, milestone }: ListedIssue) =>
    [due_date, milestone?.due_on ?? null].filter((date) => date !== null).sort()[0] ?? ''
  const rank = { nearduedate: (issue: ListedIssue) => due(issue) || '9', farduedate: due }
  const compare = (one: string | number, other: string | number) => (one < other ? -1 : one > other ? 1 : 0)
  const newest = (one: ListedIssue, other: ListedIssue) =>
    compare(other.created_at, one.created_at) || other.number - one.number
  const orders: Record<string, (one: ListedIssue, other: ListedIssue) => number> = {
    latest: newest,
    oldest: (one, other) => newest(other, one),
    recentupdate: (one, other) => compare(other.updated_at, one.updated_at) || newest(one, other),
    leastupdate: (one, other) => compare(one.updated_at, other.updated_at) || newest(other, one),
    mostcomment: (one, other) => other.comments - one.comments || newest(one, other),
    leastcomment: (one, other) => one.comments - other.comments || newest(one, other),
    nearduedate: (one, other) => compare(rank.nearduedate(one), rank.nearduedate(other)) || newest(one, other),
    farduedate: (one, other) => compare(rank.farduedate(other), rank.farduedate(one)) || newest(one, other),
  }
  for (const [sort, order] of Object.entries(orders)) {
    const pages: number[] = []
    for (let page = 1; page <= 4; page++) {
      // oxlint-disable-next-line no-await-in-loop -- few requests
      const { json } = await alice.get(`${repo.api}/issues?state=all&sort=${sort}&limit=3&page=${page}`)
      pages.push(...json.map(({ number }: ListedIssue) => number))
    }
    assert.deepEqual(
      [sort, pages],
      [
        sort,
        all
          .toSorted(order)
          .map(({ number }) => number)
          .slice(0, 12),
      ],
    )
  }
})

test('doctor: finds and repairs wrong issue columns in rows of labels, assignees, comments and times', async () => {
  const { forge, repo, alice } = await busyRepository()
  await using _ = forge
  const { db } = forge.services
  await alice.must('POST', `${repo.api}/issues/1/times`, { time: 60 })
  // The issues with the other mentions may be among the deleted ones.
  await alice.must('POST', `${repo.api}/issues`, { title: 'certain', body: 'for @bob' })
  await forge.settle()
  const tables = ['issue_label', 'issue_assignee', 'issue_mention', 'tracked_time', 'comment'] as const
  assert.deepEqual(await examined(forge.services), [])
  await transaction(db, async (tx) => {
    for (const table of tables) {
      const kind = table === 'tracked_time' || table === 'comment' ? 'is_of_pull' : 'is_closed'
      // oxlint-disable-next-line no-await-in-loop -- five of them
      await sql`update ${sql.table(table)} set ${sql.ref(kind)} = not ${sql.ref(kind)}`.execute(tx)
    }
  })
  const wrong = await examined(forge.services, { only: ['places-of-issues'] })
  assert.deepEqual(
    wrong.map((line) => /places-of-issues: (\w+): \d+ rows of issues 1 to \d+ /.exec(line)?.[1]),
    tables,
  )
  await examined(forge.services, { fix: true })
  assert.deepEqual(await examined(forge.services), [])
})
