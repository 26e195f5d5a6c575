import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf, transaction } from '../../db/database.ts'
import type { Oid, RepoId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { startForge } from '../../testing/forge.ts'
import { planOf } from '../../testing/plan.ts'
import { collectStatements } from '../../testing/statements.ts'
import { countBranches, listBranches } from './branch.store.ts'

test('listBranches: a page of many branches at one commit is read in the order of an index', async () => {
  await using forge = await startForge()
  const { db } = forge.services
  const repo = await forge.given.repo()
  const repoId = (await forge.guest.must('GET', repo.api)).json.id as RepoId
  const now = nowUnix(forge.clock)
  const rows = Array.from({ length: 500 }, (_, index) => ({
    repo_id: repoId,
    name: `${index % 2 === 0 ? 'B' : 'b'}${index}`,
    commit_oid: 'a'.repeat(40) as Oid,
    commit_unix: now + 1000,
    updated_unix: now,
    is_deleted: index % 50 === 0,
  }))
  await transaction(db, (tx) => tx.insertInto('branch').values(rows).execute())
  // PostgreSQL chooses by statistics.
  if (engineOf(db).kind !== 'sqlite') await sql`analyze`.execute(db)
  using seen = await collectStatements(forge)
  const list = await listBranches(db, repoId, { limit: 5, offset: 100 })
  const names = rows.flatMap(({ name, is_deleted }) => (is_deleted ? [] : [name])).sort()
  assert.deepEqual(
    list.map(({ name }) => name),
    names.slice(100, 105),
  )
  const before = await countBranches(db, repoId)
  assert.equal(before, names.length + 1)
  // A job of the new repository may run beside it.
  const ofBranches = seen.statements.filter(({ sql }) => /from "branch"/.test(sql))
  const plans = await Promise.all(ofBranches.map((statement) => planOf(db, statement)))
  assert.equal(plans.length, 2)
  const [listed = '', counted = ''] = plans
  assert.match(listed, /branch_newest/)
  assert.doesNotMatch(listed, /TEMP B-TREE|Sort/, listed)
  // Either index has the number of branches of a repository.
  assert.match(counted, /branch_(?:newest|pkey)/)
})
