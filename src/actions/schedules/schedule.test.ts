import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverWork } from '../../access/server-work.ts'
import { transaction } from '../../db/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles, runsOf, workflow } from '../actions.test-support.ts'
import { startDueSchedules } from './schedule.service.ts'

const hourly = workflow("{ schedule: [{ cron: '@every 1h' }] }")

/** Runs the task as one process. */
const runTask = (forge: Forge): Promise<void> =>
  startDueSchedules(serverWork(forge.services), new AbortController().signal)

test('a due schedule starts one run when the process ends before the due time moves, and in two processes', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': hourly, '.gitea/workflows/b.yml': hourly })
  forge.clock.advance(3_601_000)
  const { db } = forge.services
  const due = await db.selectFrom('action_schedule').select(['id', 'next_unix']).execute()
  const once = ['schedule a.yml main waiting', 'schedule b.yml main waiting']
  await Promise.all([runTask(forge), runTask(forge), runTask(forge)])
  assert.deepEqual((await runsOf(forge, repo.api)).toSorted(), once)
  // The state after a kill between the start of the runs and the move of the due times.
  await transaction(db, async (tx) => {
    for (const { id, next_unix } of due) {
      await tx.updateTable('action_schedule').set({ next_unix }).where('id', '=', id).execute()
    }
  })
  await runTask(forge)
  assert.deepEqual((await runsOf(forge, repo.api)).toSorted(), once)
  forge.clock.advance(3_601_000)
  await runTask(forge)
  assert.equal((await runsOf(forge, repo.api)).length, 4)
})

test('a schedule that cannot be started stays due for an hour and does not hold the others', async () => {
  await using forge = await startForge()
  const broken = await forge.given.repo({ name: 'broken' })
  const repo = await forge.given.repo()
  for (const { api } of [broken, repo]) await commitFiles(forge, api, { '.gitea/workflows/a.yml': hourly })
  const { db } = forge.services
  const { id: brokenId } = (await forge.as('alice').must('GET', broken.api)).json
  const setCommit = (commit: string): Promise<unknown> =>
    transaction(db, (tx) =>
      tx
        .updateTable('action_schedule')
        .set({ commit_oid: commit as never })
        .where('repo_id', '=', brokenId)
        .execute(),
    )
  const { commit_oid: commit } = await db
    .selectFrom('action_schedule')
    .select('commit_oid')
    .where('repo_id', '=', brokenId)
    .executeTakeFirstOrThrow()
  await setCommit('1'.repeat(40))
  forge.clock.advance(3_601_000)
  await assert.rejects(runTask(forge), /cannot start 1 of the due schedules/)
  assert.deepEqual(await runsOf(forge, broken.api), [])
  assert.deepEqual(await runsOf(forge, repo.api), ['schedule a.yml main waiting'])
  await setCommit(commit)
  await runTask(forge)
  assert.deepEqual(await runsOf(forge, broken.api), ['schedule a.yml main waiting'])
  await setCommit('1'.repeat(40))
  forge.clock.advance(2 * 3_601_000)
  await assert.rejects(runTask(forge))
  await runTask(forge)
})

test('a push to the default branch keeps the due times of the schedules that stay', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': hourly })
  forge.clock.advance(3_601_000)
  await commitFiles(forge, repo.api, { 'readme.txt': 'due meanwhile', '.gitea/workflows/b.yml': hourly })
  await runTask(forge)
  assert.deepEqual(await runsOf(forge, repo.api), ['schedule a.yml main waiting'])
})
