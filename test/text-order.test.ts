import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { databaseKind } from '../src/db/open.ts'
import { transaction } from '../src/db/database.ts'
import { openTestDatabase } from '../src/testing/database.ts'
import { startForge } from '../src/testing/forge.ts'

/** PostgreSQL sorts texts by the collation of the database, SQLite by bytes. Lists sort by `bytewise()` to answer alike. */

/** Lists that keep the collation of the database, because an index with that collation serves them. */
const byIndex = new Set([
  'src/code/archives/archive.store.ts: commit_oid',
  'src/packages/catalog/catalog.store.ts: package.lower_name',
  'src/packages/cleanup/cleanup.store.ts: lower_version',
  'src/packages/cleanup/cleanup.store.ts: package.lower_name',
  'src/repos/social/topic-search.store.ts: topic.name',
  'src/users/email.store.ts: email.lower_email',
  'src/users/email.store.ts: place.lower_email',
  'src/users/user.store.ts: lower_name',
  'src/users/user.store.ts: user.lower_name',
  'src/orgs/org.store.ts: user.lower_name',
])

test('each store sorts texts bytewise, except where an index serves the list', async () => {
  await using database = await openTestDatabase()
  const { rows } = await transaction(database.db, (tx) =>
    databaseKind(tx) === 'postgres'
      ? sql<{ name: string }>`select distinct column_name as name from information_schema.columns
          where table_schema = 'public' and data_type = 'text'`.execute(tx)
      : sql<{ name: string }>`select distinct info.name from sqlite_schema as it, pragma_table_info(it.name) as info
          where it.type = 'table' and lower(info.type) = 'text'`.execute(tx),
  )
  // Most lists order by numeric ids; these tables have text ids.
  const texts = new Set(rows.map(({ name }) => name).filter((name) => name !== 'id'))
  assert.ok(texts.has('lower_name'))
  const found = new Set<string>()
  for await (const file of glob('src/**/*.store.ts')) {
    for (const [, column = ''] of readFileSync(file, 'utf8').matchAll(/\.orderBy\('([\w.]+)'/g)) {
      const name = column.split('.').at(-1) ?? ''
      if (texts.has(name)) found.add(`${file.split(path.sep).join('/')}: ${column}`)
    }
  }
  assert.deepEqual([...found].toSorted(), [...byIndex].toSorted())
})

test('issueListLabels, orgListTeams, listRepoFlags: lists are sorted by bytes, whatever the collation of the database', async () => {
  await using database = await openTestDatabase({ language: 'en-US' })
  await using forge = await startForge({
    database: database.options,
    settings: { repository: { ENABLE_FLAGS: true } },
    users: ['alice'],
  })
  const [alice, root] = [forge.as('alice'), forge.as('root')]
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await alice.must('POST', '/orgs/guild/repos', { name: 'home' })
  const names = ['b', 'A', 'a', 'Z', '_', '\u00c4', 'a-b', 'ab']
  const byBytes = names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  const repo = '/repos/guild/home'
  const ids: number[] = []
  for (const name of names) {
    ids.push((await alice.must('POST', `${repo}/labels`, { name, color: '#001122' })).json.id)
    await alice.must('POST', '/orgs/guild/labels', { name, color: '#001122' })
  }
  const { json: issue } = await alice.must('POST', `${repo}/issues`, { title: 'one', labels: ids })
  const namesOf = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name)
  assert.deepEqual(namesOf(issue.labels), byBytes, 'labels of a new issue')
  for (const listPath of [`${repo}/labels`, '/orgs/guild/labels', `${repo}/issues/1/labels`]) {
    assert.deepEqual(namesOf((await alice.must('GET', listPath)).json), byBytes, listPath)
  }
  const [listed] = (await alice.must('GET', `${repo}/issues`)).json
  assert.deepEqual(namesOf(listed.labels), byBytes, 'labels in a list of issues')
  const reversed = (await alice.must('GET', `${repo}/labels?sort=reversealphabetically`)).json
  assert.deepEqual(namesOf(reversed), byBytes.toReversed())

  const teams = ['ab', 'a-b', 'a_b', 'z']
  for (const name of teams) {
    await alice.must('POST', '/orgs/guild/teams', { name, permission: 'read', units: ['repo.code'] })
  }
  const shown = namesOf((await alice.must('GET', '/orgs/guild/teams')).json).filter((name) => name !== 'Owners')
  assert.deepEqual(shown, ['a-b', 'a_b', 'ab', 'z'])

  await root.must('PUT', `${repo}/flags`, { flags: ['b', 'A', 'a-b', 'ab'] })
  assert.deepEqual((await root.must('GET', `${repo}/flags`)).json, ['A', 'a-b', 'ab', 'b'])
})
