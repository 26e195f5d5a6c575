import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { planOf } from '../../testing/plan.ts'
import { watchStatements, type RunStatement } from '../../testing/watch-statements.ts'
import { commitFiles, TestRunner, workflow } from '../actions.test-support.ts'

test('userListWorkflowRuns, userListWorkflowJobs, userListActionRunners, orgListWorkflowRuns, orgListWorkflowJobs, orgListActionRunners, adminListWorkflowRuns, adminListWorkflowJobs, adminListActionRunners: the rows of an owner, the newest first', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const mine = await forge.given.repo({ owner: 'alice', private: true })
  const other = await forge.given.repo({ owner: 'bob' })
  const alice = forge.as('alice')
  await alice.must('POST', '/orgs', { username: 'guild' })
  const files = { '.gitea/workflows/w.yml': workflow('push') }
  await commitFiles(forge, mine.api, files)
  await commitFiles(forge, other.api, files, { as: 'bob' })
  await commitFiles(forge, mine.api, { a: '1' }, { newBranch: 'side' })
  const runner = await TestRunner.register(forge, '/user/actions/runners')
  await TestRunner.register(forge, '/admin/runners', ['gpu'], { as: 'root' })
  await runner.must()
  const of = async (login: string, path: string) => (await forge.as(login).must('GET', path)).json
  const runs = await of('alice', '/user/actions/runs')
  assert.equal(runs.total_count, 2)
  assert.deepEqual(
    runs.workflow_runs.map((run: Record<string, unknown> & { readonly repository: { readonly full_name: string } }) => [
      run.repository.full_name,
      run['head_branch'],
      run['status'],
      run['conclusion'],
    ]),
    [
      [mine.fullName, 'side', 'waiting', ''],
      [mine.fullName, 'main', 'running', ''],
    ],
  )
  const second = await alice.must('GET', '/user/actions/runs?limit=1&page=2')
  assert.deepEqual([second.json.workflow_runs[0].head_branch, second.headers.get('x-total-count')], ['main', '2'])
  assert.equal((await of('alice', '/user/actions/runs?status=running')).workflow_runs.length, 1)
  assert.equal((await of('alice', '/user/actions/jobs?status=running')).jobs[0].repository.full_name, mine.fullName)
  for (const path of ['/user/actions/runs', '/user/actions/jobs']) {
    assert.equal((await alice.get(`${path}?status=strange`)).status, 400)
    assert.equal((await forge.guest.get(path)).status, 401)
  }
  assert.deepEqual(await of('alice', '/orgs/guild/actions/runs'), { workflow_runs: [], total_count: 0 })
  assert.deepEqual(await of('alice', '/orgs/guild/actions/jobs'), { jobs: [], total_count: 0 })
  assert.deepEqual(await of('alice', '/orgs/guild/actions/runners'), { runners: [], total_count: 0 })
  const [mineOnly] = (await of('alice', '/user/actions/runners')).runners
  assert.deepEqual(
    [mineOnly.status, mineOnly.busy, mineOnly.labels],
    ['online', true, [{ id: 1, name: 'ubuntu-latest', type: 'custom' }]],
  )
  assert.equal((await of('root', '/admin/actions/runs')).total_count, 3)
  assert.equal((await of('root', '/admin/actions/jobs')).total_count, 3)
  assert.equal((await of('root', '/admin/actions/runners')).runners[0].labels[0].name, 'gpu')
  for (const kind of ['runs', 'jobs', 'runners']) assert.equal((await alice.get(`/admin/actions/${kind}`)).status, 403)
})

test('adminListWorkflowRuns, adminListWorkflowJobs: runs and jobs of a status or an event are read from an index, in order', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await commitFiles(forge, repo.api, { '.gitea/workflows/w.yml': workflow('[push, workflow_dispatch]') })
  const dispatch = () =>
    forge.as('alice').must('POST', `${repo.api}/actions/workflows/w.yml/dispatches`, { ref: 'main' })
  await dispatch()
  await dispatch()
  const runner = await TestRunner.register(forge, '/admin/runners', ['ubuntu-latest'], { as: 'root' })
  await runner.finish(await runner.must())
  await runner.must()
  const root = forge.as('root')
  const read = async (path: string) => {
    const statements: RunStatement[] = []
    const stop = watchStatements(forge, (run) => statements.push(...run))
    const { json } = await root.must('GET', path).finally(stop)
    const listed = statements.filter((each) => /from "action_(?:run|job)"/.test(each.sql) && /limit/.test(each.sql))
    const plans = await Promise.all(listed.map((statement) => planOf(forge.services.db, statement)))
    const rows = (json.workflow_runs ?? json.jobs) as { id: number }[]
    return { ids: rows.map(({ id }) => id), total: json.total_count as number, plans }
  }
  for (const [path, count] of [
    ['/admin/actions/runs?status=success', 1],
    ['/admin/actions/runs?status=success&status=running&status=waiting', 3],
    ['/admin/actions/runs?event=push', 1],
    ['/admin/actions/runs?event=push&event=workflow_dispatch', 3],
    ['/admin/actions/runs?status=waiting&event=workflow_dispatch', 1],
    ['/admin/actions/jobs?status=running&status=success', 2],
  ] as const) {
    const { ids, total, plans } = await read(path)
    assert.deepEqual([ids.length, total], [count, count], path)
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => other - one),
      path,
    )
    assert.ok(plans.length >= 2, `${path}: a page and its count`)
    for (const plan of plans) assert.match(plan, /action_(?:run|job)_instance_(?:status|event)/, `${path}: ${plan}`)
  }
})
