import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, workflow } from '../actions/actions.test-support.ts'
import { serverWork } from '../access/server-work.ts'
import { transaction } from '../db/database.ts'
import { readEvents, type EventPosition } from '../events/cursor.ts'
import type { EventName } from '../events/catalogue.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { startWorkflows } from './start-workflows.ts'

/** Its plan depends on the row of the run, so that the row is inserted first. */
const readsNumber = workflow(
  'push',
  "build:\n    runs-on: 'runner-${{ github.run_number }}'\n    steps:\n      - run: echo hello",
)

/** Starts the workflows of the newest event of a name again, as a job does that lost its process or its lease. */
async function repeat(forge: Forge, name: EventName): Promise<void> {
  const { db } = forge.services
  const { events } = await readEvents(db, { after: 0 as EventPosition, limit: 1000, names: [name] })
  const event = events.at(-1)
  assert.ok(event)
  await startWorkflows(serverWork(forge.services), event)
}

/** Returns the runs as `number event workflow jobs`, the oldest first. */
async function runsAndJobs(forge: Forge): Promise<string[]> {
  const { db } = forge.services
  const runs = await db.selectFrom('action_run').selectAll().orderBy('number').execute()
  const jobs = await db.selectFrom('action_job').selectAll().execute()
  return runs.map((run) => {
    const own = jobs.filter((job) => job.run_id === run.id)
    return `${run.number} ${run.event} ${run.workflow_id} ${run.status} ${own.map((job) => job.runs_on).join()}`
  })
}

const countedRuns = async (forge: Forge, api: string): Promise<number> =>
  (await forge.as('alice').get(`${api}/actions/runs`)).json.total_count

const deleteRuns = (forge: Forge, workflowId: string): Promise<unknown> =>
  transaction(forge.services.db, (tx) => tx.deleteFrom('action_run').where('workflow_id', '=', workflowId).execute())

test('a trigger that is repeated starts the missing runs only', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/a.yml': workflow('push'),
    '.gitea/workflows/b.yml': readsNumber,
    '.gitea/workflows/c.yml': 'on: push\njobs: [\n',
  })
  const first = [
    '1 push a.yml waiting ["ubuntu-latest"]',
    '2 push b.yml waiting ["runner-2"]',
    '3 push c.yml failure []',
  ]
  assert.deepEqual(await runsAndJobs(forge), first)
  await repeat(forge, 'refs.updated')
  assert.deepEqual(await runsAndJobs(forge), first)
  assert.equal(await countedRuns(forge, repo.api), 3)
  await deleteRuns(forge, 'a.yml')
  await repeat(forge, 'refs.updated')
  assert.deepEqual(await runsAndJobs(forge), [...first.slice(1), '4 push a.yml waiting ["ubuntu-latest"]'])
})

test('a run whose plan was lost is planned when its trigger is repeated', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/b.yml': readsNumber })
  // The state between the two transactions that reserve and plan a run.
  await transaction(forge.services.db, async (tx) => {
    await tx.deleteFrom('action_job').execute()
    await tx.deleteFrom('action_run_payload').execute()
    await tx.updateTable('action_run').set({ status: 'failure', problem: 'interrupted' }).execute()
  })
  await Promise.all([1, 2, 3].map(() => repeat(forge, 'refs.updated')))
  assert.deepEqual(await runsAndJobs(forge), ['1 push b.yml waiting ["runner-1"]'])
  const { problem } = await forge.services.db.selectFrom('action_run').select('problem').executeTakeFirstOrThrow()
  assert.equal(problem, '')
})

test('two processes that follow one event start one run of each file', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/a.yml': workflow('push'),
    '.gitea/workflows/b.yml': readsNumber,
  })
  await transaction(forge.services.db, async (tx) => {
    await tx.deleteFrom('action_run').execute()
    await tx.deleteFrom('action_run_counter').execute()
  })
  await Promise.all([1, 2, 3, 4].map(() => repeat(forge, 'refs.updated')))
  const runs = await runsAndJobs(forge)
  assert.deepEqual(runs.map((run) => run.replace(/\d+/, '').replace(/-\d+/, '')).toSorted(), [
    ' push a.yml waiting ["ubuntu-latest"]',
    ' push b.yml waiting ["runner"]',
  ])
  assert.equal(await countedRuns(forge, repo.api), 2)
})

test('a repeated update of a pull request starts the files that its first attempt did not reach', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/a.yml': workflow('pull_request'),
    '.gitea/workflows/b.yml': workflow('{ pull_request: { types: [synchronize] }, pull_request_target: }'),
  })
  await commitFiles(forge, repo.api, { c: '1' }, { newBranch: 'topic' })
  await forge.as('alice').must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'x' })
  await commitFiles(forge, repo.api, { d: '1' }, { branch: 'topic' })
  const ofUpdate = async (): Promise<string[]> =>
    (await runsAndJobs(forge)).filter((run) => run.includes('waiting')).map((run) => run.replace(/^\d+ /, ''))
  const both = await ofUpdate()
  assert.deepEqual(
    both.map((run) => run.split(' ').slice(0, 2).join(' ')),
    [
      'pull_request a.yml',
      'pull_request_target b.yml',
      'pull_request a.yml',
      'pull_request b.yml',
      'pull_request_target b.yml',
    ],
  )
  const { db } = forge.services
  await transaction(db, (tx) =>
    tx
      .deleteFrom('action_run')
      .where('workflow_id', '=', 'b.yml')
      .where('happening', '=', 'pull_request_sync')
      .execute(),
  )
  await repeat(forge, 'pull.synchronized')
  assert.deepEqual(await ofUpdate(), both)
})
