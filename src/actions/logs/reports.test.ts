import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { commitFiles, TestRunner, workflow } from '../actions.test-support.ts'

async function begin(jobs?: string) {
  const forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/actions/secrets/KEY`, { data: 'p%ss:w,rd\nsecond-line' })
  const commit = await commitFiles(forge, repo.api, { '.gitea/workflows/w.yml': workflow('push', jobs) })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const [run] = (await alice.must('GET', `${repo.api}/actions/runs`)).json.workflow_runs
  const [job] = (await alice.must('GET', `${repo.api}/actions/runs/${run.id}/jobs`)).json.jobs
  return { forge, repo, alice, runner, run, job, commit }
}

test('listWorkflowJobAnnotations, listWorkflowRunAnnotations: what steps attach to files and jobs', async () => {
  const { forge, repo, alice, runner, run, job, commit } = await begin()
  await using _ = forge
  const task = await runner.must()
  await runner.log(task, 0, [
    '::error file=src/a b.ts,line=3,endLine=5,col=2,endColumn=9,title=Wrong%3A it::first%0Asecond line',
    'no command ::error::inside',
    '::warning file=../outside::w',
    '::stop-commands::Pause',
    '::error::not while commands are stopped',
  ])
  await runner.log(task, 5, [
    '::notice::nor here',
    '::PAUSE::',
    '##[error]the process ended with exit code 1',
    '::notice file=/workspace/alice/hello/docs/x.md,line=99999999999::ok',
    '::debug::no',
  ])
  const path = `${repo.api}/actions/jobs/${job.id}/annotations`
  const { json, headers } = await alice.must('GET', path)
  const file = `${forge.url}/alice/${repo.name}/src/commit/${commit}`
  const none = { start_line: null, end_line: null, start_column: null, end_column: null, title: '' }
  assert.deepEqual(json, [
    {
      job_id: job.id,
      log_line: 0,
      annotation_level: 'failure',
      path: 'src/a b.ts',
      blob_href: `${file}/src/a%20b.ts`,
      start_line: 3,
      end_line: 5,
      start_column: 2,
      end_column: 9,
      title: 'Wrong: it',
      message: 'first\nsecond line',
    },
    {
      job_id: job.id,
      log_line: 2,
      annotation_level: 'warning',
      path: '../outside',
      blob_href: '',
      ...none,
      message: 'w',
    },
    {
      job_id: job.id,
      log_line: 7,
      annotation_level: 'failure',
      path: '',
      blob_href: '',
      ...none,
      message: 'the process ended with exit code 1',
    },
    {
      job_id: job.id,
      log_line: 8,
      annotation_level: 'notice',
      path: 'docs/x.md',
      blob_href: `${file}/docs/x.md`,
      ...none,
      message: 'ok',
    },
  ])
  assert.equal(headers.get('x-total-count'), '4')
  const ofRun = await alice.must('GET', `${repo.api}/actions/runs/${run.id}/annotations?limit=1&page=2`)
  assert.deepEqual([ofRun.json.length, ofRun.json[0].log_line, ofRun.headers.get('x-total-count')], [1, 2, '4'])
  assert.equal((await alice.get(`${repo.api}/actions/jobs/${job.id + 1}/annotations`)).status, 404)
  await alice.must('PATCH', repo.api, { private: true })
  for (const gone of [
    path,
    `${repo.api}/actions/runs/${run.id}/annotations`,
    `${repo.api}/actions/jobs/${job.id}/summary`,
  ]) {
    assert.equal((await forge.as('bob').get(gone)).status, 404)
  }
})

test('annotations: secrets are masked in every form of a command, texts are cut, and a noisy step is cut', async () => {
  const { forge, repo, alice, runner, job } = await begin()
  await using _ = forge
  const task = await runner.must()
  const step = (id: number, logIndex: number) => ({
    id: String(id),
    logIndex: String(logIndex),
    startedAt: '2024-05-01T10:00:00Z',
  })
  await runner.call('UpdateTask', { state: { id: task.id, steps: [step(0, 0)] } })
  await runner.log(task, 0, [
    '::error title=p%25ss%3Aw%2Crd%0Asecond-line::p%25ss:w,rd%0Asecond-line and p%25ss%3Aw%2Crd',
    '::add-mask::later-secret',
    '::warning file=later-secret.ts::later-sec',
    'ret, and a line',
    `::notice::${'x'.repeat(60_000)}`,
    `::notice title=a\0b::c`,
  ])
  const page = async (more = '') =>
    (await alice.must('GET', `${repo.api}/actions/jobs/${job.id}/annotations?limit=50${more}`)).json
  const [error, warning, notice, odd] = await page()
  assert.doesNotMatch(JSON.stringify([error, warning]), /p%|ss:|second|later|-sec/)
  assert.equal(notice.message.length, 4096)
  assert.deepEqual([odd.title, odd.message], ['ab', 'c'])
  for (let at = 0; at < 6; at++) {
    await runner.log(
      task,
      6 + at * 1000,
      Array.from({ length: 1000 }, (_each, index) => `::warning::noise ${at} ${index}`),
    )
  }
  await runner.call('UpdateTask', { state: { id: task.id, steps: [step(0, 0), step(1, 6006)] } })
  await runner.log(task, 6006, ['::warning::of the second step', '::error::of the second step'])
  const all = [...(await page()), ...(await page('&page=2'))]
  const levels = Map.groupBy(all, (each: { annotation_level: string }) => each.annotation_level)
  assert.deepEqual([levels.get('warning')?.length, levels.get('failure')?.length], [51, 2])
  assert.equal((await page('&page=2')).at(-1).message, 'of the second step')
})

test('getWorkflowJobSummary: the Markdown of steps, rendered, masked and within limits', async () => {
  const { forge, repo, alice, runner, job } = await begin()
  await using _ = forge
  const task = await runner.must()
  const send = (summaries: Readonly<Record<string, string>>) =>
    runner.call('UpdateTask', { state: { id: task.id }, summaries })
  const get = async () => (await alice.must('GET', `${repo.api}/actions/jobs/${job.id}/summary`)).json.steps
  assert.deepEqual(await get(), [])
  assert.equal((await send({ '1': '# Done <script>x</script> second-line' })).status, 200)
  assert.equal((await send({ '0': 'first **step**\0' })).status, 200)
  const [first, second] = await get()
  assert.deepEqual(
    [first.number, first.content, first.html.trim()],
    [0, 'first **step**', '<p dir="auto">first <strong>step</strong></p>'],
  )
  assert.match(second.html, /Done/)
  assert.doesNotMatch(second.html, /<script|second-line/)
  assert.doesNotMatch(second.content, /second-line/)
  assert.equal((await send({ '2': 'x'.repeat(1024 * 1024 + 1) })).status, 400)
  assert.equal((await send({ '-1': 'x' })).status, 400)
  for (const step of ['2', '3', '4', '5', '6']) {
    assert.equal((await send({ [step]: 'y'.repeat(1024 * 1024 - 100) })).status, 200)
  }
  const kept = await forge.services.db.selectFrom('action_summary').select('position').execute()
  assert.deepEqual(
    kept.map(({ position }) => position).toSorted((one, other) => one - other),
    [0, 1, 2, 3, 4, 5],
  )
  const reply = await alice.get(`${repo.api}/actions/jobs/${job.id}/summary`)
  assert.equal(reply.status, 200)
  assert.ok(reply.text.length < 4 * 1024 * 1024, String(reply.text.length))
  assert.deepEqual(await examined(forge.services), [])
})

test('the names of steps are evaluated, and a runner that evaluates more names replaces them', async () => {
  const { forge, repo, alice, runner, run } = await begin(`build:
    runs-on: ubuntu-latest
    env: { MODE: "\${{ github.ref_name }}-mode" }
    strategy: { matrix: { os: [linux] } }
    steps:
      - name: "Build on \${{ matrix.os }} by \${{ github.actor }} in \${{ env.MODE }}"
        run: make
      - uses: actions/checkout@v4
      - run: |
          npm ci
          npm test
      - name: "After \${{ steps.x.outputs.y }}"
        run: x
      - name: "\${{ secrets.KEY }} \${{ toJSON(github) }}"
        run: x`)
  await using _ = forge
  const task = await runner.must()
  const steps = [0, 1, 2, 3, 4].map((id) => ({ id: String(id) }))
  const names = async () =>
    (await alice.must('GET', `${repo.api}/actions/runs/${run.id}/jobs`)).json.jobs[0].steps.map(
      (step: { name: string }) => step.name,
    )
  await runner.call('UpdateTask', { state: { id: task.id, steps } })
  assert.deepEqual(await names(), [
    'Build on linux by alice in main-mode',
    'Run actions/checkout@v4',
    'Run npm ci',
    'After ${{ steps.x.outputs.y }}',
    '${{ secrets.KEY }} ${{ toJSON(github) }}',
  ])
  const named = steps.map((step, at) => (at === 3 ? { ...step, name: 'After second-line' } : step))
  await runner.call('UpdateTask', { state: { id: task.id, steps: named } })
  await runner.call('UpdateTask', { state: { id: task.id, steps } })
  assert.equal((await names())[3], 'After ***')
})

test('listEnvironments, listDeployments: jobs with an environment, and an address that the steps decide', async () => {
  const job = (more: string) => `{ runs-on: ubuntu-latest, steps: [{ run: x }], ${more} }`
  const { forge, repo, alice, runner, run } = await begin(`one: ${job('environment: production')}
  two: ${job(`environment: { name: "review/\${{ github.ref_name }}<b>", url: "https://\${{ github.actor }}.example.com" }`)}
  three: ${job(`environment: { name: production, url: "\${{ steps.deploy.outputs.url }}" }, outputs: { x: y }`)}
  four: ${job('environment: {}, needs: three')}`)
  await using _ = forge
  const list = async () => (await alice.must('GET', `${repo.api}/environments`)).json
  assert.deepEqual(
    (await list()).environments.map((each: Record<string, unknown>) => [each['name'], each['deployments_count']]),
    [
      ['production', 2],
      ['review/main<b>', 1],
    ],
  )
  assert.equal((await list()).total_count, 2)
  for (let job = 1; job <= 2; job++) await runner.finish(await runner.must())
  const three = await runner.must()
  const payload = Buffer.from(three.workflowPayload, 'base64').toString()
  assert.match(payload, /ingot_environment_url: \$\{\{ steps.deploy.outputs.url \}\}/)
  await runner.finish(three, 'FAILURE', { x: 'y', ingot_environment_url: 'https://example.com/second-line' })
  const jobs = (await alice.must('GET', `${repo.api}/actions/runs/${run.id}/jobs`)).json.jobs
  assert.deepEqual(
    jobs.map((each: { environment: unknown }) => each.environment),
    [
      { name: 'production', url: '' },
      { name: 'review/main<b>', url: 'https://alice.example.com' },
      { name: 'production', url: 'https://example.com/***' },
      null,
    ],
  )
  const deployments = async (query: string) => (await alice.must('GET', `${repo.api}/deployments?${query}`)).json
  assert.deepEqual(
    (await deployments('environment=production')).map((each: Record<string, unknown>) => [each['task'], each['state']]),
    [
      ['three', 'failure'],
      ['one', 'success'],
    ],
  )
  assert.equal((await deployments(`environment=${encodeURIComponent('review/main<b>')}`)).length, 1)
  assert.equal((await deployments(`sha=${run.head_sha}`)).length, 3)
  assert.deepEqual(await deployments('sha=0123456789'), [])
  const [needed] = await forge.services.db.selectFrom('action_output').select('name').where('name', '=', 'x').execute()
  assert.ok(needed)
})
