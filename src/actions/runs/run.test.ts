import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '../../db/database.ts'
import { countQueries } from '../../testing/count-queries.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { commitFiles, runsOf, TestRunner, workflow } from '../actions.test-support.ts'

test('listActionRuns: filters and pages; the number of statements does not depend on the number of runs', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const runs = `${repo.api}/actions/runs`
  assert.deepEqual((await alice.get(runs)).json, { workflow_runs: [], total_count: 0 })
  const sha = await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('[push, workflow_dispatch]') })
  await alice.must('POST', `${repo.api}/actions/workflows/a.yml/dispatches`, { ref: 'main' })
  const found = async (query: string) =>
    (await alice.get(`${runs}?${query}`)).json.workflow_runs.map((run: { run_number: number }) => run.run_number)
  assert.deepEqual(await found(''), [1, 2])
  assert.deepEqual(await found('event=workflow_dispatch'), [2])
  assert.deepEqual(await found('event=workflow_dispatch&event=push'), [1, 2])
  assert.deepEqual(await found('status=success'), [])
  assert.deepEqual(await found('run_number=2&event=push'), [])
  assert.deepEqual(await found(`head_sha=${sha}`), [1, 2])
  assert.deepEqual(await found('page=2&limit=1'), [2])
  assert.equal((await alice.get(`${runs}?status=in_progress`)).status, 400)
  const countRequests = async () => {
    using counted = await countQueries(forge)
    await alice.get(runs)
    return counted.count
  }
  const few = await countRequests()
  for (let more = 0; more < 3; more++) {
    await alice.must('POST', `${repo.api}/actions/workflows/a.yml/dispatches`, { ref: 'main' })
  }
  assert.equal(await countRequests(), few)
})

test('actionRun: only runs of the repository', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const other = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.forgejo/workflows/b.yaml': workflow('push') }, { message: 'one\n\ntwo' })
  const alice = forge.as('alice')
  const [run] = (await alice.get(`${repo.api}/actions/runs`)).json.workflow_runs
  const shown = (await alice.get(`${repo.api}/actions/runs/${run.id}`)).json
  assert.deepEqual(shown, run)
  assert.deepEqual(
    [shown.name, shown.status, shown.head_branch, shown.workflow_id, shown.triggering_actor.login],
    ['one', 'waiting', 'main', 'b.yaml', 'alice'],
  )
  assert.equal((await alice.get(`${other.api}/actions/runs/${run.id}`)).status, 404)
  assert.equal((await alice.get(`${repo.api}/actions/runs/abc`)).status, 404)
})

test('listActionTasks: a waiting job has no task', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.github/workflows/c.yml': workflow('push') })
  const reply = await forge.guest.get(`${repo.api}/actions/tasks`)
  assert.deepEqual(reply.json, { workflow_runs: [], total_count: 0 })
})

test('listActionTasks: the kept count is exact with concurrent runners and deleted runs', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const jobs = Array.from(
    { length: 12 },
    (_, index) => `j${index}:\n    runs-on: ubuntu-latest\n    steps: [{ run: x }]`,
  )
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': workflow('[push, workflow_dispatch]', jobs.join('\n  ')),
  })
  const total = async () => (await alice.get(`${repo.api}/actions/tasks?limit=1`)).json.total_count
  const runners = await Promise.all(jobs.map(() => TestRunner.register(forge, `${repo.api}/actions/runners`)))
  const taken = await Promise.all(runners.map(async (runner) => ({ runner, task: await runner.must() })))
  assert.equal(await total(), 12)
  await Promise.all(taken.map(({ runner, task }) => runner.finish(task)))
  await alice.must('POST', `${repo.api}/actions/workflows/w.yml/dispatches`, { ref: 'main' })
  await runners[0]?.must()
  assert.equal(await total(), 13)
  const page = async (number: number) =>
    (await alice.get(`${repo.api}/actions/tasks?limit=5&page=${number}`)).json.workflow_runs.map(
      (task: { id: number }) => task.id,
    )
  const [first, second, last, beyond] = await Promise.all([page(1), page(2), page(3), page(4)])
  const all = [...first, ...second, ...last]
  assert.deepEqual([first.length, second.length, last.length, beyond], [5, 5, 3, []])
  assert.deepEqual(
    all,
    [...new Set(all)].toSorted((one, other) => other - one),
    'each task once, the newest first',
  )
  const [run] = (await alice.get(`${repo.api}/actions/runs`)).json.workflow_runs
  await alice.must('DELETE', `${repo.api}/actions/runs/${run.id}`)
  assert.equal(await total(), 1)
  const counted = () => examined(forge.services, { only: ['counters'] })
  assert.deepEqual(await counted(), [])
  const { db } = forge.services
  await transaction(db, (tx) => sql`update action_task_tally set total = total + 1 where shard < 4`.execute(tx))
  await transaction(db, (tx) => sql`delete from action_task_tally where shard >= 4`.execute(tx))
  assert.match(
    (await counted()).join('\n'),
    /^counters: action_task_tally \d+: total is \d+ and should be \d+ \(fixable\)$/m,
  )
  await examined(forge.services, { fix: true, only: ['counters'] })
  assert.deepEqual(await counted(), [])
  assert.equal(await total(), 1)
  await alice.must('DELETE', repo.api)
  assert.deepEqual(await db.selectFrom('action_task_tally').select('id').execute(), [])
})

