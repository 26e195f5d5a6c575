import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { commitFiles, runsOf, TestRunner, workflow } from '../actions.test-support.ts'

test('runs of different branches have different groups when the group falls back to the id of the run', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const group = "${{ github.workflow }}-${{ github.head_ref || github['run_id'] }}"
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': `concurrency: { group: "${group}", cancel-in-progress: true }\n${workflow('push')}`,
  })
  await commitFiles(forge, repo.api, { a: '1' }, { newBranch: 'one' })
  await commitFiles(forge, repo.api, { b: '1' }, { newBranch: 'two' })
  assert.deepEqual(await runsOf(forge, repo.api), [
    'push w.yml main waiting',
    'push w.yml one waiting',
    'push w.yml two waiting',
  ])
})

test('the server plans a run with the `github` context that its jobs get', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const members = [
    ...['actor', 'api_url', 'base_ref', 'event_name', 'head_ref', 'job', 'ref', 'ref_name', 'ref_protected'],
    ...['ref_type', 'repository', 'repositoryUrl', 'repository_owner', 'run_attempt', 'run_id', 'run_number'],
    ...['secret_source', 'server_url', 'sha', 'triggering_actor', 'workflow'],
  ]
  const labels = members.map((member) => `"\${{ github.${member} }}"`)
  const jobs = `build: { name: "by \${{ gitea.actor }}", runs-on: [x, ${labels.join(', ')}], steps: [{ run: x }] }`
  await commitFiles(forge, repo.api, { before: '1' })
  await commitFiles(forge, repo.api, { '.gitea/workflows/w.yml': workflow('[push, pull_request_target]', jobs) })
  await commitFiles(forge, repo.api, { a: '1' }, { newBranch: 'topic' })
  await forge.as('alice').must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'x' })
  await forge.settle()
  const rows = await forge.services.db.selectFrom('action_job').select(['name', 'runs_on']).orderBy('id').execute()
  assert.equal(rows.length, 3)
  for (const row of rows) {
    assert.equal(row.name, 'by alice')
    const planned = JSON.parse(row.runs_on) as string[]
    const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`, planned)
    const { context } = await runner.must()
    assert.deepEqual(
      Object.fromEntries(members.map((member, at) => [member, planned[at + 1]])),
      Object.fromEntries(members.map((member) => [member, String(context[member])])),
    )
  }
})

test('`run-name`, `cancel-in-progress` and boolean inputs are evaluated', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': `run-name: "\${{ inputs.deploy && 'Deploy' || 'Try' }} by @\${{ github.actor }}"
concurrency: { group: g, cancel-in-progress: "\${{ inputs.deploy }}" }
${workflow('{ workflow_dispatch: { inputs: { deploy: { type: boolean } } } }')}`,
    '.gitea/workflows/bad.yml': `run-name: "\${{ none( }}"\nname: Bad\n${workflow('workflow_dispatch')}`,
    '.gitea/workflows/plain.yml': `run-name: Plain\n${workflow('workflow_dispatch')}`,
  })
  const titleOf = async (name: string, deploy: string) => {
    const body = { ref: 'main', inputs: { deploy }, return_run_info: true }
    const { id } = (await alice.must('POST', `${repo.api}/actions/workflows/${name}/dispatches`, body)).json
    return (await alice.must('GET', `${repo.api}/actions/runs/${id}`)).json.name
  }
  assert.equal(await titleOf('w.yml', 'false'), 'Try by @alice')
  assert.equal(await titleOf('w.yml', 'false'), 'Try by @alice')
  const statuses = async () => (await runsOf(forge, repo.api)).map((run) => run.split(' ').at(-1))
  assert.deepEqual(await statuses(), ['waiting', 'waiting'])
  assert.equal(await titleOf('w.yml', 'true'), 'Deploy by @alice')
  assert.deepEqual(await statuses(), ['cancelled', 'cancelled', 'waiting'])
  assert.equal(await titleOf('w.yml', 'on'), 'Deploy by @alice')
  assert.equal(await titleOf('bad.yml', ''), 'Bad', 'a name that cannot be evaluated does not prevent the run')
  assert.equal(await titleOf('plain.yml', ''), 'Plain')
})

test('a job with a mistake fails beside the other jobs, a job that never runs is skipped, and both decide about those that need them', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const plain = 'runs-on: x, steps: [{ run: x }]'
  const jobs = `good: { ${plain} }
  bad: { strategy: { matrix: { a: "\${{ fromJSON(vars.NONE) }}" } }, ${plain} }
  absent: { uses: ./.gitea/workflows/none.yml }
  never: { if: false, uses: ./.gitea/workflows/none.yml }
  after_bad: { needs: bad, ${plain} }
  always: { needs: [absent], if: always(), ${plain} }
  after_never: { needs: never, ${plain} }`
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': workflow('push', jobs),
    '.gitea/workflows/never.yml': workflow('push', `a: { if: false, ${plain} }`),
  })
  const runs = (await alice.must('GET', `${repo.api}/actions/runs`)).json.workflow_runs
  const run = runs.find((each: Record<string, string>) => each['workflow_id'] === 'w.yml')
  const states = async () =>
    (await alice.must('GET', `${repo.api}/actions/runs/${run.id}/jobs`)).json.jobs.map(
      (job: Record<string, string>) => `${job['name']} ${job['status']}`,
    )
  const ended = ['bad failure', 'absent failure', 'never skipped', 'after_bad skipped']
  assert.deepEqual(await states(), ['good waiting', ...ended, 'always waiting', 'after_never skipped'])
  assert.match(run.problem, /^job "bad": expression /)
  assert.deepEqual((await runsOf(forge, repo.api)).toSorted(), [
    'push never.yml main skipped',
    'push w.yml main failure',
  ])
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`, ['x'])
  await runner.finish(await runner.must())
  await runner.finish(await runner.must())
  assert.equal(await runner.fetch(), undefined)
  assert.deepEqual(await states(), ['good success', ...ended, 'always success', 'after_never skipped'])
  assert.equal((await alice.post(`${repo.api}/actions/runs/${run.id}/rerun`)).status, 202)
})
