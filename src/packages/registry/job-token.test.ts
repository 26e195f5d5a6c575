import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, TestRunner, workflow, type TestTask } from '../../actions/actions.test-support.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'
import { registryOf } from '../packages.test-support.ts'

const startWith = (isOn: boolean, users: string[]) =>
  startForge({ users, settings: { ingot: { JOBS_PUBLISH_PACKAGES: isOn } } })

/** Publishes a file as a job under a new name. Returns the status. */
const publish = async (forge: Forge, task: TestTask, owner: string): Promise<number> => {
  const job = registryOf(forge.as('job', { token: task.context.token }), owner)
  return (await job('PUT', `generic/built/${task.id}.${Math.random()}/f`, 'x')).status
}

const npmDocument = (name: string) => ({
  name,
  'dist-tags': { latest: '1.0.0' },
  versions: { '1.0.0': { name, version: '1.0.0', dist: {} } },
  _attachments: { [`${name}-1.0.0.tgz`]: { data: Buffer.from('archive').toString('base64'), length: 7 } },
})

/** Begins an image upload with a token of the token service. Returns the status. */
async function beginImage(forge: Forge, token: string, owner: string): Promise<number> {
  const path = `${forge.url}/v2/${owner}/app/blobs/uploads/`
  return (await fetch(path, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).status
}

test('genericUpload, npmUpload, containerToken, containerBeginUpload: a running job publishes for the owner of its repository', async () => {
  await using forge = await startWith(true, ['bob'])
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  const task = await runner.must()
  const job = registryOf(forge.as('job', { token: task.context.token }), 'alice')
  assert.equal(await publish(forge, task, 'alice'), 201)
  assert.equal(await publish(forge, task, 'bob'), 401)
  const named = await job('PUT', 'npm/built', JSON.stringify(npmDocument('built')), {
    'content-type': 'application/json',
  })
  assert.equal(named.status, 201, named.text)
  const headers = { authorization: basicAuthorization('job', task.context.token) }
  const got = (await (await fetch(`${forge.url}/v2/token`, { headers })).json()) as { token: string }
  assert.equal(await beginImage(forge, got.token, 'alice'), 202)
  assert.equal(await beginImage(forge, got.token, 'bob'), 401)
  // The API allows changes by accounts only.
  const api = forge.as('job', { token: task.context.token })
  assert.equal((await api.delete('/packages/alice/npm/built/1.0.0')).status, 403)
  assert.equal((await api.get('/packages/alice/-/cleanup-rules')).status, 403)
  // When the person loses a right, the job loses it too.
  const prohibit = (prohibit_login: boolean) =>
    forge.as('root').must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, prohibit_login })
  await prohibit(true)
  assert.equal(await publish(forge, task, 'alice'), 401)
  await prohibit(false)
  assert.equal(await publish(forge, task, 'alice'), 201)
  await runner.finish(task)
  assert.equal(await publish(forge, task, 'alice'), 401)
  assert.equal(await beginImage(forge, got.token, 'alice'), 401)
})

test('genericUpload: jobs cannot publish without the setting, with read-only tokens, for forks, or for users without rights', async () => {
  {
    await using forge = await startWith(false, [])
    const repo = await forge.given.repo()
    const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
    await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
    assert.equal(await publish(forge, await runner.must(), 'alice'), 401)
  }
  await using forge = await startWith(true, ['alice', 'bob', 'carol'])
  await forge.as('alice').must('POST', '/orgs', { username: 'guild', visibility: 'private' })
  await forge.as('alice').must('POST', '/orgs/guild/repos', { name: 'tool', auto_init: true })
  const team = { name: 'coders', permission: 'write', units: ['repo.code', 'repo.pulls', 'repo.actions'] }
  const { id } = (
    await forge.as('alice').must('POST', '/orgs/guild/teams', { ...team, includes_all_repositories: true })
  ).json
  await forge.as('alice').must('PUT', `/teams/${id}/members/carol`)
  const api = '/repos/guild/tool'
  const runner = await TestRunner.register(forge, `${api}/actions/runners`)
  await commitFiles(forge, api, { '.gitea/workflows/a.yml': workflow('push') })
  const own = await runner.must()
  assert.equal(await publish(forge, own, 'guild'), 201)
  assert.equal(await publish(forge, own, 'alice'), 401, 'of no other owner, although the person may')
  const mine = registryOf(forge.as('job', { token: own.context.token }), 'guild')
  assert.equal((await mine('GET', 'generic/nothing/1/f')).status, 404, 'it reads what a private owner has')
  await commitFiles(forge, api, { b: '1' }, { as: 'carol' })
  assert.equal(await publish(forge, await runner.must(), 'guild'), 401, 'a team without packages')
  await commitFiles(forge, api, { '.gitea/workflows/a.yml': undefined })
  await commitFiles(forge, api, { '.gitea/workflows/r.yml': `permissions: read-all\n${workflow('push')}` })
  assert.equal(await publish(forge, await runner.must(), 'guild'), 401, 'a file that says that it only reads')
})

test("genericUpload: a job of a fork's pull request cannot publish, approved or not", async () => {
  await using forge = await startWith(true, ['bob'])
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/p.yml': workflow('pull_request') })
  const fork = (await forge.as('bob').must('POST', `${repo.api}/forks`, { name: 'mine' })).json
  await commitFiles(forge, `/repos/${fork.full_name}`, { b: '1' }, { newBranch: 'topic', as: 'bob' })
  await forge.as('bob').must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'x' })
  await forge.settle()
  const { workflow_runs: runs } = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json
  await forge.as('alice').must('POST', `${repo.api}/actions/runs/${runs.at(-1).id}/approve`)
  const foreign = await runner.must()
  for (const owner of ['alice', 'bob']) assert.equal(await publish(forge, foreign, owner), 401, owner)
})
