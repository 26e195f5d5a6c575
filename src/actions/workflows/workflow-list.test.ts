import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { commitFiles, runsOf, TestRunner, workflow } from '../actions.test-support.ts'

test('listRepoWorkflows, getRepoWorkflow, disableRepoWorkflow, enableRepoWorkflow, workflowBadge', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const api = `${repo.api}/actions/workflows`
  assert.deepEqual((await alice.must('GET', api)).json, { total_count: 0, workflows: [] })
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/a.yml': `name: "<Build>"\n${workflow("{ push: , schedule: [{ cron: '@every 1h' }], workflow_dispatch: }")}`,
    '.gitea/workflows/b.yml': 'on: [',
  })
  const listed = (await forge.guest.get(api)).json.workflows
  assert.deepEqual(
    listed.map((each: Record<string, string>) => [each['id'], each['name'], each['state'], each['problem'] !== '']),
    [
      ['a.yml', '<Build>', 'active', false],
      ['b.yml', 'b.yml', 'active', true],
    ],
  )
  assert.deepEqual((await forge.guest.get(`${api}/a.yml`)).json, listed[0])
  assert.deepEqual((await forge.guest.must('GET', `${api}/a.yml`)).json, listed[0])
  assert.equal((await forge.guest.get(`${api}/none.yml`)).status, 404)
  assert.deepEqual([listed[0].path, new URL(listed[0].url).pathname], ['.gitea/workflows/a.yml', `/api/v1${api}/a.yml`])
  assert.equal((await fetch(listed[0].html_url)).status, 200)
  assert.equal((await forge.guest.get(`${api}/none.yml`)).status, 404)
  assert.equal((await forge.guest.put(`${api}/a.yml/disable`)).status, 401)
  assert.equal((await forge.as('bob').put(`${api}/a.yml/disable`)).status, 403)
  assert.equal((await alice.put(`${api}/none.yml/disable`)).status, 404)
  for (const file of ['a.yml', 'a.yml', 'b.yml']) assert.equal((await alice.put(`${api}/${file}/disable`)).status, 204)
  const before = (await runsOf(forge, repo.api)).length
  await commitFiles(forge, repo.api, { c: '1' })
  forge.clock.advance(3_601_000)
  await forge.as('root').must('POST', '/admin/cron/start_schedule_tasks')
  await forge.settle()
  assert.equal(
    (await runsOf(forge, repo.api)).length,
    before,
    'neither a push nor a schedule starts a disabled workflow',
  )
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const task = await runner.must()
  await runner.finish(task)
  const again = `${repo.api}/actions/runs/${String(task.context['run_id'])}/rerun`
  assert.equal((await alice.post(again)).status, 409)
  assert.equal((await alice.post(`${api}/a.yml/dispatches`, { ref: 'main' })).status, 204, 'a dispatch starts it')
  assert.equal((await alice.put(`${api}/a.yml/enable`)).status, 204)
  assert.equal((await alice.post(again)).status, 202)
  await alice.must('POST', `${repo.api}/actions/runs/${String(task.context['run_id'])}/cancel`)
  const ofRun = `${repo.api}/actions/runs/${String(task.context['run_id'])}/jobs`
  const [job] = (await alice.must('GET', ofRun)).json.jobs
  assert.equal((await forge.as('bob').post(`${ofRun}/${job.id}/rerun`)).status, 403)
  assert.equal((await alice.post(`${repo.api}/actions/runs/999/jobs/${job.id}/rerun`)).status, 404)
  const rerun = await alice.post(`${ofRun}/${job.id}/rerun`)
  assert.deepEqual([rerun.status, rerun.json.id, rerun.json.status], [201, job.id, 'waiting'], 'rerunWorkflowRunJob')
  await alice.must('POST', `${repo.api}/actions/runs/${String(task.context['run_id'])}/cancel`)
  const badge = async (query = '') =>
    forge.guest.get(`/${repo.fullName}/actions/workflows/a.yml/badge.svg${query}`, { site: true })
  const shown = await badge('?event=push')
  assert.equal(shown.headers.get('content-type'), 'image/svg+xml')
  assert.match(shown.text, />cancelled</)
  assert.match((await badge('?branch=none')).text, />no runs</)
  await alice.must('PATCH', repo.api, { private: true })
  assert.equal((await badge()).status, 404)
})

test('registry_package: a published package starts the workflows of the linked repository', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ name: 'linked' })
  const alice = forge.as('alice')
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/p.yml': workflow('{ registry_package: { types: [published] } }'),
  })
  const put = (version: string) =>
    alice.send('PUT', `/api/packages/alice/generic/tool/${version}/file`, undefined, { site: true, raw: 'bytes' })
  assert.equal((await put('1')).status, 201)
  await forge.settle()
  assert.deepEqual(await runsOf(forge, repo.api), [], 'the package is not linked')
  await alice.must('POST', '/packages/alice/generic/tool/-/link/linked')
  assert.equal((await put('2')).status, 201)
  await forge.settle()
  assert.deepEqual(await runsOf(forge, repo.api), ['registry_package p.yml main waiting'])
  await alice.must('DELETE', '/packages/alice/generic/tool/2')
  await forge.settle()
  assert.equal((await runsOf(forge, repo.api)).length, 1, 'the activity types of the trigger count')
})
