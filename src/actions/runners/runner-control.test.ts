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
  const clientFor = (place: string) => forge.as(place.startsWith('/admin') ? 'root' : 'alice')
  const ask = (method: string, place: string, path: string, body?: object, login?: string) =>
    (login === undefined ? clientFor(place) : forge.as(login)).send(
      method,
      `/api/service/v1${place}${path}`,
      body,
      vendor,
    )
  const token = (place: string) => clientFor(place).get(`${place}/registration-token`)
  const registers = async (registrationToken: string) =>
    (await callRunner(forge, 'Register', { name: 'box', token: registrationToken, labels: ['x'] })).status === 200
  return { ask, token, registers }
}

test('repoRotateRunnerRegistration, repoEditRunnerRegistration and the like: a registration token is rotated, revoked, disabled and enabled', async () => {
  await using forge = await startForge({ users: ['alice', 'stranger'], settings })
  const { ask, token, registers } = await world(forge)
  for (const place of owners) {
    const path = '/registration-token'
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      // For this path the stranger asks for the own account.
      if (place === '/user/actions/runners') continue
      const { status } = await ask(
        method,
        place,
        path,
        method === 'PATCH' ? { is_active: false } : undefined,
        'stranger',
      )
      assert.ok(status === 403 || status === 404, `${method} ${place}: ${status}`)
    }
    assert.deepEqual((await ask('GET', place, path)).json, { is_active: true, created_at: null })
    const first = (await token(place)).json.token
    const state = (await ask('GET', place, path)).json
    assert.deepEqual([state.is_active, typeof state.created_at, 'token' in state], [true, 'string', false])

    const rotated = await ask('POST', place, path)
    assert.equal(rotated.status, 201)
    assert.deepEqual([await registers(first), await registers(rotated.json.token)], [false, true], place)
    assert.equal((await token(place)).json.token, rotated.json.token)

    assert.equal((await ask('DELETE', place, path)).status, 204)
    assert.equal(await registers(rotated.json.token), false)
    const third = (await token(place)).json.token

    assert.deepEqual((await ask('PATCH', place, path, { is_active: false })).json, {
      is_active: false,
      created_at: null,
    })
    assert.equal((await ask('PATCH', place, path, { is_active: false })).status, 200, 'again')
    assert.equal((await ask('DELETE', place, path)).status, 204, 'deleting the token enables nothing')
    const refused = await token(place)
    assert.deepEqual([refused.status, refused.json.code], [403, 'runner_registration_disabled'])
    assert.equal(await registers(third), false)
    assert.equal((await ask('PATCH', place, path, { is_active: true })).json.is_active, true)
    const fourth = (await token(place)).json.token
    assert.deepEqual([fourth === third, await registers(fourth)], [false, true], place)
    assert.equal((await ask('PATCH', place, path, {})).status, 422)
  }
  const { json: entries } = await forge.as('root').must('GET', '/admin/audit?limit=100')
  const actions = new Set((entries as { action: string }[]).map(({ action }) => action))
  for (const what of ['rotated', 'deleted', 'disabled', 'enabled']) assert.ok(actions.has(`runnerToken.${what}`), what)
})

test('repoListRunners, repoDeleteRunner and the like: an owner lists and deletes only the own runners', async () => {
  await using forge = await startForge({ users: ['alice', 'stranger'], settings })
  const { ask } = await world(forge)
  const runners = new Map<string, number>()
  for (const place of owners) {
    await TestRunner.register(forge, place, ['a', 'b'], { as: place.startsWith('/admin') ? 'root' : 'alice' })
    const { json, headers } = await ask('GET', place, '')
    assert.deepEqual([json.length, headers.get('x-total-count')], [1, '1'], place)
    assert.deepEqual([json[0].labels, json[0].status, 'token' in json[0]], [['a', 'b'], 'idle', false])
    runners.set(place, json[0].id)
  }
  for (const place of owners) {
    for (const [other, id] of runners) {
      if (other !== place) assert.equal((await ask('DELETE', place, `/${id}`)).status, 404, `${other} at ${place}`)
    }
    assert.equal((await ask('DELETE', place, `/${runners.get(place)}`)).status, 204)
    assert.deepEqual((await ask('GET', place, '')).json, [])
  }
})

test('repoDeleteRunner: the job that the runner runs is cancelled, and its token ends', async () => {
  await using forge = await startForge({ users: ['alice'], settings })
  const { ask } = await world(forge)
  const [place = ''] = owners
  const runner = await TestRunner.register(forge, place)
  await commitFiles(forge, '/repos/alice/tool', { '.forgejo/workflows/w.yml': workflow('push') })
  const task = await runner.must()
  const [row] = (await ask('GET', place, '')).json
  assert.equal((await ask('DELETE', place, `/${row.id}`)).status, 204)
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
    const ofPlace = declared.filter(({ id }) => expected[index]?.includes(id))
    assert.ok(ofPlace.every((each) => each.scope[0] === scope))
    const lasting = ofPlace.filter(({ outlivesCredential }) => outlivesCredential !== false).map(({ method }) => method)
    assert.deepEqual(lasting.toSorted(), ['PATCH', 'POST'])
  }
})
