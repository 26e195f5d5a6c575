import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles, runsOf, TestRunner, workflow } from '../actions.test-support.ts'

const steps = 'steps: [{ run: x }]'
const folder = '.gitea/workflows'

/** Returns the jobs of all runs as `run name status`. */
async function jobsIn(forge: Forge): Promise<string[]> {
  const rows = await forge.services.db
    .selectFrom('action_job')
    .innerJoin('action_run', 'action_run.id', 'action_job.run_id')
    .select(['action_run.number', 'action_job.name', 'action_job.status'])
    .orderBy('action_run.number')
    .orderBy('action_job.position')
    .execute()
  return rows.map(({ number, name, status }) => `${number} ${name} ${status}`)
}

async function begin(files: Readonly<Record<string, string>>) {
  const forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(
    forge,
    repo.api,
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text])),
  )
  const alice = forge.as('alice')
  const dispatch = async (name: string, inputs: Readonly<Record<string, string>> = {}): Promise<number> => {
    const body = { ref: 'main', inputs, return_run_info: true }
    return (await alice.must('POST', `${repo.api}/actions/workflows/${name}/dispatches`, body)).json.id
  }
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  return { forge, repo, alice, dispatch, runner }
}

test('jobs of a group wait for each other across runs and workflows, and only the newest waiting one stays', async () => {
  const job = (more: string) => `{ runs-on: ubuntu-latest, ${steps}, ${more} }`
  const { forge, dispatch, runner } = await begin({
    'a.yml': workflow(
      'workflow_dispatch',
      `build: ${job('')}\n  deploy: ${job('needs: build, concurrency: "Deploy-${{ github.ref_name }}"')}`,
    ),
    'b.yml': `concurrency: deploy-main\n${workflow('workflow_dispatch')}`,
  })
  await using _ = forge
  await dispatch('a.yml')
  await dispatch('a.yml')
  await dispatch('a.yml')
  const [build1, build2, build3] = [await runner.must(), await runner.must(), await runner.must()]
  assert.equal(await runner.fetch(), undefined)
  await runner.finish(build1)
  const deploy1 = await runner.must()
  await runner.finish(build2)
  await runner.finish(build3)
  assert.equal(await runner.fetch(), undefined, 'the group is busy')
  assert.deepEqual(
    (await jobsIn(forge)).filter((line) => line.includes('deploy')),
    ['1 deploy running', '2 deploy cancelled', '3 deploy blocked'],
  )
  await dispatch('b.yml')
  assert.deepEqual(
    (await jobsIn(forge)).slice(-2),
    ['3 deploy cancelled', '4 build blocked'],
    'runs are in the same groups',
  )
  await runner.finish(deploy1, 'FAILURE')
  assert.deepEqual((await jobsIn(forge)).slice(-1), ['4 build waiting'])
  const build4 = await runner.must()
  await dispatch('a.yml')
  await runner.finish(await runner.must())
  assert.deepEqual((await jobsIn(forge)).slice(-1), ['5 deploy blocked'], 'a job waits for a run')
  await runner.finish(build4)
  await runner.finish(await runner.must())
  assert.deepEqual((await jobsIn(forge)).slice(-2), ['5 build success', '5 deploy success'])
  const left = await forge.services.db
    .selectFrom('action_job')
    .select('id')
    .where('group_state', '<>', 'outside')
    .execute()
  assert.deepEqual(left, [])
  assert.deepEqual(await examined(forge.services), [])
})

test('a job with cancel-in-progress cancels the running job of its group in another run', async () => {
  const { forge, dispatch, runner, repo } = await begin({
    'c.yml': workflow(
      '{ workflow_dispatch: { inputs: { cancel: { type: boolean } } } }',
      `first: { runs-on: ubuntu-latest, ${steps} }
  deploy: { runs-on: ubuntu-latest, ${steps}, concurrency: { group: d, cancel-in-progress: "\${{ inputs.cancel }}" } }
  after: { needs: deploy, runs-on: ubuntu-latest, ${steps} }`,
    ),
  })
  await using _ = forge
  await dispatch('c.yml', { cancel: 'false' })
  await runner.must()
  const deploy = await runner.must()
  await dispatch('c.yml', { cancel: 'false' })
  await dispatch('c.yml', { cancel: 'true' })
  assert.deepEqual(await jobsIn(forge), [
    '1 first running',
    '1 deploy cancelled',
    '1 after skipped',
    '2 first waiting',
    '2 deploy cancelled',
    '2 after skipped',
    '3 first waiting',
    '3 deploy waiting',
    '3 after blocked',
  ])
  const reply = await runner.call('UpdateTask', { state: { id: deploy.id } })
  assert.equal((reply.json as { state: { result: string } }).state.result, 'RESULT_CANCELLED')
  assert.equal((await runsOf(forge, repo.api)).length, 3)
})