test('repoSearchRunJobs, orgSearchRunJobs, userSearchRunJobs, adminSearchRunJobs: jobs that a runner with these labels can take', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const org = await forge.given.org()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': workflow(
      'push',
      `plain: { runs-on: small, steps: [{ run: x }] }
  large: { runs-on: [small, gpu], steps: [{ run: x }] }
  late: { runs-on: small, needs: plain, steps: [{ run: x }] }`,
    ),
  })
  const alice = forge.as('alice')
  const names = async (address: string, labels: string, as = alice) => {
    const reply = await as.get(`${address}?labels=${labels}`)
    return reply.json === null ? null : reply.json.map((job: { name: string }) => job.name)
  }
  const ofRepo = `${repo.api}/actions/runners/jobs`
  assert.deepEqual(await names(ofRepo, 'small'), ['plain'])
  assert.deepEqual(await names(ofRepo, 'gpu,small'), ['large', 'plain'])
  assert.deepEqual(await names(ofRepo, 'gpu'), null)
  assert.deepEqual(await names('/user/actions/runners/jobs', 'small'), ['plain'])
  assert.deepEqual(await names(`/orgs/${org}/actions/runners/jobs`, 'small'), null)
  assert.deepEqual(await names('/admin/runners/jobs', 'small', forge.as('root')), ['plain'])
  assert.equal((await forge.as('bob').get(ofRepo)).status, 403)
  assert.equal((await forge.guest.get(ofRepo)).status, 401)
})

const manual = `on:
  workflow_dispatch:
    inputs:
      level: { required: true, description: How loud }
      dry: { type: boolean, default: true }
jobs:
  only: { runs-on: x, steps: [{ run: x }] }
`

test('dispatchWorkflow: refusals, inputs and the reply', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/m.yml': manual })
  const alice = forge.as('alice')
  const dispatches = `${repo.api}/actions/workflows/m.yml/dispatches`
  const status = async (body: object) => (await alice.post(dispatches, body)).status
  assert.equal((await forge.guest.post(dispatches, { ref: 'main' })).status, 401)
  assert.equal((await forge.as('bob').post(dispatches, { ref: 'main' })).status, 403)
  assert.equal(await status({}), 422)
  assert.equal(await status({ ref: 'main' }), 400)
  assert.equal(await status({ ref: 'none', inputs: { level: 'x' } }), 404)
  assert.equal(await status({ ref: 'main', inputs: { level: 5 } }), 422)
  assert.equal((await alice.post(`${repo.api}/actions/workflows/n.yml/dispatches`, { ref: 'main' })).status, 404)
  const made = await alice.post(dispatches, {
    ref: 'main',
    inputs: { level: 'high', more: 'x' },
    return_run_info: true,
  })
  assert.deepEqual([made.status, made.json.run_number, made.json.jobs], [201, 1, ['only']])
  const payload = await forge.services.db.selectFrom('action_run_payload').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual(JSON.parse(payload.data).inputs, { level: 'high', dry: 'true' })
})

test('dispatchWorkflow: concurrent dispatches get distinct run numbers', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/m.yml': workflow('workflow_dispatch') })
  const alice = forge.as('alice')
  const replies = await Promise.all(
    Array.from({ length: 30 }, () =>
      alice.post(`${repo.api}/actions/workflows/m.yml/dispatches`, { ref: 'main', return_run_info: true }),
    ),
  )
  const numbers = replies.map(({ json }) => json.run_number as number).toSorted((one, other) => one - other)
  assert.deepEqual(
    numbers,
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
})

test('a newer push cancels the open push runs of its branch', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/p.yml': workflow('[push, workflow_dispatch]') })
  await forge.as('alice').must('POST', `${repo.api}/actions/workflows/p.yml/dispatches`, { ref: 'main' })
  await commitFiles(forge, repo.api, { a: '1' }, { newBranch: 'side' })
  await commitFiles(forge, repo.api, { b: '1' })
  assert.deepEqual(await runsOf(forge, repo.api), [
    'push p.yml main cancelled',
    'workflow_dispatch p.yml main waiting',
    'push p.yml side waiting',
    'push p.yml main waiting',
  ])
})

test('runs of a concurrency group wait for each other, and only the newest waiting run stays', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/g.yml': `concurrency: deploy-\${{ github.ref_name }}\n${workflow('workflow_dispatch')}`,
    '.gitea/workflows/c.yml': `concurrency: { group: deploy-main, cancel-in-progress: true }\n${workflow('workflow_dispatch')}`,
  })
  const dispatch = (name: string) =>
    forge.as('alice').must('POST', `${repo.api}/actions/workflows/${name}/dispatches`, { ref: 'main' })
  await dispatch('g.yml')
  await dispatch('g.yml')
  await dispatch('g.yml')
  const held = await forge.services.db
    .selectFrom('action_run')
    .select(['number', 'is_held', 'status'])
    .orderBy('id')
    .execute()
  assert.deepEqual(
    held.map((run) => `${run.number} ${run.is_held} ${run.status}`),
    ['1 false waiting', '2 true cancelled', '3 true waiting'],
  )
  await dispatch('c.yml')
  assert.deepEqual(
    (await runsOf(forge, repo.api)).map((run) => run.split(' ').at(-1)),
    ['cancelled', 'cancelled', 'cancelled', 'waiting'],
  )
})
