import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, fromBinary, toBinary, type DescMessage } from '@bufbuild/protobuf'
import { startForge, type Forge } from '../../testing/forge.ts'
import { until } from '../../testing/until.ts'
import { callRunner, commitFiles, runsOf, TestRunner, workflow, type TestTask } from '../actions.test-support.ts'
import { pingService, runnerService } from './description.ts'
import { waitingRunners } from './waiting-runners.ts'

const runnersOf = (repo: { readonly api: string }) => `${repo.api}/actions/runners`

test('runnerPing, runnerRegister, runnerDeclare: refusals, and only hashes of tokens are stored', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const ping = await fetch(`${forge.url}/api/actions/ping.v1.PingService/Ping`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"data":"there"}',
  })
  assert.deepEqual(await ping.json(), { data: 'Hello, there!' })
  const { token } = (await forge.as('alice').must('GET', `${runnersOf(repo)}/registration-token`)).json
  const register = async (body: object) => (await callRunner(forge, 'Register', body)).status
  assert.equal(await register({ name: '', token }), 400)
  assert.equal(await register({ name: 'x' }), 400)
  assert.equal(await register({ name: 'x', token: 'A'.repeat(40) }), 400)
  assert.equal(await register({ name: 'x'.repeat(300), token }), 200)
  assert.equal(await register({ name: 'x'.repeat(1025), token }), 400)
  const runner = await TestRunner.register(forge, runnersOf(repo))
  assert.match(runner.token, /^[0-9a-f]{40}$/)
  const declared = await runner.call('Declare', { version: 'v2', labels: ['gpu'] })
  assert.deepEqual((declared.json as { runner: { labels: string[]; token?: string } }).runner.labels, ['gpu'])
  assert.equal((declared.json as { runner: { token?: string } }).runner.token, undefined)
  const wrong = await callRunner(
    forge,
    'FetchTask',
    {},
    { 'x-runner-uuid': runner.uuid, 'x-runner-token': '0'.repeat(40) },
  )
  assert.deepEqual([wrong.status, wrong.json], [401, { code: 'unauthenticated', message: 'unregistered runner' }])
  assert.equal((await callRunner(forge, 'FetchTask', {})).status, 401)
  assert.equal((await callRunner(forge, 'FetchTask', {}, { 'content-type': 'application/xml' })).status, 415)
  const { db } = forge.services
  const stored = JSON.stringify([
    await db.selectFrom('action_runner').selectAll().execute(),
    await db.selectFrom('action_registration_token').selectAll().execute(),
  ])
  assert.equal(stored.includes(runner.token) || stored.includes(token), false)
})

test('repoGetRunnerRegistrationToken, orgGetRunnerRegistrationToken, userGetRunnerRegistrationToken, adminGetRunnerRegistrationToken: each scope has one token, which only its owner gets', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const org = await forge.given.org()
  const alice = forge.as('alice')
  const addresses = [runnersOf(repo), `/orgs/${org}/actions/runners`, '/user/actions/runners']
  const tokens = new Set<string>()
  for (const address of addresses) {
    assert.equal((await forge.guest.get(`${address}/registration-token`)).status, 401)
    const [one, other] = await Promise.all([0, 1].map(() => alice.must('GET', `${address}/registration-token`)))
    assert.equal(one?.json.token, other?.json.token, 'concurrent requests get the same token')
    assert.match(one?.json.token, /^[A-Za-z0-9]{40}$/)
    tokens.add(one?.json.token)
  }
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'admin' })
  assert.equal((await forge.as('bob').get(`${runnersOf(repo)}/registration-token`)).status, 403)
  assert.equal((await forge.as('bob').get(`/orgs/${org}/actions/runners/registration-token`)).status, 403)
  assert.equal((await alice.get('/admin/runners/registration-token')).status, 403)
  tokens.add((await forge.as('root').must('GET', '/admin/runners/registration-token')).json.token)
  assert.equal(tokens.size, 4)
})

const graph = `on: push
jobs:
  test:
    runs-on: ubuntu-latest
    strategy: { matrix: { n: [1, 2] } }
    steps: [{ run: x }]
  ship: { runs-on: ubuntu-latest, needs: test, steps: [{ run: x }] }
  always: { runs-on: ubuntu-latest, needs: ship, if: always(), steps: [{ run: x }] }
  never: { runs-on: ubuntu-latest, needs: ship, steps: [{ run: x }] }
`