test('the jobs of a matrix in one group run one at a time, and those with groups of their own at once', async () => {
  const { forge, dispatch, runner } = await begin({
    'm.yml': workflow(
      'workflow_dispatch',
      `one: { strategy: { matrix: { n: [1, 2, 3, 4] } }, concurrency: same, runs-on: ubuntu-latest, ${steps} }
  each: { strategy: { matrix: { n: [1, 2] } }, concurrency: "own-\${{ matrix.n }}-\${{ strategy.job-index }}", runs-on: ubuntu-latest, ${steps} }
  newest: { strategy: { matrix: { n: [1, 2] } }, concurrency: { group: newest, cancel-in-progress: true }, runs-on: ubuntu-latest, ${steps} }`,
    ),
  })
  await using _ = forge
  await dispatch('m.yml')
  assert.deepEqual(await jobsIn(forge), [
    '1 one (1) waiting',
    '1 one (2) cancelled',
    '1 one (3) cancelled',
    '1 one (4) blocked',
    '1 each (1) waiting',
    '1 each (2) waiting',
    '1 newest (1) cancelled',
    '1 newest (2) waiting',
  ])
  for (let job = 1; job <= 4; job++) await runner.finish(await runner.must())
  assert.deepEqual((await jobsIn(forge))[3], '1 one (4) waiting')
})

test('a group from `needs` is known when the needed job has ended', async () => {
  const { forge, dispatch, runner } = await begin({
    'n.yml': workflow(
      'workflow_dispatch',
      `plan: { runs-on: ubuntu-latest, ${steps}, outputs: { to: x } }
  deploy: { needs: plan, runs-on: ubuntu-latest, ${steps}, concurrency: "\${{ needs.plan.outputs.to }}", environment: "\${{ needs.plan.outputs.to }}" }`,
    ),
  })
  await using _ = forge
  await dispatch('n.yml')
  await dispatch('n.yml')
  await dispatch('n.yml')
  for (const to of ['prod', 'test', 'prod']) await runner.finish(await runner.must(), 'SUCCESS', { to })
  await forge.settle()
  assert.deepEqual(
    (await jobsIn(forge)).filter((line) => line.includes('deploy')),
    ['1 deploy waiting', '2 deploy waiting', '3 deploy blocked'],
  )
  const rows = await forge.services.db
    .selectFrom('action_job')
    .select('environment')
    .orderBy('run_id')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    rows.map(({ environment }) => environment).filter((name) => name !== ''),
    ['prod', 'test', 'prod'],
  )
})

test('the call of a workflow with a group holds all its jobs', async () => {
  const { forge, dispatch, runner, alice, repo } = await begin({
    'called.yml': workflow(
      'workflow_call',
      `one: { runs-on: ubuntu-latest, ${steps} }
  two: { needs: one, runs-on: ubuntu-latest, ${steps}, concurrency: whole }
  three: { runs-on: ubuntu-latest, ${steps} }`,
    ),
    'call.yml': workflow(
      'workflow_dispatch',
      `call: { uses: ./.gitea/workflows/called.yml, concurrency: whole }
  last: { needs: call, runs-on: ubuntu-latest, ${steps} }`,
    ),
  })
  await using _ = forge
  await dispatch('call.yml')
  const second = await dispatch('call.yml')
  const states = async (run: number) =>
    (await jobsIn(forge)).filter((line) => line.startsWith(`${run} `)).map((line) => line.split(' ').slice(1).join(' '))
  assert.deepEqual(await states(1), [
    'call / one waiting',
    'call / two blocked',
    'call / three waiting',
    'call blocked',
    'last blocked',
  ])
  assert.deepEqual((await states(2)).slice(0, 4), [
    'call / one blocked',
    'call / two blocked',
    'call / three blocked',
    'call blocked',
  ])
  await runner.finish(await runner.must())
  await runner.finish(await runner.must())
  assert.equal((await states(2))[0], 'call / one blocked', 'the call has not ended')
  await runner.finish(await runner.must())
  assert.deepEqual((await states(1)).slice(3), ['call success', 'last waiting'])
  assert.deepEqual((await states(2)).slice(0, 3), ['call / one waiting', 'call / two blocked', 'call / three waiting'])
  await dispatch('call.yml')
  await dispatch('call.yml')
  assert.deepEqual(await states(3), [
    'call / one cancelled',
    'call / two cancelled',
    'call / three cancelled',
    'call cancelled',
    'last skipped',
  ])
  await alice.must('POST', `${repo.api}/actions/runs/${second}/cancel`)
  assert.deepEqual((await states(4)).slice(0, 3), ['call / one waiting', 'call / two blocked', 'call / three waiting'])
  assert.deepEqual(await examined(forge.services), [])
})

