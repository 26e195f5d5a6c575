import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf } from '../../db/database.ts'
import { migrate } from '../../db/migrate.ts'
import { findIssue } from '../../issues/issue.store.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { settleLeftovers } from '../../refs/leftovers.service.ts'
import { givenPull } from '../../testing/given-pull.ts'
import { startForge } from '../../testing/forge.ts'
import { findPullByIssue } from '../pull.store.ts'

/** What the release before had instead of effects in the journal. */
const before = [
  "delete from migration where name = 'refs-1'",
  'alter table ref_journal drop column kind',
  'alter table ref_journal drop column effect',
  'alter table ref_journal drop column subject',
  `create table pull_merge (pull_id bigint not null, new_oid text not null, head_oid text not null,
    merger_id bigint not null, promises text not null, created_unix bigint not null, primary key (pull_id, new_oid))`,
]

test('a merge that the release before left unsettled is recorded by this one, what it closes included', async () => {
  await using forge = await startForge()
  const { services } = forge
  const { git, db } = services
  const repo = await forge.given.repo()
  const base = 'stable_"1"'
  await forge.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: base })
  const [done, undone] = [await givenPull(forge, { repo, base }), await givenPull(forge, { repo, base })]
  const issue = await forge.given.issue({ repo })
  const { user } = await forge.account('alice')
  const row = await db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
  const pullOf = async (number: number) => {
    const found = await findIssue(db, row.id, number)
    const pull = found && (await findPullByIssue(db, found.id))
    assert.ok(pull)
    return pull
  }
  const ref = branchRef(base)
  const old = (await git.readRef(row.git_key, ref)) as Oid
  const head = (await pullOf(done.number)).synced_oid

  // Nothing else is under way that would be settled as well.
  await forge.settle()
  const { writer } = engineOf(db)
  for (const statement of before) await sql.raw(statement).execute(writer)
  const origin = JSON.stringify({ doerId: user.id, via: 'merge' })
  const toBeClosed = (await findIssue(db, row.id, issue.number))?.id
  for (const [pull, to] of [
    [await pullOf(done.number), head],
    [await pullOf(undone.number), (await pullOf(undone.number)).synced_oid],
  ] as const) {
    const updates = JSON.stringify([{ ref, old, new: to }])
    const promises = JSON.stringify({ closes: [toBeClosed], reopens: [] })
    await sql`insert into ref_journal (repo_id, updates, origin, created_unix)
      values (${row.id}, ${updates}, ${origin}, 1)`.execute(writer)
    await sql`insert into pull_merge (pull_id, new_oid, head_oid, merger_id, promises, created_unix)
      values (${pull.id}, ${to}, ${to}, ${user.id}, ${promises}, 1)`.execute(writer)
  }
  await git.updateRefs(row.git_key, [{ ref, old, new: head }])

  assert.deepEqual(await migrate(db), ['refs-1'])
  assert.equal(await settleLeftovers(services, 'all'), 2)
  const shown = (await forge.guest.get(done.api)).json
  assert.deepEqual([shown.merged, shown.merge_commit_sha, shown.merged_by.login], [true, head, 'alice'])
  assert.equal((await forge.guest.get(issue.api)).json.state, 'closed')
  assert.equal((await forge.guest.get(undone.api)).json.merged, false)
})
