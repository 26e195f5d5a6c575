import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
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