test('a job that is cancelled while it waits leaves its group, and a rerun enters it again', async () => {
  const { forge, dispatch, runner, alice, repo } = await begin({
    'd.yml': workflow('workflow_dispatch', `deploy: { runs-on: ubuntu-latest, ${steps}, concurrency: d }`),
    'g.yml': `concurrency: g\n${workflow('workflow_dispatch')}`,
  })
  await using _ = forge
  await dispatch('d.yml')
  const running = await runner.must()
  const second = await dispatch('d.yml')
  await alice.must('POST', `${repo.api}/actions/runs/${second}/cancel`)
  assert.deepEqual(await jobsIn(forge), ['1 deploy running', '2 deploy cancelled'])
  await alice.must('POST', `${repo.api}/actions/runs/${second}/rerun`)
  assert.deepEqual(await jobsIn(forge), ['1 deploy running', '2 deploy blocked'])
  assert.equal(await runner.fetch(), undefined)
  await runner.finish(running)
  assert.deepEqual(await jobsIn(forge), ['1 deploy success', '2 deploy waiting'])
  const [{ id: job }] = (await alice.get(`${repo.api}/actions/runs/${second}/jobs`)).json.jobs
  await runner.finish(await runner.must())
  await dispatch('d.yml')
  await alice.must('POST', `${repo.api}/actions/jobs/${job}/rerun`)
  assert.deepEqual(await jobsIn(forge), ['1 deploy success', '2 deploy blocked', '3 deploy waiting'])

  const third = await dispatch('g.yml')
  await runner.finish(await runner.must())
  await runner.finish(await runner.must())
  await runner.finish(await runner.must())
  await dispatch('g.yml')
  await alice.must('POST', `${repo.api}/actions/runs/${third}/rerun`)
  assert.deepEqual(
    (await jobsIn(forge)).slice(-2),
    ['4 build blocked', '5 build waiting'],
    'a run enters its group again',
  )
  await runner.finish(await runner.must())
  assert.deepEqual((await jobsIn(forge)).slice(-2), ['4 build waiting', '5 build success'])
})

test('a run with a failed job holds its group until its other jobs have ended', async () => {
  const { forge, dispatch, runner } = await begin({
    'g.yml': `concurrency: g\n${workflow('workflow_dispatch', `a: { runs-on: ubuntu-latest, ${steps} }\n  b: { runs-on: ubuntu-latest, ${steps} }`)}`,
  })
  await using _ = forge
  await dispatch('g.yml')
  await dispatch('g.yml')
  const [a, b] = [await runner.must(), await runner.must()]
  await runner.finish(a, 'FAILURE')
  assert.deepEqual((await jobsIn(forge)).slice(2), ['2 a blocked', '2 b blocked'])
  await runner.finish(b)
  assert.deepEqual((await jobsIn(forge)).slice(2), ['2 a waiting', '2 b waiting'])
})

