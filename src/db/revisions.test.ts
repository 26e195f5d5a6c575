import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { engineOf, transaction, type Db } from './database.ts'

const write = (db: Db, statement: string): Promise<unknown> => sql.raw(statement).execute(engineOf(db).writer)

async function revisions(db: Db): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('row_revision')
    .selectAll()
    // Excludes the account of the instance, which each database has.
    .where('row_id', '>', 0)
    .orderBy('table_name')
    .orderBy('row_id')
    .execute()
  return Object.fromEntries(rows.map((row) => [`${row.table_name} ${row.row_id}`, row.revision]))
}

const account = (id: number, name: string) =>
  `insert into "user" (id, kind, name, lower_name, created_unix, updated_unix) values (${id}, 'individual', '${name}', '${name}', 1, 1)`
const issue = (id: number) =>
  `insert into issue (id, repo_id, "index", poster_id, title, content, milestone_id, created_unix, updated_unix)
    values (${id}, 1, ${id}, 2, 'a', 'b', 1, 1, 1)`

/** SQL that inserts two accounts, a repository, two issues, a label and a milestone. */
const things = [
  account(1, 'ann'),
  account(2, 'ben'),
  `insert into repo (id, owner_id, name, lower_name, git_key, default_branch, created_unix, updated_unix)
    values (1, 1, 'r', 'r', 'k', 'main', 1, 1)`,
  `insert into label (id, repo_id, name, color, created_unix, updated_unix) values (1, 1, 'l', '000000', 1, 1)`,
  `insert into milestone (id, repo_id, title, created_unix, updated_unix) values (1, 1, 'm', 1, 1)`,
  issue(1),
  issue(2),
]

test('row_revision: each write to a row or to its dependent rows raises its revision', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  for (const statement of things) await write(db, statement)
  const start = { 'issue 1': 0, 'issue 2': 0, 'label 1': 0, 'milestone 1': 0, 'user 1': 0, 'user 2': 0 }
  assert.deepEqual(await revisions(db), start)
  let before: Record<string, number> = start
  for (const [statement, ...raised] of [
    [`update "user" set full_name = 'Ann' where id = 1`, 'user 1'],
    [`update label set color = '111111'`, 'label 1'],
    [`update milestone set num_issues = 2`, 'milestone 1'],
    [`update issue set title = 'c' where id = 1`, 'issue 1'],
    [`update issue set is_closed = true`, 'issue 1', 'issue 2'],
    [`insert into issue_label (issue_id, label_id) values (1, 1)`, 'issue 1'],
    [`update issue_label set issue_id = 2`, 'issue 1', 'issue 2'],
    [`insert into issue_assignee (issue_id, user_id) values (2, 1)`, 'issue 2'],
    [`delete from issue_assignee`, 'issue 2'],
    [
      `insert into attachment (id, uuid, repo_id, issue_id, uploader_id, name, size_bytes, blob_key, created_unix)
        values (1, 'u', 1, 1, 1, 'f', 1, 'k', 1)`,
      'issue 1',
    ],
    [`update attachment set download_count = download_count + 1`, 'issue 1'],
    [`delete from attachment`, 'issue 1'],
    [
      `insert into comment (id, type, issue_id, poster_id, content, created_unix, updated_unix)
        values (1, 'comment', 1, 2, 'c', 1, 1), (2, 'close', 2, 2, '', 1, 1)`,
      'issue 1',
    ],
    [`update comment set content = 'd'`, 'issue 1'],
    [`update comment set issue_id = 2 where id = 1`, 'issue 1', 'issue 2'],
    [`delete from comment`, 'issue 2'],
  ] as const) {
    await write(db, statement)
    const now = await revisions(db)
    const grown = Object.keys(now).filter((row) => (now[row] ?? 0) > (before[row] ?? 0))
    assert.deepEqual(grown, raised, statement)
    before = now
  }
  await assert.rejects(
    transaction(db, async (tx) => {
      await tx.updateTable('issue').set({ title: 'd' }).execute()
      throw new Error('rolled back')
    }),
  )
  assert.deepEqual(await revisions(db), before, 'what is rolled back was not written')
})

test('row_revision: a deletion removes the revisions of all deleted rows and raises those of the related issues', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const worn = [
    `insert into issue_label (issue_id, label_id) values (1, 1)`,
    `insert into issue_assignee (issue_id, user_id) values (1, 2)`,
  ]
  for (const statement of [...things, ...worn]) await write(db, statement)
  const steps = []
  for (const statement of [
    `delete from label`,
    `delete from milestone`,
    `delete from "user" where id = 2`,
    `delete from repo`,
  ]) {
    const before = (await revisions(db))['issue 1'] ?? 0
    await write(db, statement)
    const after = await revisions(db)
    const issueNow = after['issue 1']
    steps.push([statement, Object.keys(after).length, issueNow === undefined ? 'gone' : issueNow > before])
  }
  assert.deepEqual(steps, [
    ['delete from label', 5, true],
    ['delete from milestone', 4, true],
    ['delete from "user" where id = 2', 3, true],
    ['delete from repo', 1, 'gone'],
  ])
})
