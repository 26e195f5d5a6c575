import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import { callRunner, TestRunner, commitFiles, workflow } from '../actions.test-support.ts'

const settings = { actions: { ENABLED: true } }

test('repoTransfer: the runners of the repository are unregistered, and its registration token is replaced', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  await forge.given.org({ owner: 'bob', name: 'guild' })
  const runners = '/actions/runners'
  const runner = await TestRunner.register(forge, `${repo.api}${runners}`)
  const tokenOf = async (login: string, api: string) =>
    (await forge.as(login).must('GET', `${api}${runners}/registration-token`)).json.token as string
  const before = await tokenOf('alice', repo.api)
  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: 'bob' })
  await forge.as('bob').must('POST', `${repo.api}/transfer/accept`)
  const api = '/repos/bob/tool'
  assert.notEqual(await tokenOf('bob', api), before)
  await commitFiles(forge, api, { '.forgejo/workflows/w.yml': workflow('push') }, { as: 'bob' })
  await assert.rejects(() => runner.must(), /unregistered/)
})

test('orgDeleteMember, orgRemoveTeamMember: the registration tokens that a removed owner knows are revoked', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const alice = forge.as('alice')
  await alice.must('POST', '/orgs/guild/repos', { name: 'tool', auto_init: true })
  const owners = (await alice.must('GET', '/orgs/guild/teams')).json[0].id
  const paths = ['/orgs/guild', '/repos/guild/tool'].map((each) => `${each}/actions/runners/registration-token`)
  const tokens = async (login: string) =>
    Promise.all(paths.map(async (path) => (await forge.as(login).must('GET', path)).json.token as string))
  for (const end of [`/orgs/guild/members/bob`, `/teams/${owners}/members/bob`]) {
    await alice.must('PUT', `/teams/${owners}/members/bob`)
    const known = await tokens('bob')
    await alice.must('DELETE', end)
    const now = await tokens('alice')
    for (const [index, token] of now.entries()) assert.notEqual(token, known[index], `${paths[index]} after ${end}`)
  }
})

const registrationPaths = ['/admin/runners', '/orgs/guild/actions/runners', '/repos/guild/tool/actions/runners'].map(
  (each) => `${each}/registration-token`,
)

/** A repository of an organization of `alice`, and the registration tokens that a caller can read. */
async function guildOf(forge: Forge) {
  const alice = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await alice.must('POST', '/orgs/guild/repos', { name: 'tool', auto_init: true })
  const tokens = async (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await forge.as('root').must('GET', path)).json.token as string))
  const registers = async (token: string) =>
    (await callRunner(forge, 'Register', { name: 'late', token, labels: ['x'] })).status === 200
  const { json: made } = await alice.must('POST', '/orgs/guild/teams', {
    name: 'crew',
    permission: 'admin',
    units: ['repo.code'],
  })
  const crew = `/teams/${made.id}`
  return { alice, crew, tokens, registers }
}

test('adminEditUser, adminDeleteUser, orgEditTeam, orgDeleteTeam: the registration tokens that a person could read are revoked', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'], settings })
  const { alice, crew, tokens, registers } = await guildOf(forge)
  const root = forge.as('root')
  const edit = (login: string, change: object) =>
    root.must('PATCH', `/admin/users/${login}`, { source_id: 0, login_name: login, ...change })
  const ofOrg = registrationPaths.slice(1)
  const owners = (await alice.must('GET', '/orgs/guild/teams')).json.find(
    (team: { permission: string }) => team.permission === 'owner',
  ).id
  for (const login of ['bob', 'carol']) await edit(login, { admin: true })
  await alice.must('PUT', `/teams/${owners}/members/dave`)
  const changes: [what: string, paths: readonly string[], change: () => Promise<unknown>][] = [
    ['an administrator is demoted', registrationPaths, () => edit('bob', { admin: false })],
    ['an administrator may no longer sign in', registrationPaths, () => edit('carol', { prohibit_login: true })],
    ['an administrator is deleted', registrationPaths, () => root.must('DELETE', '/admin/users/carol')],
    ['an owner is deleted', ofOrg, () => root.must('DELETE', '/admin/users/dave')],
    ['a team loses administration', ofOrg, () => alice.must('PATCH', crew, { name: 'crew', permission: 'write' })],
  ]
  for (const [what, paths, change] of changes) {
    const known = await tokens(paths)
    await change()
    for (const [index, token] of known.entries()) {
      assert.equal(await registers(token), false, `${what}: ${paths[index]}`)
    }
    const now = await tokens(paths)
    for (const [index, token] of now.entries()) assert.notEqual(token, known[index], `${what}: ${paths[index]}`)
  }
  await alice.must('PATCH', crew, { name: 'crew', permission: 'admin' })
  const before = await tokens(registrationPaths)
  await alice.must('PATCH', crew, { name: 'band', description: 'another name' })
  await edit('alice', { full_name: 'Alice' })
  assert.deepEqual(await tokens(registrationPaths), before, 'other changes revoke no token')
  assert.equal(await registers(before[1] ?? ''), true)
  await alice.must('DELETE', crew)
  const [instance, ...others] = await tokens(registrationPaths)
  assert.equal(instance, before[0], 'a team cannot know the token of the instance')
  for (const [index, token] of others.entries()) assert.notEqual(token, before[index + 1])
  const { json: entries } = await root.must('GET', '/admin/audit?action=runnerToken.ended')
  assert.deepEqual(entries[0].details.runners, 1, 'the audit log reports the runners that stay')
})

test('repoTransfer: a running task and its tokens end, and its job is cancelled', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool', private: true })
  await forge.as('alice').must('PUT', '/user/actions/secrets/DEPLOY', { data: 'of alice' })
  // A runner of the instance outlives the transfer.
  const runner = await TestRunner.register(forge, '/admin/runners', ['ubuntu-latest'], { as: 'root' })
  await commitFiles(forge, repo.api, { '.forgejo/workflows/w.yml': workflow('push') })
  const task = await runner.must()
  const { token, gitea_runtime_token: runtime } = task.context
  const reads = async (credential: string, api: string) =>
    (await forge.guest.get(api, { headers: { authorization: `Bearer ${credential}` } })).status
  assert.deepEqual([await reads(token, repo.api), await reads(runtime, repo.api)], [200, 200])
  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: 'bob' })
  await forge.as('bob').must('POST', `${repo.api}/transfer/accept`)
  const api = '/repos/bob/tool'
  assert.deepEqual([await reads(token, api), await reads(runtime, api)], [401, 401])
  await forge.settle()
  const [run] = (await forge.as('bob').must('GET', `${api}/actions/runs`)).json.workflow_runs
  assert.equal(run.status, 'cancelled')
  const report = await runner.call('UpdateTask', { state: { id: task.id } })
  assert.match(report.text, /CANCELLED/)
  await commitFiles(forge, api, { again: 'x' }, { as: 'bob' })
  const next = await runner.must()
  assert.equal('DEPLOY' in next.secrets, false, 'the next task has no secret of the former owner')
})