test('runs and jobs of a group that start and end at once leave exactly one running and at most one waiting', async () => {
  const { forge, dispatch, runner } = await begin({
    // The expression makes the server plan the run after it has its row.
    'd.yml': workflow(
      'workflow_dispatch',
      `deploy: { name: "\${{ github.run_id }}", runs-on: ubuntu-latest, ${steps}, concurrency: same }`,
    ),
    'g.yml': `run-name: "\${{ github.run_id }}"\nconcurrency: same\n${workflow('workflow_dispatch')}`,
  })
  await using _ = forge
  for (let round = 0; round < 3; round++) {
    await Promise.all(['d.yml', 'g.yml', 'd.yml', 'g.yml', 'd.yml', 'd.yml'].map((name) => dispatch(name)))
    const statuses = (await jobsIn(forge)).map((line) => line.split(' ').at(-1))
    assert.equal(statuses.filter((status) => status === 'waiting').length, 1)
    assert.equal(statuses.filter((status) => status === 'blocked').length, 1)
    const task = await runner.must()
    await Promise.all([runner.finish(task), dispatch('d.yml'), dispatch('g.yml')])
    const now = (await jobsIn(forge)).map((line) => line.split(' ').at(-1))
    assert.equal(now.filter((status) => status === 'waiting').length, 1, now.join())
    assert.ok(now.filter((status) => status === 'blocked').length <= 1)
  }
  for (let task = await runner.fetch(); task; task = await runner.fetch()) await runner.finish(task)
  const open = (await jobsIn(forge)).filter((line) => /waiting|blocked|running/.test(line))
  assert.deepEqual(open, [])
})

test('runs that would wait for each other in two groups: the last job to wait fails, and the other run goes on', async () => {
  const file = (own: string, other: string) =>
    `concurrency: ${own}\n${workflow(
      'workflow_dispatch',
      `first: { runs-on: ubuntu-latest, ${steps} }
  second: { needs: first, runs-on: ubuntu-latest, ${steps}, concurrency: ${other} }`,
    )}`
  const { forge, repo, alice, dispatch, runner } = await begin({
    'a.yml': file('left', 'right'),
    'b.yml': file('right', 'left'),
  })
  await using _ = forge
  await dispatch('a.yml')
  const closing = await dispatch('b.yml')
  const [first1, first2] = [await runner.must(), await runner.must()]
  await runner.finish(first1)
  assert.deepEqual(await jobsIn(forge), ['1 first success', '1 second blocked', '2 first running', '2 second blocked'])
  await runner.finish(first2)
  assert.deepEqual(await jobsIn(forge), ['1 first success', '1 second waiting', '2 first success', '2 second failure'])
  const { json } = await alice.get(`${repo.api}/actions/runs/${closing}`)
  assert.equal(json.conclusion ?? json.status, 'failure')
  const { problem } = await forge.services.db
    .selectFrom('action_run')
    .select('problem')
    .where('number', '=', 2)
    .executeTakeFirstOrThrow()
  assert.equal(problem, 'job "second" would wait for its own run in the concurrency groups "left", "right"')
  await runner.finish(await runner.must())
  assert.deepEqual((await jobsIn(forge)).slice(0, 2), ['1 first success', '1 second success'])
  // A rerun enters the groups again, and nothing holds them now.
  await alice.must('POST', `${repo.api}/actions/runs/${closing}/rerun-failed-jobs`)
  await runner.finish(await runner.must())
  assert.deepEqual((await jobsIn(forge)).slice(2), ['2 first success', '2 second success'])
  assert.deepEqual(await examined(forge.services), [])
})

test('a call and a run that would wait for each other: the job of the call fails, and the call with it', async () => {
  const { forge, dispatch, runner } = await begin({
    'called.yml': workflow(
      'workflow_call',
      `one: { runs-on: ubuntu-latest, ${steps} }
  two: { needs: one, runs-on: ubuntu-latest, ${steps}, concurrency: inner }`,
    ),
    'call.yml': workflow('workflow_dispatch', 'call: { uses: ./.gitea/workflows/called.yml, concurrency: outer }'),
    'other.yml': `concurrency: inner\n${workflow(
      'workflow_dispatch',
      `three: { runs-on: ubuntu-latest, ${steps} }
  four: { needs: three, runs-on: ubuntu-latest, ${steps}, concurrency: outer }`,
    )}`,
  })
  await using _ = forge
  await dispatch('call.yml')
  await dispatch('other.yml')
  const [one, three] = [await runner.must(), await runner.must()]
  await runner.finish(three)
  await runner.finish(one)
  assert.deepEqual(await jobsIn(forge), [
    '1 call / one success',
    '1 call / two failure',
    '1 call failure',
    '2 three success',
    '2 four waiting',
  ])
  await runner.finish(await runner.must())
  assert.equal((await jobsIn(forge)).at(-1), '2 four success')
  assert.deepEqual(await examined(forge.services), [])
})
