import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import { callRunner, commitFiles, TestRunner, workflow } from '../actions.test-support.ts'

const settings = { actions: { ENABLED: true } }
const vendor = { site: true }

/** The paths of the runners of a repository, an organization, an account and the instance. */
const owners = [
  '/repos/alice/tool/actions/runners',
  '/orgs/guild/actions/runners',
  '/user/actions/runners',
  '/admin/runners',
]

async function world(forge: Forge) {
  await forge.given.repo({ owner: 'alice', name: 'tool', private: true })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const clientFor = (holder: string) => forge.as(holder.startsWith('/admin') ? 'root' : 'alice')
  const ask = (method: string, holder: string, path: string, body?: object, login?: string) =>
    (login === undefined ? clientFor(holder) : forge.as(login)).send(
      method,
      `/api/service/v1${holder}${path}`,
      body,
      vendor,
    )
  const token = (holder: string) => clientFor(holder).get(`${holder}/registration-token`)
  const registers = async (registrationToken: string) =>
    (await callRunner(forge, 'Register', { name: 'box', token: registrationToken, labels: ['x'] })).status === 200
  return { ask, token, registers }
}

test('repoRotateRunnerRegistration, repoEditRunnerRegistration and the like: a registration token is rotated, revoked, disabled and enabled', async () => {
  await using forge = await startForge({ users: ['alice', 'stranger'], settings })
  const { ask, token, registers } = await world(forge)
  for (const holder of owners) {
    const path = '/registration-token'
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      // For this path the stranger asks for the own account.
      if (holder === '/user/actions/runners') continue
      const { status } = await ask(
        method,
        holder,
        path,
        method === 'PATCH' ? { is_active: false } : undefined,
        'stranger',
      )
      assert.ok(status === 403 || status === 404, `${method} ${holder}: ${status}`)
    }
    assert.deepEqual((await ask('GET', holder, path)).json, { is_active: true, created_at: null })
    const first = (await token(holder)).json.token
    const state = (await ask('GET', holder, path)).json
    assert.deepEqual([state.is_active, typeof state.created_at, 'token' in state], [true, 'string', false])

    const rotated = await ask('POST', holder, path)
    assert.equal(rotated.status, 201)
    assert.deepEqual([await registers(first), await registers(rotated.json.token)], [false, true], holder)
    assert.equal((await token(holder)).json.token, rotated.json.token)

    assert.equal((await ask('DELETE', holder, path)).status, 204)
    assert.equal(await registers(rotated.json.token), false)
    const third = (await token(holder)).json.token

    assert.deepEqual((await ask('PATCH', holder, path, { is_active: false })).json, {
      is_active: false,
      created_at: null,
    })
    assert.equal((await ask('PATCH', holder, path, { is_active: false })).status, 200, 'again')
    assert.equal((await ask('DELETE', holder, path)).status, 204, 'deleting the token enables nothing')
    const refused = await token(holder)
    assert.deepEqual([refused.status, refused.json.code], [403, 'runner_registration_disabled'])
    assert.equal(await registers(third), false)
    assert.equal((await ask('PATCH', holder, path, { is_active: true })).json.is_active, true)
    const fourth = (await token(holder)).json.token
    assert.deepEqual([fourth === third, await registers(fourth)], [false, true], holder)
    assert.equal((await ask('PATCH', holder, path, {})).status, 422)
  }
  const { json: entries } = await forge.as('root').must('GET', '/admin/audit?limit=100')
  const actions = new Set((entries as { action: string }[]).map(({ action }) => action))
  for (const what of ['rotated', 'deleted', 'disabled', 'enabled']) assert.ok(actions.has(`runnerToken.${what}`), what)
})

test('repoListRunners, repoDeleteRunner and the like: an owner lists and deletes only the own runners', async () => {
  await using forge = await startForge({ users: ['alice', 'stranger'], settings })
  const { ask } = await world(forge)
  const runners = new Map<string, number>()
  for (const holder of owners) {
    await TestRunner.register(forge, holder, ['a', 'b'], { as: holder.startsWith('/admin') ? 'root' : 'alice' })
    const { json, headers } = await ask('GET', holder, '')
    assert.deepEqual([json.length, headers.get('x-total-count')], [1, '1'], holder)
    assert.deepEqual([json[0].labels, json[0].status, 'token' in json[0]], [['a', 'b'], 'idle', false])
    runners.set(holder, json[0].id)
  }
  for (const holder of owners) {
    for (const [other, id] of runners) {
      if (other !== holder) assert.equal((await ask('DELETE', holder, `/${id}`)).status, 404, `${other} at ${holder}`)
    }
    assert.equal((await ask('DELETE', holder, `/${runners.get(holder)}`)).status, 204)
    assert.deepEqual((await ask('GET', holder, '')).json, [])
  }
})

test('repoDeleteRunner: the job that the runner runs is cancelled, and its token ends', async () => {
  await using forge = await startForge({ users: ['alice'], settings })
  const { ask } = await world(forge)
  const [holder = ''] = owners
  const runner = await TestRunner.register(forge, holder)
  await commitFiles(forge, '/repos/alice/tool', { '.forgejo/workflows/w.yml': workflow('push') })
  const task = await runner.must()
  const [row] = (await ask('GET', holder, '')).json
  assert.equal((await ask('DELETE', holder, `/${row.id}`)).status, 204)
  const headers = { authorization: `Bearer ${task.context.token}` }
  assert.equal((await forge.guest.get('/repos/alice/tool', { headers })).status, 401)
  const [run] = (await forge.as('alice').must('GET', '/repos/alice/tool/actions/runs')).json.workflow_runs
  assert.equal(run.status, 'cancelled')
  await assert.rejects(() => runner.must(), /unregistered/)
})

test('each owner of runners has the same operations, and they need the scope of the owner', async () => {
  await using forge = await startForge({ settings })
  const declared = forge.services
    .operations()
    .filter(({ base, path }) => base === 'vendor' && path.includes('/runners'))
  const expected = [
    [
      'repoListRunners',
      'repoDeleteRunner',
      'repoGetRunnerRegistration',
      'repoRotateRunnerRegistration',
      'repoEditRunnerRegistration',
      'repoDeleteRunnerRegistration',
    ],
    [
      'orgListRunners',
      'orgDeleteRunner',
      'orgGetRunnerRegistration',
      'orgRotateRunnerRegistration',
      'orgEditRunnerRegistration',
      'orgDeleteRunnerRegistration',
    ],
    [
      'userListRunners',
      'userDeleteRunner',
      'userGetRunnerRegistration',
      'userRotateRunnerRegistration',
      'userEditRunnerRegistration',
      'userDeleteRunnerRegistration',
    ],
    [
      'adminListRunners',
      'adminDeleteRunner',
      'adminGetRunnerRegistration',
      'adminRotateRunnerRegistration',
      'adminEditRunnerRegistration',
      'adminDeleteRunnerRegistration',
    ],
  ]
  assert.deepEqual(declared.map(({ id }) => id).toSorted(), expected.flat().toSorted())
  for (const [index, scope] of ['repository', 'organization', 'user', 'admin'].entries()) {
    const ofHolder = declared.filter(({ id }) => expected[index]?.includes(id))
    assert.ok(ofHolder.every((each) => each.scope[0] === scope))
    const lasting = ofHolder
      .filter(({ outlivesCredential }) => outlivesCredential !== false)
      .map(({ method }) => method)
    assert.deepEqual(lasting.toSorted(), ['PATCH', 'POST'])
  }
})