test('runnerFetchTask, runnerUpdateTask: a run with a matrix, needs and conditions, from its first job to its end', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/actions/secrets/DEEP`, { data: 'line\none' })
  await alice.must('POST', `${repo.api}/actions/variables/OPEN`, { value: 'v' })
  const runner = await TestRunner.register(forge, runnersOf(repo))
  const sha = await commitFiles(forge, repo.api, { '.gitea/workflows/g.yml': graph })
  const [one, two] = [await runner.must(), await runner.must()]
  assert.equal(await runner.fetch(), undefined, 'the other jobs need these')
  assert.deepEqual(Object.keys(one.secrets).toSorted(), ['DEEP', 'FORGEJO_TOKEN', 'GITEA_TOKEN', 'GITHUB_TOKEN'])
  assert.deepEqual([one.secrets['DEEP'], one.secrets['GITHUB_TOKEN']], ['line\none', one.context.token])
  assert.deepEqual([one.vars, one.context['sha'], one.context['ref_name']], [{ OPEN: 'v' }, sha, 'main'])
  assert.match(Buffer.from(one.workflowPayload, 'base64').toString(), /name: test \(1\)/)
  await runner.finish(one, 'SUCCESS', { picked: 'first', same: 'a' })
  await runner.finish(two, 'SUCCESS', { picked: '', same: 'b' })
  const ship = await runner.must()
  assert.deepEqual(ship.needs, { test: { outputs: { picked: 'first', same: 'b' }, result: 'RESULT_SUCCESS' } })
  await runner.finish(ship, 'FAILURE')
  const always = await runner.must()
  assert.equal(always.needs?.['ship']?.result, 'RESULT_FAILURE')
  await runner.finish(always)
  assert.equal(await runner.fetch(), undefined)
  assert.deepEqual(await runsOf(forge, repo.api), ['push g.yml main failure'])
  const statuses = (await alice.get(`${repo.api}/commits/${sha}/status`)).json.statuses
  assert.deepEqual(
    statuses
      .map((status: Record<string, string>) => [
        status['context'],
        status['status'],
        // The duration varies.
        status['description']?.replace(/\d+s$/, '…'),
      ])
      .toSorted(),
    [
      ['/ always (push)', 'success', 'Successful in …'],
      ['/ never (push)', 'success', 'Has been skipped'],
      ['/ ship (push)', 'failure', 'Failing after …'],
      ['/ test (1) (push)', 'success', 'Successful in …'],
      ['/ test (2) (push)', 'success', 'Successful in …'],
    ],
  )
})

test('runnerUpdateTask: the first result and the first output stay, and a runner cannot report for another', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, runnersOf(repo))
  const other = await TestRunner.register(forge, runnersOf(repo))
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  const task = await runner.must()
  const report = (state: object, outputs = {}) =>
    runner.call('UpdateTask', { state: { id: task.id, ...state }, outputs })
  assert.deepEqual((await report({}, { answer: '42' })).json, { state: { id: task.id }, sentOutputs: ['answer'] })
  await report({ result: 'RESULT_FAILURE' }, { answer: '43' })
  const late = await report({ result: 'RESULT_SUCCESS' })
  assert.deepEqual(late.json, { state: { id: task.id, result: 'RESULT_FAILURE' }, sentOutputs: ['answer'] })
  assert.deepEqual(await forge.services.db.selectFrom('action_output').select(['name', 'value']).execute(), [
    { name: 'answer', value: '42' },
  ])
  assert.equal((await other.call('UpdateTask', { state: { id: task.id } })).status, 403)
  assert.equal((await other.call('UpdateLog', { taskId: task.id, index: '0', rows: [] })).status, 403)
  assert.equal((await runner.call('UpdateTask', { state: { id: '99999' } })).status, 404)
  assert.equal((await runner.call('UpdateTask', {})).status, 400)
  const steps = Array.from({ length: 1001 }, (_, id) => ({ id: String(id) }))
  assert.equal((await runner.call('UpdateTask', { state: { id: task.id, steps } })).status, 400)
})

test('runnerFetchTask: concurrent runners get each job once', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/m.yml': workflow(
      'push',
      'a: { runs-on: x, strategy: { matrix: { n: [1, 2, 3, 4, 5, 6] } }, steps: [{ run: x }] }',
    ),
  })
  const runners = await Promise.all(
    Array.from({ length: 10 }, () => TestRunner.register(forge, runnersOf(repo), ['x', 'more'])),
  )
  const tasks = await Promise.all(runners.map((runner) => runner.fetch()))
  const ids = tasks.flatMap((task) => task?.id ?? [])
  assert.equal(ids.length, 6)
  assert.equal(new Set(ids).size, 6)
})

/** Registers runners with the label `x`. */
async function registerMany(forge: Forge, address: string): Promise<readonly TestRunner[]> {
  const runners: TestRunner[] = []
  for (let count = 0; count < 40; count++) runners.push(await TestRunner.register(forge, address, ['x']))
  return runners
}

/** Requests tasks until each runner has one, or a reply has the newest version and no task. Returns the number of tasks. */
async function countTasksOf(runners: readonly TestRunner[], known: string): Promise<number> {
  const work = async (runner: TestRunner): Promise<string | undefined> => {
    for (let version = known; ;) {
      const reply = (await runner.call('FetchTask', { tasksVersion: version })).json
      const { task, tasksVersion } = reply as { task?: TestTask; tasksVersion?: string }
      // A runner with the newest version waits until something raises it.
      if (task || (version !== known && tasksVersion === version)) return task?.id
      version = tasksVersion ?? '0'
    }
  }
  const ids = (await Promise.all(runners.map(work))).flatMap((id) => id ?? [])
  assert.equal(new Set(ids).size, ids.length)
  return ids.length
}

test('runnerFetchTask: each of many idle runners gets one of as many jobs of a matrix', async () => {
  await using forge = await startForge({ settings: { ingot: { ACTIONS_POLL_WAIT: '2s' } } })
  const repo = await forge.given.repo()
  const runners = await registerMany(forge, runnersOf(repo))
  const { json } = await (runners[0] as TestRunner).call('FetchTask', { tasksVersion: '0' })
  const count = countTasksOf(runners, (json as { tasksVersion: string }).tasksVersion)
  await until(() => waitingRunners.of(forge.services).count === runners.length, 'all wait')
  const jobs = `a: { runs-on: x, strategy: { matrix: { n: [${[...runners.keys()].join()}] } }, steps: [{ run: x }] }`
  await commitFiles(forge, repo.api, { '.gitea/workflows/m.yml': workflow('push', jobs) })
  assert.equal(await count, runners.length)
})

test('runnerFetchTask: each of many runners that ask at once gets a job of one of as many runs', async () => {
  await using forge = await startForge({ settings: { ingot: { ACTIONS_POLL_WAIT: '2s' } } })
  const repo = await forge.given.repo()
  const runners = await registerMany(forge, runnersOf(repo))
  const jobs = workflow('push', 'a: { runs-on: x, steps: [{ run: x }] }')
  const files = [...runners.keys()].map((at) => [`.gitea/workflows/${at}.yml`, jobs] as const)
  await commitFiles(forge, repo.api, Object.fromEntries(files))
  assert.equal(await countTasksOf(runners, '0'), runners.length)
})

test('runnerFetchTask: a runner that knows the version of its queue waits until a job is queued', async () => {
  await using forge = await startForge({ settings: { ingot: { ACTIONS_POLL_WAIT: '20s' } } })
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, '/user/actions/runners')
  const first = (await runner.call('FetchTask', { tasksVersion: '0' })).json as { tasksVersion: string }
  const waiting = runner.fetch(first.tasksVersion)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  assert.ok(await waiting)
})

test('runnerFetchTask: a request with a time-out waits nearly as long, others for ACTIONS_POLL_WAIT', async () => {
  await using forge = await startForge({ settings: { ingot: { ACTIONS_POLL_WAIT: '1ms' } } })
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, runnersOf(repo))
  const first = (await runner.call('FetchTask', { tasksVersion: '0' })).json as { tasksVersion: string }
  const patient = runner.call('FetchTask', first, { headers: { 'connect-timeout-ms': '60000' } })
  await until(() => waitingRunners.of(forge.services).count === 1, 'it waits')
  assert.deepEqual((await runner.call('FetchTask', first)).json, first)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  assert.ok(((await patient).json as { task?: object }).task)
})

test('runnerFetchTask: a commit wakes all waiting runners, and each gets a job that it can run', async () => {
  await using forge = await startForge({ settings: { ingot: { ACTIONS_POLL_WAIT: '50s' } } })
  const repo = await forge.given.repo()
  const runners = await Promise.all(
    ['a', 'b', 'c', 'd', 'd'].map((label) => TestRunner.register(forge, runnersOf(repo), [label])),
  )
  const [some] = runners as [TestRunner]
  const first = (await some.call('FetchTask', { tasksVersion: '0' })).json as { tasksVersion: string }
  const replies = runners.map((runner) => runner.call('FetchTask', first))
  // One client leaves before the commit: it gets no job, and the others go on waiting.
  const gone = new AbortController()
  const left = some.call('FetchTask', first, { signal: gone.signal }).catch(() => 'left')
  const waiting = (): number => waitingRunners.of(forge.services).count
  await until(() => waiting() === 6, 'all wait')
  gone.abort()
  assert.equal(await left, 'left')
  await until(() => waiting() === 5, 'one has left')
  const jobs = ['a', 'b', 'd'].map((label) => `${label}: { runs-on: ${label}, steps: [{ run: x }] }`).join('\n  ')
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push', jobs) })
  const got = (await Promise.all(replies)).map(({ json }) => json as { task?: TestTask; tasksVersion: string })
  const names = got.map(({ task }) => (task ? task.context['job'] : 'none') as string)
  assert.deepEqual(names.toSorted(), ['a', 'b', 'd', 'none', 'none'])
  assert.ok(got.every(({ tasksVersion }) => tasksVersion !== first.tasksVersion))
})

test('runnerFetchTask: waiting requests do not count against MAX_REQUESTS', async () => {
  await using forge = await startForge({ settings: { ingot: { ACTIONS_POLL_WAIT: '2s', MAX_REQUESTS: 20 } } })
  const runner = await TestRunner.register(forge, '/user/actions/runners')
  const { tasksVersion } = (await runner.call('FetchTask', { tasksVersion: '0' })).json as { tasksVersion: string }
  const waiting = Promise.all(Array.from({ length: 100 }, () => runner.call('FetchTask', { tasksVersion })))
  assert.equal((await forge.as('alice').get('/user')).status, 200)
  assert.deepEqual(new Set((await waiting).map(({ status }) => status)), new Set([200]))
})

test('a runner of an account takes only jobs of its repositories whose actions unit is enabled', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const mine = await forge.given.repo()
  const off = await forge.given.repo()
  const theirs = await forge.given.repo({ owner: 'bob' })
  const runner = await TestRunner.register(forge, '/user/actions/runners')
  const files = { '.gitea/workflows/a.yml': workflow('push') }
  await commitFiles(forge, off.api, files)
  await forge.as('alice').must('PATCH', off.api, { has_actions: false })
  await commitFiles(forge, theirs.api, files, { as: 'bob' })
  await commitFiles(forge, mine.api, files)
  assert.equal((await runner.must()).context['repository'], mine.api.replace('/repos/', ''))
  assert.equal(await runner.fetch(), undefined)
})

test('runnerFetchTask, repoTransfer, repoEdit: waiting jobs wake the runners that can take them after a transfer or when the unit is enabled', async () => {
  await using forge = await startForge({ settings: { ingot: { ACTIONS_POLL_WAIT: '50s' } }, users: ['alice'] })
  const repo = await forge.given.repo()
  const org = await forge.given.org()
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  const waits = async (runner: TestRunner) => {
    const { tasksVersion } = (await runner.call('FetchTask', { tasksVersion: '0' })).json as { tasksVersion: string }
    const reply = runner.call('FetchTask', { tasksVersion })
    await until(() => waitingRunners.of(forge.services).count === 1, 'it waits')
    return async () => ((await reply).json as { task?: TestTask }).task?.context['repository']
  }
  const alice = forge.as('alice')
  const ofGuild = await waits(await TestRunner.register(forge, `/orgs/${org}/actions/runners`))
  await alice.must('POST', `${repo.api}/transfer`, { new_owner: org })
  assert.equal(await ofGuild(), `${org}/${repo.name}`)

  const off = await forge.given.repo()
  await commitFiles(forge, off.api, { '.gitea/workflows/a.yml': workflow('push') })
  await alice.must('PATCH', off.api, { has_actions: false })
  const ofAlice = await waits(await TestRunner.register(forge, '/user/actions/runners'))
  await alice.must('PATCH', off.api, { has_actions: true })
  assert.equal(await ofAlice(), off.fullName)
})

test('an ephemeral runner takes one job and is unregistered', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/a.yml': workflow('push'),
    '.gitea/workflows/b.yml': workflow('push'),
  })
  const runner = await TestRunner.register(forge, runnersOf(repo), ['ubuntu-latest'], { ephemeral: true })
  const task = await runner.must()
  assert.equal(await runner.fetch(), undefined)
  await runner.finish(task)
  assert.equal((await runner.call('FetchTask', {})).status, 401)
})

test('runnerFetchTask: an ephemeral runner that asks many times at once gets one task', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const jobs = 'a: { runs-on: x, strategy: { matrix: { n: [1, 2, 3, 4, 5, 6] } }, steps: [{ run: x }] }'
  await commitFiles(forge, repo.api, { '.gitea/workflows/m.yml': workflow('push', jobs) })
  const runner = await TestRunner.register(forge, runnersOf(repo), ['x'], { ephemeral: true })
  const tasks = await Promise.all(Array.from({ length: 6 }, () => runner.fetch()))
  assert.equal(tasks.filter((task) => task !== undefined).length, 1)
})

test('runnerUpdateTask: the reply tells a runner that a newer push cancelled its task, and the token of the task ends', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, runnersOf(repo))
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  const task = await runner.must()
  await commitFiles(forge, repo.api, { b: '1' })
  const reply = await runner.call('UpdateTask', { state: { id: task.id } })
  assert.deepEqual(reply.json, { state: { id: task.id, result: 'RESULT_CANCELLED' } })
  const job = await forge.as('alice', { token: task.context.token }).get(repo.api)
  assert.equal(job.status, 401, 'the token ends with the task')
})

test('the token of a job acts only in its repository, with the permissions of the file, while the job runs', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ private: true })
  const other = await forge.given.repo()
  const runner = await TestRunner.register(forge, runnersOf(repo))
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/a.yml': workflow('push'),
    '.gitea/workflows/b.yml': `permissions: read-all\n${workflow('workflow_dispatch')}`,
  })
  const task = await runner.must()
  const job = forge.as('job', { token: task.context.token })
  assert.equal((await job.get(repo.api)).status, 200)
  const bearer = { authorization: `Bearer ${task.context.gitea_runtime_token}` }
  assert.equal((await fetch(`${forge.url}/api/v1${repo.api}`, { headers: bearer })).status, 200)
  assert.equal((await job.get(other.api)).status, 404)
  const issue = await job.post(`${repo.api}/issues`, { title: 'from a job' })
  assert.deepEqual([issue.status, issue.json.user.id], [201, -2])
  assert.equal((await job.post(`${repo.api}/issues/1/comments`, { body: 'more' })).status, 201)
  assert.equal((await job.post(`${repo.api}/issues/1/reactions`, { content: '+1' })).status, 201)
  for (const [method, address] of [
    ['GET', `${repo.api}/actions/secrets`],
    ['GET', `${runnersOf(repo)}/registration-token`],
    ['GET', '/admin/users'],
    ['POST', '/user/repos'],
    ['POST', '/orgs'],
    ['POST', '/user/keys'],
    ['PATCH', '/user/settings'],
    ['PUT', '/user/actions/secrets/X'],
    ['PUT', `/user/starred/${other.api.slice(7)}`],
  ] as const) {
    const reply = await job.send(
      method,
      address,
      method === 'GET' ? undefined : { name: 'x', username: 'x', data: 'x' },
    )
    assert.ok(reply.status === 403 || reply.status === 404, `${method} ${address}: ${reply.status}`)
  }
  await forge.settle()
  assert.deepEqual(await runsOf(forge, repo.api), ['push a.yml main running'], 'changes by a job start no workflow')
  assert.equal((await job.post(`${repo.api}/actions/workflows/b.yml/dispatches`, { ref: 'main' })).status, 204)
  const reader = await runner.must()
  const asReader = forge.as('reader', { token: reader.context.token })
  assert.equal((await asReader.get(repo.api)).status, 200)
  assert.equal((await asReader.post(`${repo.api}/issues`, { title: 'x' })).status, 403)
  await runner.finish(task)
  assert.equal((await job.get(repo.api)).status, 401)
  assert.equal((await fetch(`${forge.url}/api/v1${repo.api}`, { headers: bearer })).status, 401)
})

test('runnerPing, runnerRegister: messages in protobuf', async () => {
  await using forge = await startForge()
  const send = async (path: string, input: DescMessage, output: DescMessage, body: Record<string, unknown>) => {
    const response = await fetch(`${forge.url}/api/actions/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/proto' },
      body: Buffer.from(toBinary(input, create(input, body))),
    })
    assert.equal(response.headers.get('content-type'), 'application/proto')
    return fromBinary(output, new Uint8Array(await response.arrayBuffer())) as unknown as Record<string, unknown>
  }
  const { input, output } = pingService.method['ping'] as (typeof pingService.methods)[number]
  assert.equal((await send('ping.v1.PingService/Ping', input, output, { data: 'you' }))['data'], 'Hello, you!')
  const repo = await forge.given.repo()
  const { token } = (await forge.as('alice').must('GET', `${runnersOf(repo)}/registration-token`)).json
  const register = runnerService.method['register'] as (typeof runnerService.methods)[number]
  const made = await send('runner.v1.RunnerService/Register', register.input, register.output, {
    name: 'p',
    token,
    labels: ['a'],
  })
  assert.deepEqual((made['runner'] as { labels: string[] }).labels, ['a'])
})
