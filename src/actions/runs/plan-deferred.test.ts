import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles, TestRunner, workflow } from '../actions.test-support.ts'

const jobsIn = async (forge: Forge): Promise<string[]> => {
  const rows = await forge.services.db
    .selectFrom('action_job')
    .select(['name', 'status', 'runs_on'])
    .orderBy('run_id')
    .orderBy('position')
    .execute()
  return rows.map(
    ({ name, status, runs_on: runsOn }) => `${name}: ${status} ${(JSON.parse(runsOn) as string[]).join()}`,
  )
}

test('a matrix from `needs` is planned when the needed job has ended, and jobs that need it wait', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const job = (more: string) => `{ runs-on: ubuntu-latest, steps: [{ run: x }], ${more} }`
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': workflow(
      'push',
      [
        'plan: { runs-on: ubuntu-latest, steps: [{ run: x }], outputs: { list: a, label: b } }',
        `build: ${job('needs: plan, strategy: { matrix: { v: "${{ fromJSON(needs.plan.outputs.list) }}", os: [x, y] } }')}`,
        `named: { name: "N \${{ matrix.v }} for \${{ github.actor }}", needs: [plan], runs-on: "\${{ needs.plan.outputs.label }}", steps: [{ run: x }], strategy: { matrix: { include: "\${{ fromJSON(needs.plan.outputs.more) }}" } } }`,
        `bad: ${job('needs: plan, strategy: { matrix: "${{ fromJSON(needs.plan.outputs.none) }}" }')}`,
        `last: ${job('needs: [build, named]')}`,
        `skipped: ${job('needs: bad, strategy: { matrix: { v: "${{ fromJSON(needs.bad.outputs.list) }}" } }')}`,
      ].join('\n  '),
    ),
  })
  assert.deepEqual(await jobsIn(forge), [
    'plan: waiting ubuntu-latest',
    'build: blocked ',
    'named: blocked ',
    'bad: blocked ',
    'last: blocked ubuntu-latest',
    'skipped: blocked ',
  ])
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`, ['ubuntu-latest', 'gpu'])
  const outputs = { list: '["1","2"]', label: 'gpu', more: '[{"v":"one"},{"v":"two"}]' }
  await runner.finish(await runner.must(), 'SUCCESS', outputs)
  await forge.settle()
  assert.deepEqual((await jobsIn(forge)).toSorted(), [
    'N one for alice: waiting gpu',
    'N two for alice: waiting gpu',
    'bad: failure ',
    'build (x, 1): waiting ubuntu-latest',
    'build (x, 2): waiting ubuntu-latest',
    'build (y, 1): waiting ubuntu-latest',
    'build (y, 2): waiting ubuntu-latest',
    'last: blocked ubuntu-latest',
    'plan: success ubuntu-latest',
    'skipped: skipped ',
  ])
  for (let task = await runner.fetch(); task !== undefined; task = await runner.fetch()) {
    const text = Buffer.from(task.workflowPayload, 'base64').toString()
    if (/build/.test(text)) assert.match(text, /matrix:\n\s+os:\n\s+- "?[xy]"?\n\s+v:\n\s+- "?[12]"?/)
    await runner.finish(task)
    await forge.settle()
  }
  const [run] = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json.workflow_runs
  assert.equal(run.status, 'failure')
  assert.ok((await jobsIn(forge)).includes('last: success ubuntu-latest'))
  const statuses = (await forge.as('alice').get(`${repo.api}/commits/main/statuses?limit=50`)).json
  const open = new Set(statuses.map((each: { context: string }) => each.context))
  assert.equal([...open].filter((context) => /build( \(push\))?$/.test(String(context))).length, 0)
  assert.deepEqual(await examined(forge.services), [])
})

test('a deferred job of a skipped or failed need is skipped, and a rerun plans it', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': workflow(
      'push',
      [
        'plan: { runs-on: ubuntu-latest, steps: [{ run: x }] }',
        'build: { needs: plan, runs-on: ubuntu-latest, steps: [{ run: x }], strategy: { matrix: { v: "${{ fromJSON(needs.plan.outputs.list) }}" } } }',
        'wrong: { runs-on: ubuntu-latest, steps: [{ run: x }], strategy: { matrix: { v: "${{ fromJSON(1 }}" } } }',
      ].join('\n  '),
    ),
  })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await runner.finish(await runner.must(), 'FAILURE')
  await forge.settle()
  assert.deepEqual(await jobsIn(forge), ['plan: failure ubuntu-latest', 'build: skipped ', 'wrong: failure '])
  const alice = forge.as('alice')
  const [run] = (await alice.get(`${repo.api}/actions/runs`)).json.workflow_runs
  const rerun = await alice.post(`${repo.api}/actions/runs/${run.id}/rerun`)
  assert.equal(rerun.status, 202, rerun.text)
  await forge.settle()
  assert.deepEqual(await jobsIn(forge), ['plan: waiting ubuntu-latest', 'build: blocked ', 'wrong: failure '])
  await runner.finish(await runner.must(), 'SUCCESS', { list: '["a"]' })
  await forge.settle()
  assert.deepEqual(await jobsIn(forge), [
    'plan: success ubuntu-latest',
    'build (a): waiting ubuntu-latest',
    'wrong: failure ',
  ])
})
